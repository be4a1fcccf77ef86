package apiserver

import (
	"context"
	"net/http"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// removeDefaultBindings deletes the ClusterRoleBindings that every kube-apiserver makes
// when it starts (plugin/pkg/auth/authorizer/rbac/bootstrappolicy).
//
// The bindings are for controllers that do not run here. The RBAC authorizer checks all
// bindings, in the random order of a Go map, until one allows the request. So with these
// bindings, traces of the same request would differ.
// Without them, authenticated users have no right to read the discovery.
// The admin needs no binding.
func (s *Server) removeDefaultBindings(ctx context.Context) error {
	client, err := s.Client()
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	err = s.asAdmin(ctx, client, http.MethodDelete, "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", nil)
	if err != nil {
		return message.Errorf("removing the default role bindings: %w", err)
	}
	return nil
}
