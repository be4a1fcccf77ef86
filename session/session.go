// Package session gathers the traces of the requests that a client program sends through a
// front: fetched from the probes as each request ends, written at once, and no more of them
// in memory than are being fetched.
//
// How traces are fetched and where they are kept is said by who opens the session.
package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/kubeapitrace/apitrace/session/collect"
	"github.com/kubeapitrace/apitrace/session/front"
	"github.com/kubeapitrace/apitrace/trace"
)

// atOnce is how many traces are fetched at a time. Each takes at least as long as a trace must
// be quiet to be over, mostly waiting: with so many, that bounds nothing. It is also how
// many may wait for their turn before new requests do.
const atOnce = 32

// fetchTimeout bounds the fetching of one trace, which a probe answers within 5 s.
const fetchTimeout = 20 * time.Second

// Options say what a session does with the requests.
type Options struct {
	// Fetch gets the trace of a request that is over. Required; called by several goroutines.
	Fetch func(context.Context, collect.Sent) (*trace.Request, error)
	// Keep takes each trace, one after the other. Its first error ends the session: what is
	// sent from then on is not traced. Required.
	Keep func(context.Context, *trace.Request) (trace.Place, error)
	// Done, if not nil, is told of each request, one after the other, after Keep.
	Done func(Row)
	// Failed, if not nil, is told that error of Keep at once.
	Failed func(error)
}

// A Session is open as long as its front is.
type Session struct {
	options Options
	slots   chan struct{}

	mu      sync.Mutex
	settled *sync.Cond // pending has become less, or err is set
	pending int        // requests that are over and not yet done
	err     error      // of Keep
}

// New opens a session.
func New(o Options) *Session {
	s := &Session{options: o, slots: make(chan struct{}, atOnce)}
	s.settled = sync.NewCond(&s.mu)
	return s
}

// Admit is for front.Options.Trace: it waits until there is room for one more trace, so that the
// probes never hold more than they can keep, and says whether the request is to be traced.
func (s *Session) Admit(ctx context.Context) bool {
	stop := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.settled.Broadcast()
	})
	defer stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.pending >= atOnce && s.err == nil && ctx.Err() == nil {
		s.settled.Wait()
	}
	return s.err == nil && ctx.Err() == nil
}

// HasRoom tells whether a request can be traced without waiting.
func (s *Session) HasRoom() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pending < atOnce && s.err == nil
}

// Over is for front.Options.Over: it fetches the trace while the client goes on.
func (s *Session) Over(x front.Exchange) {
	s.mu.Lock()
	s.pending++
	s.mu.Unlock()
	go s.gather(x)
}

// Close waits for the traces that are being fetched, and returns the error of Keep. The front
// has to be closed before.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.pending > 0 {
		s.settled.Wait()
	}
	return s.err
}

// gather fetches and keeps the trace of one request.
func (s *Session) gather(x front.Exchange) {
	s.slots <- struct{}{}
	defer func() { <-s.slots }()
	// Also the last requests before a Ctrl-C are fetched.
	ctx, cancel := context.WithTimeout(context.Background(), fetchTimeout)
	defer cancel()
	request, err := s.fetch(ctx, x)

	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.settled.Broadcast()
	s.pending--
	row := newRow(x, request, err)
	if err == nil && s.err == nil {
		if row.Place, err = s.options.Keep(ctx, request); err != nil {
			s.err = err
			if s.options.Failed != nil {
				s.options.Failed(err)
			}
		}
	}
	if s.options.Done != nil && s.err == nil {
		s.options.Done(row)
	}
}

func (s *Session) fetch(ctx context.Context, x front.Exchange) (*trace.Request, error) {
	if x.Err != nil && !x.HungUp {
		return nil, fmt.Errorf("%s %s was not answered: %w", x.Method, x.Path, x.Err)
	}
	request, err := s.options.Fetch(ctx, x.Sent)
	if err != nil {
		return nil, errors.Join(err, x.Err)
	}
	note(request, x)
	return request, nil
}

// note adds what only the front knows to the first call.
func note(request *trace.Request, x front.Exchange) {
	for name, value := range map[string]string{
		"user_agent.original":         x.UserAgent,
		"apitrace.client.traceparent": x.ClientTraceparent,
	} {
		if value == "" {
			continue
		}
		first := &request.Calls[0]
		if first.Attributes == nil {
			first.Attributes = map[string]string{}
		}
		first.Attributes[name] = value
	}
}
