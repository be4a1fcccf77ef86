package apiserver

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestUnreadyTellsFailedChecks checks that the error has only the failed checks of the
// server's answer. An answer without checks stays as it is.
func TestUnreadyTellsFailedChecks(t *testing.T) {
	for answer, want := range map[string]string{
		"[+]ping ok\n[-]etcd failed: reason withheld\n[+]log ok\n[-]poststarthook/rbac/bootstrap-roles failed: not finished\nreadyz check failed\n": "GET /readyz: 500 Internal Server Error: etcd failed: reason withheld, poststarthook/rbac/bootstrap-roles failed: not finished",
		"shutting down\n": "GET /readyz: 500 Internal Server Error: shutting down",
	} {
		server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = w.Write([]byte(answer))
		}))
		s := &Server{BaseURL: server.URL, CAPEM: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})}
		if err := s.ready(t.Context()); err == nil || err.Error() != want {
			t.Errorf("got: %v\nexpected: %s", err, want)
		}
		server.Close()
	}
}
