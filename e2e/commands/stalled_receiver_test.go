package commands

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// badReceivers are OTLP receivers that accept no traces. The keys say what they do
// instead.
func badReceivers(t testing.TB) map[string]string {
	t.Helper()
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) }))
	t.Cleanup(refusing.Close)
	breaking := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(breaking.Close)
	return map[string]string{"stalls": testenv.StalledReceiver(t), "refuses": refusing.URL, "breaks off": breaking.URL}
}

// startClients starts a server that sends traces to a receiver. It returns the server,
// the clients of its front, which are traced, and the clients of kube-apiserver itself,
// which are not traced.
func startClients(m *machine, endpoint string) (server *running, traced, untraced *clientGroup) {
	m.Helper()
	m.set("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
	server = m.start("serve", "--otlp")
	return server, newClientGroup(m, filepath.Join(filepath.Dir(filepath.Dir(server.line)), "traced.kubeconfig")), newClientGroup(m, server.line)
}

// TestReceiverDoesNotHoldClients checks that clients of the front get their answers while
// the OTLP receiver stalls, and that each request is counted. If clients waited for the
// receiver, each request would take ten seconds.
func TestReceiverDoesNotHoldClients(t *testing.T) {
	t.Parallel()
	checkReceivers(t, "stalls")
}

// TestSlowReceiversDoNotHoldClients checks the same with receivers that do not stall, but
// accept nothing.
func TestSlowReceiversDoNotHoldClients(t *testing.T) {
	testenv.Slow(t)
	checkReceivers(t, "refuses", "breaks off")
}

func checkReceivers(t *testing.T, chosen ...string) {
	for does, endpoint := range badReceivers(t) {
		if !slices.Contains(chosen, does) {
			continue
		}
		t.Run(does, func(t *testing.T) {
			server, traced, _ := startClients(newMachine(t), endpoint)
			const n = 400
			answered := make(chan []time.Duration, 1)
			go func() { answered <- traced.send(t, n) }()
			testenv.Receive(t, "all requests are answered", answered)
			server.end()
			said := server.notices.String()
			counted := countedIn(said)
			if sum := counted["sent"] + counted["could not be sent"] + counted["in progress"] + counted["accepted no traces"]; sum != n {
				t.Errorf("of %d requests, %d are counted, expected all:\n%s", n, sum, said)
			}
			// A request is traced in vain if the receiver does not accept its trace. This
			// may happen only to requests that began before the first attempt to send
			// failed, and to the requests of later attempts.
			if inVain := counted["could not be sent"]; inVain > 40 || counted["sent"] > 0 {
				t.Errorf("of %d requests, %d were traced in vain, expected at most 40, and none sent:\n%s", n, inVain, said)
			}
			if !strings.Contains(said, "requests are not traced until the receiver accepts one") {
				t.Errorf("serve does not say that the receiver accepts nothing:\n%s", said)
			}
		})
	}
}

// BenchmarkRunTracedDoor measures the requests of traced and untraced clients while the
// receiver accepts no traces. The measurements alternate, so that a busy machine affects
// both.
func BenchmarkRunTracedDoor(b *testing.B) {
	for does, endpoint := range badReceivers(b) {
		b.Run(does, func(b *testing.B) {
			_, traced, untraced := startClients(newMachine(b), endpoint)
			var slow, fast []time.Duration
			for b.Loop() {
				slow, fast = append(slow, traced.send(b, 200)...), append(fast, untraced.send(b, 200)...)
			}
			b.ReportMetric(float64(p99(slow))/1e6, "ms/traced-p99")
			b.ReportMetric(float64(p99(fast))/1e6, "ms/untraced-p99")
		})
	}
}

// A clientGroup is a group of 8 clients that send requests to one address.
type clientGroup struct {
	host    string
	clients [8]*http.Client
}

func newClientGroup(t testing.TB, kubeconfig string) *clientGroup {
	t.Helper()
	config := restConfig(t, kubeconfig)
	d := &clientGroup{host: config.Host}
	for i := range d.clients {
		config := rest.CopyConfig(config)
		// client-go shares connections between equal configurations. The proxy function
		// makes them differ.
		config.Proxy = func(*http.Request) (*url.URL, error) { return nil, nil }
		var err error
		if d.clients[i], err = rest.HTTPClientFor(config); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// send sends n requests through all clients concurrently, and returns the time of each
// request.
func (d *clientGroup) send(t testing.TB, n int) []time.Duration {
	t.Helper()
	took := make([][]time.Duration, len(d.clients))
	var wg sync.WaitGroup
	for c, client := range d.clients {
		wg.Go(func() {
			for range n / len(d.clients) {
				begun := time.Now()
				answer, err := client.Get(d.host + "/api/v1/namespaces/default")
				if err != nil {
					t.Error(err)
					return
				}
				_, err = io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
				if err != nil || answer.StatusCode != http.StatusOK {
					t.Errorf("GET default: got the status %s and the error %v, expected 200", answer.Status, err)
				}
				took[c] = append(took[c], time.Since(begun))
			}
		})
	}
	wg.Wait()
	return slices.Concat(took...)
}

// p99 returns the 99th percentile. It sorts took.
func p99(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[len(took)*99/100]
}

// counts matches the numbers of requests in the last messages of "serve --otlp".
var counts = regexp.MustCompile(`(?m)^(?:(sent) (\d+) requests.*|requests that were .*(could not be sent|in progress|accepted no traces): (\d+))$`)

// countedIn returns the numbers that counts matches in notices. The key is the text that
// names the number, such as "could not be sent".
func countedIn(notices string) map[string]int {
	counted := map[string]int{}
	for _, found := range counts.FindAllStringSubmatch(notices, -1) {
		counted[found[1]+found[3]], _ = strconv.Atoi(found[2] + found[4])
	}
	return counted
}
