package commands

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// stalledReceiver takes connections and what comes over them, and never answers.
func stalledReceiver(t *testing.T) (endpoint string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go io.Copy(io.Discard, conn)
		}
	}()
	return "http://" + listener.Addr().String()
}

// TestReceiverDoesNotHoldClients: whatever an OTLP receiver does, the clients of the traced door get
// their answers about as fast as those of the untraced one, and each request is counted.
func TestReceiverDoesNotHoldClients(t *testing.T) {
	needsServer(t)
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) }))
	t.Cleanup(refusing.Close)
	breaking := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(breaking.Close)
	for i, receiver := range []struct{ does, endpoint string }{
		{"stalls", stalledReceiver(t)}, {"refuses", refusing.URL}, {"breaks off", breaking.URL},
	} {
		t.Run(receiver.does, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint)
			server := start(t, "serve", "--otlp", "--", fmt.Sprintf("--event-ttl=%ds", 5000+i))
			const n = 1000
			untraced := p99(t, restConfig(t, server.line), n)
			traced := p99(t, restConfig(t, filepath.Join(filepath.Dir(filepath.Dir(server.line)), "traced.kubeconfig")), n)
			t.Logf("a receiver that %s: p99 %v, untraced %v", receiver.does, traced, untraced)
			// The tracing itself takes processor time, which a small machine lacks; what the receiver
			// took before were seconds.
			if traced > 2*untraced && traced > time.Second {
				t.Errorf("p99 through the traced door is %v, through the untraced one %v", traced, untraced)
			}
			begun := time.Now()
			server.end()
			t.Logf("it stopped within %v", time.Since(begun))
			if sum := countedIn(server.notices.String()); sum != n {
				t.Errorf("of %d requests, %d are counted:\n%s", n, sum, server.notices.String())
			}
		})
	}
}

// p99 sends requests from 8 clients at the same time, and returns how long all but 1 % took at most.
func p99(t *testing.T, config *rest.Config, n int) time.Duration {
	t.Helper()
	const clients = 8
	took := make([][]time.Duration, clients)
	var wg sync.WaitGroup
	for c := range clients {
		client, err := rest.HTTPClientFor(config)
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			for range n / clients {
				begun := time.Now()
				answer, err := client.Get(config.Host + "/api/v1/namespaces/default")
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
	all := slices.Sorted(slices.Values(slices.Concat(took...)))
	if len(all) == 0 {
		t.Fatal("no request was answered")
	}
	return all[len(all)*99/100]
}

// counts are what the end of "serve --otlp" says of the requests.
var counts = regexp.MustCompile(`(?m)^(?:sent (\d+) requests|requests that were .*: (\d+)$)`)

// countedIn sums the requests that were sent, failed and dropped.
func countedIn(notices string) (sum int) {
	for _, found := range counts.FindAllStringSubmatch(notices, -1) {
		n, _ := strconv.Atoi(strings.Join(found[1:], ""))
		sum += n
	}
	return sum
}
