package apiserver

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Client gives an HTTP client that verifies the server's certificate. It adds no
// credentials. A new one has no connections.
func (s *Server) Client() (*http.Client, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(s.CAPEM) {
		return nil, errors.New("the server's CA certificate cannot be read")
	}
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2: true,
	}}, nil
}

// ready reports whether a client can work: the server's own readiness, which
// includes RBAC's default roles, and the namespace "default", which a controller
// inside the server makes a little later.
func (s *Server) ready(ctx context.Context) error {
	client, err := s.Client()
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	for _, path := range []string{"/readyz", "/api/v1/namespaces/default"} {
		if err := s.asAdmin(ctx, client, http.MethodGet, path); err != nil {
			return err
		}
	}
	return nil
}

// asAdmin sends a request without a body as the admin and expects "200 OK".
func (s *Server) asAdmin(ctx context.Context, client *http.Client, method, path string) error {
	req, err := http.NewRequestWithContext(ctx, method, s.BaseURL+path, nil)
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
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, strings.TrimSpace(string(body)))
	}
	return nil
}
