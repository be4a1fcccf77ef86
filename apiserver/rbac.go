package apiserver

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// removeDefaultBindings deletes the ClusterRoleBindings that every kube-apiserver
// makes when it starts (plugin/pkg/auth/authorizer/rbac/bootstrappolicy).
//
// They are for controllers that do not run here. The RBAC authorizer goes through all
// bindings in the order of a Go map until one allows the request, so each of them
// would make a trace depend on luck. With them go the rights of every authenticated
// user to discovery; the admin needs no binding.
func (s *Server) removeDefaultBindings(ctx context.Context) error {
	client, err := s.Client()
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	const path = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, s.BaseURL+path, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+s.AdminToken)
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", resp.Status, strings.TrimSpace(string(body)))
	}
	if err != nil {
		return fmt.Errorf("removing the default role bindings: DELETE %s: %w", path, err)
	}
	return nil
}
