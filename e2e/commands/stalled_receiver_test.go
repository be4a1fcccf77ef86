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

// doorsOf starts a server that sends traces to a receiver. It returns the server, its
// traced door and its untraced door.
func doorsOf(m *machine, endpoint string) (server *running, traced, untraced *door) {
	m.Helper()
	m.set("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
	server = m.start("serve", "--otlp")
	return server, newDoor(m, filepath.Join(filepath.Dir(filepath.Dir(server.line)), "traced.kubeconfig")), newDoor(m, server.line)
}

// TestReceiverDoesNotHoldClients checks that clients of the traced door get their
// answers while the OTLP receiver stalls, and that each request is counted. If clients
// waited for the receiver, each request would take ten seconds.
func TestReceiverDoesNotHoldClients(t *testing.T) {
	t.Parallel()
	checkReceivers(t, "stalls")
}

// TestSlowReceiversDoNotHoldClients does the same with receivers that answer, but
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
			server, traced, _ := doorsOf(newMachine(t), endpoint)
			const n = 400
			answered := make(chan []time.Duration, 1)
			go func() { answered <- traced.send(t, n) }()
			testenv.Receive(t, "all requests are answered", answered)
			server.end()
			said := server.notices.String()
			counted := countedIn(said)
			if sum := counted["sent"] + counted["could not be sent"] + counted["in progress"] + counted["accepted no traces"]; sum != n {
				t.Errorf("of %d requests, %d are counted:\n%s", n, sum, said)
			}
			// Clients used to wait for traces that the receiver did not accept. Now
			// requests may be traced in vain only if they began before the first
			// attempt failed, or in the later attempts.
			if inVain := counted["could not be sent"]; inVain > 40 || counted["sent"] > 0 {
				t.Errorf("of %d requests, %d were traced in vain:\n%s", n, inVain, said)
			}
			if !strings.Contains(said, "requests are not traced until the receiver accepts one") {
				t.Errorf("it does not say that the receiver takes nothing:\n%s", said)
			}
		})
	}
}

// BenchmarkRunTracedDoor measures answers through the traced door and the untraced door
// while the receiver accepts no traces. The measurements alternate, so that a busy
// machine makes both doors slow.
func BenchmarkRunTracedDoor(b *testing.B) {
	for does, endpoint := range badReceivers(b) {
		b.Run(does, func(b *testing.B) {
			_, traced, untraced := doorsOf(newMachine(b), endpoint)
			var slow, fast []time.Duration
			for b.Loop() {
				slow, fast = append(slow, traced.send(b, 200)...), append(fast, untraced.send(b, 200)...)
			}
			b.ReportMetric(float64(p99(slow))/1e6, "ms/traced-p99")
			b.ReportMetric(float64(p99(fast))/1e6, "ms/untraced-p99")
		})
	}
}

// A door is an address with 8 clients that send requests to it.
type door struct {
	host    string
	clients [8]*http.Client
}

func newDoor(t testing.TB, kubeconfig string) *door {
	t.Helper()
	config := restConfig(t, kubeconfig)
	d := &door{host: config.Host}
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
func (d *door) send(t testing.TB, n int) []time.Duration {
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
					t.Errorf("%s, %v", answer.Status, err)
				}
				took[c] = append(took[c], time.Since(begun))
			}
		})
	}
	wg.Wait()
	return slices.Concat(took...)
}

// p99 returns the 99th percentile.
func p99(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[len(took)*99/100]
}

// counts matches the numbers of requests in the last messages of "serve --otlp".
var counts = regexp.MustCompile(`(?m)^(?:(sent) (\d+) requests.*|requests that were .*(could not be sent|in progress|accepted no traces): (\d+))$`)

// countedIn returns these numbers. The key is the text that names the number.
func countedIn(notices string) map[string]int {
	counted := map[string]int{}
	for _, found := range counts.FindAllStringSubmatch(notices, -1) {
		counted[found[1]+found[3]], _ = strconv.Atoi(found[2] + found[4])
	}
	return counted
}
