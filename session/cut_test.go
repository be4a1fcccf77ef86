package session

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/session/front"
	"github.com/kubeapitrace/apitrace/trace"
)

// TestAnswerCutByServer checks that a request has a trace if the server cuts the
// connection before it has answered, as kube-apiserver does after a panic.
func TestAnswerCutByServer(t *testing.T) {
	seen := make(chan string, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		seen <- r.Header.Get("traceparent")
		panic(http.ErrAbortHandler)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()

	rows := make(chan Row, 1)
	s := New(Options{
		Fetch: func(_ context.Context, sent trace.Sent) (*trace.Request, error) { return traceOf(sent, 1), nil },
		Keep:  func(context.Context, *trace.Request) (trace.Place, error) { return trace.Place{}, nil },
		Done:  func(row Row) { rows <- row },
	})
	f, err := front.Start(front.Options{
		Server: server.URL, CAPEM: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
		Trace: s.Admit, Over: s.Over,
	})
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(f.CAPEM)
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}}
	answer, err := client.Post(f.URL+"/api/v1/namespaces/default/configmaps", "application/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusBadGateway {
		t.Errorf("the client got the status %d, expected 502", answer.StatusCode)
	}
	if testenv.Receive(t, "the server has seen the request", seen) == "" {
		t.Error("the request had no traceparent header")
	}
	row := testenv.Receive(t, "the request has ended", rows)
	if row.Status != 0 || row.Err != nil || row.Calls != 6 {
		t.Errorf("the row is %+v, expected 6 calls and no status", row)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
