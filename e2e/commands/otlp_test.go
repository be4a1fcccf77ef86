package commands

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kubeapitrace/apitrace/internal/authority"
)

// A receiver counts the spans of each trace that is sent to it.
type receiver struct {
	*httptest.Server
	mu    sync.Mutex
	spans map[string]int
}

func newReceiver(t *testing.T) *receiver {
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
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", r.URL)
	return r
}

// traces is how many have come.
func (r *receiver) traces() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.spans)
}

// awaitTraces waits until so many have come.
func (r *receiver) awaitTraces(t *testing.T, want int) {
	t.Helper()
	for range 200 {
		if r.traces() >= want {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if got := r.traces(); got != want {
		t.Errorf("%d traces were received, want %d", got, want)
	}
}

// checkWhole checks that each trace has come with the spans of a whole request.
func (r *receiver) checkWhole(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, spans := range r.spans {
		if spans < 100 {
			t.Errorf("the trace %s has %d spans, want those of a whole request", id, spans)
		}
	}
}

// TestServeSamples checks that "serve --otlp" sends the requests that come through its front, and no others, and that
// "front" does the same for a server that another program started.
func TestServeSamples(t *testing.T) {
	needsServer(t)
	received := newReceiver(t)
	proxy := newAuthority(t, "front-proxy")
	// With flags of its own it is no server that other tests would take for theirs.
	admin := start(t, "serve", "--otlp", "--", "--requestheader-client-ca-file="+proxy.ca, "--requestheader-allowed-names=front-proxy",
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
	door := start(t, "front", "--server", direct.Host, "--server-cafile", ca, "--probe", filepath.Join(filepath.Dir(admin), "probe.sock"), "--port", "0", "--otlp")
	behind := rest.CopyConfig(direct)
	behind.Host, behind.CAData, behind.CAFile = door.doorURL(t), nil, door.line
	get(t, behind, 2)
	received.awaitTraces(t, 7)
	byCertificate(t, direct, proxy, filepath.Join(filepath.Dir(admin), "probe.sock"))
	received.awaitTraces(t, 8)
	received.checkWhole(t)
}

// byCertificate sends a request of a user whom a certificate names, through a door that may speak
// for such users.
func byCertificate(t *testing.T, server *rest.Config, proxy *otlpAuthority, probe string) {
	t.Helper()
	users := newAuthority(t, "jane")
	serverCA := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(serverCA, server.CAData, 0o600); err != nil {
		t.Fatal(err)
	}
	door := start(t, "front", "--server", server.Host, "--server-cafile", serverCA, "--probe", probe, "--otlp",
		"--client-cafile", users.ca, "--proxy-client-cert-file", proxy.cert, "--proxy-client-key-file", proxy.key)
	client, err := rest.HTTPClientFor(&rest.Config{
		TLSClientConfig: rest.TLSClientConfig{CAFile: door.line, CertFile: users.cert, KeyFile: users.key},
	})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Get(door.doorURL(t) + "/api/v1/nodes")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusForbidden || !strings.Contains(string(body), `User \"jane\" cannot list`) {
		t.Errorf("answered %s: %s, %v, want that jane may not", answer.Status, body, err)
	}
}

// An authority has issued one certificate. All but made are paths of files.
type otlpAuthority struct {
	ca, cert, key string
	made          *authority.Authority
}

func newAuthority(t *testing.T, name string) *otlpAuthority {
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

// A running is a command of ours that runs until the end of the test.
type running struct {
	// line is its first line of output.
	line string
	// pid is its process.
	pid     int
	notices lockedBuffer
	// end asks the command to end, and waits until it has.
	end func()
}

// start starts a command and waits for its first line of output.
func start(t *testing.T, args ...string) *running {
	t.Helper()
	command := exec.Command("apitrace", args...)
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	r := &running{}
	command.Stderr = &r.notices
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	r.pid = command.Process.Pid
	r.end = sync.OnceFunc(func() {
		_ = command.Process.Signal(os.Interrupt)
		_ = command.Wait()
	})
	t.Cleanup(func() {
		r.end()
		if t.Failed() {
			t.Logf("apitrace %s:\n%s", strings.Join(args, " "), r.notices.String())
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("apitrace %s: %v\n%s", strings.Join(args, " "), err, r.notices.String())
	}
	r.line = strings.TrimSpace(line)
	return r
}

// doorURL is where a front says that it listens.
func (r *running) doorURL(t *testing.T) string {
	t.Helper()
	for range 100 { // its two outputs come independently
		if _, rest, found := strings.Cut(r.notices.String(), "requests to "); found {
			url, _, _ := strings.Cut(rest, " ")
			return url
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("the front does not say where it listens: %s", r.notices.String())
	return ""
}

// A lockedBuffer is written to by one goroutine and read by another.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func restConfig(t *testing.T, kubeconfig string) *rest.Config {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// get sends requests for the namespaces.
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
			t.Errorf("answered %s", answer.Status)
		}
	}
}
