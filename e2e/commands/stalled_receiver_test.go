package commands

import (
	"fmt"
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

// TestReceiverDoesNotHoldClients: whatever an OTLP receiver does, the clients of the traced door get
// their answers about as fast as those of the untraced one, and each request is counted.
func TestReceiverDoesNotHoldClients(t *testing.T) {
	needsServer(t)
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) }))
	t.Cleanup(refusing.Close)
	breaking := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(breaking.Close)
	for i, receiver := range []struct{ does, endpoint string }{
		{"stalls", testenv.StalledReceiver(t)}, {"refuses", refusing.URL}, {"breaks off", breaking.URL},
	} {
		t.Run(receiver.does, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint)
			server := start(t, "serve", "--otlp", "--", fmt.Sprintf("--event-ttl=%ds", 5000+i))
			doors := map[string]*door{
				"untraced": newDoor(t, server.line),
				"traced":   newDoor(t, filepath.Join(filepath.Dir(filepath.Dir(server.line)), "traced.kubeconfig")),
			}
			n, within := 0, false
			for name, d := range doors { // connections, which are not what is measured
				if warm := len(d.send(t, len(d.clients))); name == "traced" {
					n += warm
				}
			}
			// Another program's burst of work may hit one of the doors, so there are some attempts. Their parts
			// alternate, so that a busy machine makes both doors slow.
			for attempt := 0; attempt < 3 && !within; attempt++ {
				took := map[string][]time.Duration{}
				const parts, all = 5, 1000
				for range parts {
					for name, d := range doors {
						took[name] = append(took[name], d.send(t, all/parts)...)
					}
				}
				n += all
				traced, untraced := p99(took["traced"]), p99(took["untraced"])
				t.Logf("a receiver that %s: p99 %v through the traced door, %v through the other: %.2f times", receiver.does, traced, untraced, float64(traced)/float64(untraced))
				within = traced <= 2*untraced
			}
			if !within {
				t.Error("p99 through the traced door is more than twice that of the untraced one, three times")
			}
			begun := time.Now()
			server.end()
			t.Logf("it stopped within %v", time.Since(begun))
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

// A door is one that 8 clients send requests to.
type door struct {
	host    string
	clients [8]*http.Client
}

func newDoor(t *testing.T, kubeconfig string) *door {
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
func (d *door) send(t *testing.T, n int) []time.Duration {
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
