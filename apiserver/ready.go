package apiserver

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// Client returns a new HTTP client that verifies the server's certificate.
// It adds no credentials and has no open connections.
func (s *Server) Client() (*http.Client, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(s.CAPEM) {
		return nil, message.NewError("the server's CA certificate cannot be read")
	}
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2: true,
	}}, nil
}

// ready returns nil if a client can work. It checks /readyz, which includes RBAC's default
// roles, and the namespace "default", which a controller inside the server creates a
// little later.
func (s *Server) ready(ctx context.Context) error {
	client, err := s.Client()
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	for _, path := range []string{"/readyz", "/api/v1/namespaces/default"} {
		if err := s.asAdmin(ctx, client, http.MethodGet, path, nil); err != nil {
			return onlyFailedChecks(err)
		}
	}
	return nil
}

// onlyFailedChecks removes the passed checks from the answer in an error. /readyz has about
// 60 checks.
func onlyFailedChecks(err error) error {
	var status *statusError
	if errors.As(err, &status) {
		status.answer = sampleserver.FailedChecks(status.answer)
	}
	return err
}

// asAdmin sends a request as the admin and expects success.
// A body that is not nil is sent as JSON.
func (s *Server) asAdmin(ctx context.Context, client *http.Client, method, path string, body any) error {
	_, err := s.requestAsAdmin(ctx, client, method, path, body)
	return err
}

// readAsAdmin gets an object as the admin.
func (s *Server) readAsAdmin(ctx context.Context, client *http.Client, path string, into any) error {
	answer, err := s.requestAsAdmin(ctx, client, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	return json.Unmarshal(answer, into)
}

// requestAsAdmin is asAdmin, but also returns the answer, at most its first MiB.
func (s *Server) requestAsAdmin(ctx context.Context, client *http.Client, method, path string, body any) ([]byte, error) {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, s.BaseURL+path, content)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+s.AdminToken)
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return nil, message.Errorf("%s %s: %w", method, path, err)
	}
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusCreated {
		return nil, &statusError{method + " " + path, resp.StatusCode, strings.TrimSpace(string(answer))}
	}
	return answer, nil
}

// A statusError is an answer with a status other than 200 and 201.
type statusError struct {
	request string
	code    int
	answer  string
}

func (e *statusError) Error() string {
	return fmt.Sprintf("%s: %d %s: %s", e.request, e.code, http.StatusText(e.code), e.answer)
}
