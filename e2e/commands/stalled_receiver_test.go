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

// badReceivers are OTLP receivers that accept no traces, by what they do instead.
func badReceivers(t testing.TB) map[string]string {
	t.Helper()
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) }))
	t.Cleanup(refusing.Close)
	breaking := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(breaking.Close)
	return map[string]string{"stalls": testenv.StalledReceiver(t), "refuses": refusing.URL, "breaks off": breaking.URL}
}

// doorsOf starts a server that sends traces to a receiver, and returns it with a door that is traced and one that is not.
func doorsOf(m *machine, endpoint string) (server *running, traced, untraced *door) {
	m.Helper()
	m.set("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
	server = m.start("serve", "--otlp")
	return server, newDoor(m, filepath.Join(filepath.Dir(filepath.Dir(server.line)), "traced.kubeconfig")), newDoor(m, server.line)
}

// TestReceiverDoesNotHoldClients checks that clients of the traced door get their answers whatever an OTLP receiver does, and that
// each request is counted. A client that waited for the receiver would wait ten seconds for each request.
func TestReceiverDoesNotHoldClients(t *testing.T) {
	t.Parallel()
	checkReceivers(t, "stalls")
}

// TestSlowReceiversDoNotHoldClients does the same with receivers that answer, but accept nothing.
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
			// Clients used to wait for traces that the receiver did not accept. Only the requests that had begun when the
			// first attempt failed may be traced in vain, and the later attempts.
			if inVain := counted["could not be sent"]; inVain > 40 || counted["sent"] > 0 {
				t.Errorf("of %d requests, %d were traced in vain:\n%s", n, inVain, said)
			}
			if !strings.Contains(said, "requests are not traced until the receiver accepts one") {
				t.Errorf("it does not say that the receiver takes nothing:\n%s", said)
			}
		})
	}
}

// BenchmarkRunTracedDoor measures answers through the traced door and through the other one, while the receiver accepts no traces. Parts
// alternate, so that a busy machine makes both doors slow.
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

// A door is one that 8 clients send requests to.
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
		// client-go shares the connections of equal configurations, which this makes differ.
		config.Proxy = func(*http.Request) (*url.URL, error) { return nil, nil }
		var err error
		if d.clients[i], err = rest.HTTPClientFor(config); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// send sends n requests, of all clients at the same time, and returns how long each took.
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

// p99 is how long all but 1 % took at most.
func p99(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[len(took)*99/100]
}

// counts are what the end of "serve --otlp" says of the requests.
var counts = regexp.MustCompile(`(?m)^(?:(sent) (\d+) requests.*|requests that were .*(could not be sent|in progress|accepted no traces): (\d+))$`)

// countedIn returns these numbers, by what stands before them.
func countedIn(notices string) map[string]int {
	counted := map[string]int{}
	for _, found := range counts.FindAllStringSubmatch(notices, -1) {
		counted[found[1]+found[3]], _ = strconv.Atoi(found[2] + found[4])
	}
	return counted
}
