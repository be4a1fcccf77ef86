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

// The limits are those of "apitrace serve --sample": see session/sampler.go.
const (
	fetches = 32
	queued  = 4 * fetches
)

// A collector chooses requests that are traced, and fetches their traces, as "apitrace serve --sample" does.
type collector struct {
	server *apiserver.Server
	// rate is the fraction of the requests that are traced. If keep is set, nobody fetches the traces. Both change only
	// while no request is under way.
	rate float64
	keep bool

	queue chan trace.Sent
	// pending counts the chosen requests whose traces were not fetched yet.
	pending atomic.Int64
	counts

	mu    sync.Mutex
	ids   []string // of the fetched traces
	first error    // of those in failed
}

// counts are the requests that were traced, those of which the trace was fetched, those that were chosen but not traced because
// too many were pending, and those of which the trace could not be fetched or is incomplete.
type counts struct{ traced, fetched, refused, failed atomic.Int64 }

// newCollector starts a collector, which ends with the test. At first it chooses nothing.
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
		wg.Wait() // the queue stays open: after a failure, clients may still be at work
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

// ended takes a request of which the client has read the answer, or has closed the watch.
func (c *collector) ended(sent trace.Sent) { c.queue <- sent } // has room for all that are pending

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

// drain waits until all traces were fetched.
func (c *collector) drain(tb testing.TB) {
	tb.Helper()
	testenv.Await(tb, "the traces of all requests are fetched", func() bool { return c.pending.Load() == 0 })
}

// A tracer sends the requests of a client, those that the collector chooses as traced ones.
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

// A body is that of an answer. It tells when the client has closed it.
type body struct {
	io.ReadCloser
	ended func()
}

// Close implements io.Closer.
func (b *body) Close() error {
	defer b.ended()
	return b.ReadCloser.Close()
}

// A collected is what a collector has counted up to a moment, and calls that the probes discarded.
type collected struct{ traced, fetched, refused, failed, discarded int64 }

func (c *collector) so(tb testing.TB) collected {
	return collected{c.traced.Load(), c.fetched.Load(), c.refused.Load(), c.failed.Load(), undelivered(tb, c.server)}
}

// add adds what was counted between two moments.
func (c *collected) add(before, after collected) {
	c.traced += after.traced - before.traced
	c.fetched += after.fetched - before.fetched
	c.refused += after.refused - before.refused
	c.failed += after.failed - before.failed
	c.discarded += after.discarded - before.discarded
}

// stillHeld returns how many fetched traces the probes hold again: what belongs to a request began after the fetch, and nobody
// would ever fetch it. Asking removes them.
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

// perSecond is a rate of requests.
func perSecond(requests int, in time.Duration) float64 { return float64(requests) / in.Seconds() }
