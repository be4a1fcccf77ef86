package session

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/export"
)

type silent struct{}

func (silent) Notice(string, ...any)   {}
func (silent) Building() BuildReporter { return silent{} }
func (silent) Report(program.Event)    {}
func (silent) Close()                  {}

// samplerTo returns a sampler of all requests. Their traces are available at once.
func samplerTo(t *testing.T, endpoint string) *sampler {
	t.Helper()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
	sender, err := export.NewSender(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := &sampler{rate: 1, sender: sender, to: silent{}}
	s.session = s.open(func(_ context.Context, sent trace.Sent) (*trace.Request, error) { return traceOf(sent, 1), nil })
	return s
}

// TestSamplerNeverWaits checks that, whatever the receiver does, choosing a request
// and reporting its end take no time, the session ends, and each request is counted once.
func TestSamplerNeverWaits(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) }))
	defer refusing.Close()
	breaking := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer breaking.Close()
	taking := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer taking.Close()
	for name, endpoint := range map[string]string{"stalls": testenv.StalledReceiver(t), "refuses": refusing.URL, "breaks off": breaking.URL, "takes": taking.URL} {
		if name == "stalls" && testing.Short() {
			continue // takes the whole grace
		}
		s := samplerTo(t, endpoint)
		const n = 300
		// A request that waited for the receiver would wait for sendTimeout. The end
		// of the session would wait as long for each remaining request.
		ended := make(chan error, 1)
		go func() {
			for range n {
				if s.choose(t.Context()) {
					s.session.Over(exchange("/"))
				}
				time.Sleep(100 * time.Microsecond) // the pace of the requests
			}
			ended <- s.session.Close()
		}()
		if err := testenv.Receive(t, fmt.Sprintf("the session with a receiver that %s ends", name), ended); err != nil {
			t.Errorf("a receiver that %s: Close returned %v", name, err)
		}
		sent, failed, skipped := s.requests.Load(), s.failed.Load(), s.skipped.Load()+s.unwanted.Load()
		if sent+failed+skipped != n {
			t.Errorf("a receiver that %s: sent %d, failed %d, skipped %d: the sum is not %d", name, sent, failed, skipped, n)
		}
		// While the receiver accepts no traces, requests are not traced. Exceptions are
		// the trials of a second or two, and requests before the first failure.
		if name != "takes" && failed > atOnce+2 {
			t.Errorf("a receiver that %s: %d requests were traced and not sent, expected only the first requests and trials", name, failed)
		}
		if (sent > 0) != (name == "takes") {
			t.Errorf("a receiver that %s: sent %d requests, expected requests only for a receiver that takes them", name, sent)
		}
	}
}

// TestSamplerSendsConcurrently sends to a receiver that answers only when the maximum
// number of concurrent traces has arrived. All traces must arrive, and never more than the
// maximum at the same time.
func TestSamplerSendsConcurrently(t *testing.T) {
	var mu sync.Mutex
	arrived, most, open := 0, 0, 0
	together := make(chan struct{})
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		mu.Lock()
		arrived++
		open++
		most = max(most, open)
		gate := together
		if arrived%senders == 0 {
			close(gate)
			together = make(chan struct{})
		}
		mu.Unlock()
		select {
		case <-gate:
		case <-r.Context().Done(): // the sender has waited for sendTimeout
		}
		mu.Lock()
		open--
		mu.Unlock()
	}))
	defer receiver.Close()
	s := samplerTo(t, receiver.URL)
	const n = 3 * senders
	for range n {
		s.session.Over(exchange("/"))
	}
	testenv.Await(t, "the traces are sent", func() bool { return s.session.backlog() == 0 })
	if err := s.session.Close(); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if sent, failed := s.requests.Load(), s.failed.Load(); sent != n || failed != 0 || arrived != n || most != senders {
		t.Errorf("sent %d of %d traces, %d failed, %d arrived, at most %d at the same time; expected all of them, %d at the same time", sent, n, failed, arrived, most, senders)
	}
}

// TestBadRequestCostsItself checks that a trace.RequestError does not end the session.
func TestBadRequestCostsItself(t *testing.T) {
	var failed atomic.Int64
	var kept, untraced []string
	s := New(Options{
		Fetch: func(_ context.Context, sent trace.Sent) (*trace.Request, error) { return traceOf(sent, 1), nil },
		Keep: func(_ context.Context, r *trace.Request) (trace.Place, error) {
			if strings.Contains(r.Path, "bad") {
				return trace.Place{}, &trace.RequestError{Method: r.Method, Path: r.Path, Err: io.ErrUnexpectedEOF}
			}
			kept = append(kept, r.Path)
			return trace.Place{}, nil
		},
		Done: func(row Row) {
			if row.Err != nil {
				untraced = append(untraced, row.Path)
			}
		},
		Failed: func(error) { failed.Add(1) },
	})
	for _, path := range []string{"/1", "/bad", "/2", "/3"} {
		s.Over(exchange(path))
	}
	if err := s.Close(); err != nil || len(kept) != 3 || len(untraced) != 1 || untraced[0] != "/bad" || failed.Load() != 0 {
		t.Errorf("kept %v, not %v, and Close returned %v; expected that only /bad is not kept", kept, untraced, err)
	}
}
