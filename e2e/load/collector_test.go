package load

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
)

// fetches is the number of concurrent fetches, as in "apitrace serve --otlp". queued is
// the largest number of pending requests: with more, the collector does not trace.
// apitrace itself allows only 32 (atOnce in session/session.go).
const (
	fetches = 32
	queued  = 4 * fetches
)

// A collector chooses the requests to trace, and fetches their traces. It works like
// "apitrace serve --otlp", but allows more pending requests.
type collector struct {
	server *apiserver.Server
	// rate is the fraction of the requests that are traced. If keep is set, nobody
	// fetches the traces. Both change only while no request is in flight.
	rate float64
	keep bool

	queue chan trace.Sent
	// pending counts the chosen requests with traces that are not fetched yet.
	pending atomic.Int64
	counts

	mu    sync.Mutex
	ids   []string // ids of the fetched traces
	first error    // the first error of a failed fetch
}

// counts has numbers of requests. traced counts the traced requests, and fetched the
// requests with a fetched trace. refused counts the requests that were not traced because
// too many were pending. failed counts the requests with a trace that could not be fetched
// or is incomplete.
type counts struct{ traced, fetched, refused, failed atomic.Int64 }

// newCollector starts a collector that runs until the end of the test. At first it
// chooses no requests.
func newCollector(tb testing.TB, s *apiserver.Server) *collector {
	c := &collector{server: s, queue: make(chan trace.Sent, queued)}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for range fetches {
		wg.Go(func() {
			for {
				select {
				case sent := <-c.queue:
					c.fetch(ctx, sent)
				case <-ctx.Done():
					return
				}
			}
		})
	}
	tb.Cleanup(func() {
		cancel()
		wg.Wait() // the queue is not closed: after a failure, clients may still send to it
	})
	return c
}

func (c *collector) choose() bool {
	if rand.Float64() >= c.rate {
		return false
	}
	if !c.keep && c.pending.Add(1) > queued {
		c.pending.Add(-1)
		c.refused.Add(1)
		return false
	}
	c.traced.Add(1)
	return true
}

// ended takes a request after the client has read the answer or closed the watch.
func (c *collector) ended(sent trace.Sent) { c.queue <- sent } // does not block: the queue has room for all pending requests

func (c *collector) fetch(ctx context.Context, sent trace.Sent) {
	defer c.pending.Add(-1)
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	r, _, err := collect.Request(ctx, c.server.ProbeSockets, sent)
	if err == nil && len(r.Incomplete) > 0 {
		err = fmt.Errorf("%s %s: the trace is incomplete: %q", sent.Method, sent.Path, r.Incomplete)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.failed.Add(1)
		if c.first == nil {
			c.first = err
		}
		return
	}
	c.fetched.Add(1)
	c.ids = append(c.ids, sent.TraceID)
}

// drain waits until all traces have been fetched.
func (c *collector) drain(tb testing.TB) {
	tb.Helper()
	testenv.Await(tb, "the traces of all requests are fetched", func() bool { return c.pending.Load() == 0 })
}

// A tracer sends a client's requests. It marks the requests that the collector chooses
// as traced.
type tracer struct {
	collector *collector
	next      http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *tracer) RoundTrip(req *http.Request) (*http.Response, error) {
	if !t.collector.choose() {
		return t.next.RoundTrip(req)
	}
	sent := trace.Sent{TraceID: trace.NewTraceID(), Method: req.Method, Path: req.URL.RequestURI()}
	req = req.Clone(req.Context())
	req.Header.Set("Traceparent", trace.Traceparent(sent.TraceID))
	if t.collector.keep {
		return t.next.RoundTrip(req)
	}
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		t.collector.ended(sent)
		return nil, err
	}
	sent.Status = resp.StatusCode
	resp.Body = &body{ReadCloser: resp.Body, ended: sync.OnceFunc(func() { t.collector.ended(sent) })}
	return resp, nil
}

// A body is the body of an answer. It calls ended when the client closes it.
type body struct {
	io.ReadCloser
	ended func()
}

// Close implements io.Closer.
func (b *body) Close() error {
	defer b.ended()
	return b.ReadCloser.Close()
}

// A collected has a collector's counts at one moment, and the number of calls that the
// probes discarded.
type collected struct{ traced, fetched, refused, failed, discarded int64 }

func (c *collector) snapshot(tb testing.TB) collected {
	return collected{c.traced.Load(), c.fetched.Load(), c.refused.Load(), c.failed.Load(), undelivered(tb, c.server)}
}

// add adds the counts between two moments.
func (c *collected) add(before, after collected) {
	c.traced += after.traced - before.traced
	c.fetched += after.fetched - before.fetched
	c.refused += after.refused - before.refused
	c.failed += after.failed - before.failed
	c.discarded += after.discarded - before.discarded
}

// stillHeld returns how many fetched traces the probes hold again. Such a trace has
// calls that began after the fetch, so nobody would fetch them. Asking the probes
// removes them.
func (c *collector) stillHeld(tb testing.TB) int {
	tb.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	held := 0
	for name, socket := range c.server.ProbeSockets {
		for _, id := range c.ids {
			h, err := ask(tb.Context(), socket, id)
			if err != nil {
				tb.Fatalf("asking the probe of %s: %v", name, err)
			}
			if h.Calls > 0 {
				held++
			}
		}
	}
	return held
}

// perSecond returns the number of requests per second.
func perSecond(requests int, in time.Duration) float64 { return float64(requests) / in.Seconds() }
