package commands

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kubeapitrace/apitrace/internal/authority"
	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// A receiver counts the spans of each trace that it receives.
type receiver struct {
	*httptest.Server
	mu    sync.Mutex
	spans map[string]int
}

func newReceiver(t testing.TB) *receiver {
	r := &receiver{spans: map[string]int{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		in := &collector.ExportTraceServiceRequest{}
		if err != nil || proto.Unmarshal(body, in) != nil {
			http.Error(w, "no OTLP request", http.StatusBadRequest)
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, rs := range in.ResourceSpans {
			for _, scope := range rs.ScopeSpans {
				for _, span := range scope.Spans {
					r.spans[hex.EncodeToString(span.TraceId)]++
				}
			}
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// traces returns the number of received traces.
func (r *receiver) traces() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.spans)
}

// awaitTraces waits for a number of traces.
func (r *receiver) awaitTraces(t *testing.T, want int) {
	t.Helper()
	testenv.Await(t, fmt.Sprintf("%d traces are received", want), func() bool { return r.traces() >= want })
	if got := r.traces(); got != want {
		t.Errorf("%d traces were received, want %d", got, want)
	}
}

// checkWhole checks that each received trace has the spans of a whole request.
func (r *receiver) checkWhole(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, spans := range r.spans {
		if spans < 100 {
			t.Errorf("the trace %s has %d spans, want at least 100, as in a whole request", id, spans)
		}
	}
}

// TestServeSamples checks that "serve --otlp" sends traces of the requests through its
// front, and of no other requests. It also checks that "front" does the same for a
// server that another program started.
func TestServeSamples(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	received := newReceiver(t)
	m.set("OTEL_EXPORTER_OTLP_ENDPOINT", received.URL)
	proxy := newAuthority(t, "front-proxy")
	admin := m.start("serve", "--otlp", "--", "--requestheader-client-ca-file="+proxy.ca, "--requestheader-allowed-names=front-proxy",
		"--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group", "--v=1").line
	direct := restConfig(t, admin)
	get(t, direct, 3)
	traced := restConfig(t, filepath.Join(filepath.Dir(filepath.Dir(admin)), "traced.kubeconfig"))
	get(t, traced, 5)
	received.awaitTraces(t, 5)

	ca := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(ca, direct.CAData, 0o600); err != nil {
		t.Fatal(err)
	}
	front := m.start("front", "--server", direct.Host, "--server-cafile", ca, "--probe", filepath.Join(filepath.Dir(admin), "probe.sock"), "--port", "0", "--otlp")
	behind := rest.CopyConfig(direct)
	behind.Host, behind.CAData, behind.CAFile = front.frontURL(t), nil, front.line
	get(t, behind, 2)
	received.awaitTraces(t, 7)
	byCertificate(m, direct, proxy, filepath.Join(filepath.Dir(admin), "probe.sock"))
	received.awaitTraces(t, 8)
	received.checkWhole(t)
}

// byCertificate starts a front with a certificate for passing on users. It sends a
// request of the user jane, who has a client certificate.
func byCertificate(m *machine, server *rest.Config, proxy *otlpAuthority, probe string) {
	m.Helper()
	users := newAuthority(m, "jane")
	serverCA := filepath.Join(m.TempDir(), "ca.crt")
	if err := os.WriteFile(serverCA, server.CAData, 0o600); err != nil {
		m.Fatal(err)
	}
	front := m.start("front", "--server", server.Host, "--server-cafile", serverCA, "--probe", probe, "--otlp",
		"--client-cafile", users.ca, "--proxy-client-cert-file", proxy.cert, "--proxy-client-key-file", proxy.key)
	client, err := rest.HTTPClientFor(&rest.Config{
		TLSClientConfig: rest.TLSClientConfig{CAFile: front.line, CertFile: users.cert, KeyFile: users.key},
	})
	if err != nil {
		m.Fatal(err)
	}
	answer, err := client.Get(front.frontURL(m) + "/api/v1/nodes")
	if err != nil {
		m.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusForbidden || !strings.Contains(string(body), `User \"jane\" cannot list`) {
		m.Errorf("got the answer %s: %s and the error %v, want 403 for jane", answer.Status, body, err)
	}
}

// An otlpAuthority has issued one certificate. All fields except made are paths of
// files.
type otlpAuthority struct {
	ca, cert, key string
	made          *authority.Authority
}

func newAuthority(t testing.TB, name string) *otlpAuthority {
	t.Helper()
	made, err := authority.New("authority of " + name)
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := made.Issue(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	a := &otlpAuthority{filepath.Join(dir, "ca.crt"), filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key"), made}
	for file, data := range map[string][]byte{a.ca: made.CertPEM, a.cert: cert, a.key: key} {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

func restConfig(t testing.TB, kubeconfig string) *rest.Config {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// get sends n requests for the namespaces.
func get(t *testing.T, config *rest.Config, n int) {
	t.Helper()
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	for range n {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, config.Host+"/api/v1/namespaces", nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Errorf("GET namespaces: got the status %s, want 200", answer.Status)
		}
	}
}
