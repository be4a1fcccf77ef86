package session

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session/front"
	"github.com/kubeapitrace/apitrace/trace"
)

// atOnce is how many traces are fetched concurrently. Fetching mostly waits until a trace
// has been quiet long enough to count as complete. With this many pending requests, new
// ones wait, or are not traced.
const atOnce = 32

// fetchTimeout limits how long fetching one trace may take. A probe answers within
// five seconds.
const fetchTimeout = 20 * time.Second

// Options say how a session handles requests.
type Options struct {
	// Fetch gets an ended request's trace. It is called concurrently. Required.
	Fetch func(context.Context, trace.Sent) (*trace.Request, error)
	// Wanted, if not nil, reports whether to fetch the trace of a request that began at
	// start. If not, the request's Row.Err is errUnwanted.
	Wanted func(start time.Time) bool
	// Keep receives each trace. It may be slow: requests wait for it only in Admit. Its
	// context ends when Close gives up. Its first error ends the session: no more
	// requests are traced. Required.
	Keep func(context.Context, *trace.Request) (trace.Place, error)
	// Keepers is how many calls of Keep may run concurrently. 0 means one.
	Keepers int
	// Done, if not nil, is called with each request after Keep, one at a time.
	Done func(Row)
	// Failed, if not nil, is called at once with Keep's error that ends the session.
	Failed func(error)
	// Queue, if not 0, limits the number of requests that have ended but are not yet
	// kept. A request above the limit is not kept; Dropped is called instead. Dropped
	// must not block, because it runs in the goroutine that serves the client.
	Queue   int
	Dropped func()
	// Grace is how long Close waits for traces that are being fetched and kept. Zero
	// means no limit.
	Grace time.Duration
}

// errGivenUp is the Row.Err of a request if its trace was not kept before the
// session's grace ended.
var errGivenUp = message.NewError("the session ended before the trace was kept")

// errUnwanted is the Row.Err of a request that Options.Wanted rejected.
var errUnwanted = message.NewError("the trace was not fetched, because the receiver accepts no traces")

// A Session fetches and keeps the traces of a front's requests.
type Session struct {
	options Options
	slots   chan struct{}
	// keepers limits the concurrent calls of Keep. A goroutine takes a place in slots,
	// then one in keepers, and then waits for no other. So the two limits cannot cause a
	// deadlock.
	keepers chan struct{}
	// ctx ends when Close gives up.
	ctx    context.Context
	giveUp context.CancelFunc

	// reporting is held while Done runs.
	reporting sync.Mutex

	mu      sync.Mutex
	settled *sync.Cond // signals that pending has decreased or err is set
	pending int        // requests that have ended and are not yet kept or given up
	err     error      // the error of Keep that ended the session
	closed  bool       // Close has given up
}

// New opens a session.
func New(o Options) *Session {
	s := &Session{options: o, slots: make(chan struct{}, atOnce), keepers: make(chan struct{}, max(o.Keepers, 1))}
	s.ctx, s.giveUp = context.WithCancel(context.Background())
	s.settled = sync.NewCond(&s.mu)
	return s
}

// Admit is for front.Options.Trace. It waits until there is room for one more trace, so
// that the probes do not hold too many traces. It reports whether to trace the request.
func (s *Session) Admit(ctx context.Context) bool {
	stop := s.wakeWhenDone(ctx)
	defer stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.pending >= atOnce && s.err == nil && ctx.Err() == nil {
		s.settled.Wait()
	}
	return s.err == nil && ctx.Err() == nil
}

// wakeWhenDone wakes the goroutines that wait for settled when ctx ends.
func (s *Session) wakeWhenDone(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.settled.Broadcast()
	})
}

// hasRoom reports whether a request can be traced without waiting.
func (s *Session) hasRoom() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pending < atOnce && s.err == nil
}

// Over is for front.Options.Over. It starts to fetch the trace and returns at once.
func (s *Session) Over(x front.Exchange) {
	s.mu.Lock()
	full := s.options.Queue > 0 && s.pending >= s.options.Queue
	if !full {
		s.pending++
	}
	s.mu.Unlock()
	if full {
		s.options.Dropped()
		return
	}
	go s.gather(x)
}

// backlog counts the requests that have ended and are not yet kept.
func (s *Session) backlog() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pending
}

// Close waits for the traces that are being fetched and kept, at most for Options.Grace,
// and returns Keep's error. The caller must close the front first.
func (s *Session) Close() error {
	defer s.giveUp()
	if s.options.Grace == 0 {
		return s.drain(context.Background())
	}
	graceful, cancel := context.WithTimeout(context.Background(), s.options.Grace)
	defer cancel()
	if err := s.drain(graceful); graceful.Err() == nil {
		return err
	}
	s.giveUp()
	last, cancel := context.WithTimeout(context.Background(), cancelGrace)
	defer cancel()
	err := s.drain(last)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return err
}

// cancelGrace is how long Fetch and Keep may outlast their context.
const cancelGrace = time.Second

// drain waits until nothing is pending, or ctx ends, and returns Keep's error.
func (s *Session) drain(ctx context.Context) error {
	stop := s.wakeWhenDone(ctx)
	defer stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.pending > 0 && ctx.Err() == nil {
		s.settled.Wait()
	}
	return s.err
}

// gather fetches and keeps the trace of one request.
func (s *Session) gather(x front.Exchange) {
	defer s.settle()
	s.slots <- struct{}{} // held until the trace is kept, which limits the traces in memory
	defer func() { <-s.slots }()
	request, err := s.fetch(x)
	row := newRow(x, request, err)
	s.keepers <- struct{}{}
	defer func() { <-s.keepers }()
	if s.ended() {
		return
	}
	if row.Err == nil {
		if row.Err = s.keep(&row, request); s.ended() {
			return
		}
	}
	if s.options.Done != nil {
		s.reporting.Lock()
		defer s.reporting.Unlock()
		s.options.Done(row)
	}
}

// settle counts a request as settled.
func (s *Session) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending--
	s.settled.Broadcast()
}

// ended reports whether the session keeps no more traces and makes no more calls of Done.
func (s *Session) ended() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err != nil || s.closed
}

// keep passes a trace to Keep. A trace.RequestError concerns only that trace and does
// not end the session.
func (s *Session) keep(row *Row, request *trace.Request) (err error) {
	if s.ctx.Err() != nil {
		return errGivenUp
	}
	row.Place, err = s.options.Keep(s.ctx, request)
	if err == nil || errors.As(err, new(*trace.RequestError)) {
		return err
	}
	s.mu.Lock()
	s.err = err
	s.mu.Unlock()
	if s.options.Failed != nil {
		s.options.Failed(err)
	}
	return err
}

// fetch gets a request's trace. A request without an answer may have a trace, for example
// if the server cut the connection after a panic.
func (s *Session) fetch(x front.Exchange) (*trace.Request, error) {
	if s.ctx.Err() != nil {
		return nil, errGivenUp
	}
	if s.options.Wanted != nil && !s.options.Wanted(x.Start) {
		return nil, errUnwanted
	}
	sent := x.Sent
	sent.Values = collect.SecretValues(x.Body)
	// The last requests before a Ctrl-C are fetched, too.
	ctx, cancel := context.WithTimeout(s.ctx, fetchTimeout)
	defer cancel()
	request, err := s.options.Fetch(ctx, sent)
	if err != nil && x.Err != nil && !x.HungUp {
		return nil, message.Errorf("%s %s was not answered: %w", x.Method, x.Path, x.Err)
	}
	if err != nil {
		return nil, errors.Join(err, x.Err)
	}
	note(request, x)
	return request, nil
}

// note adds the attributes that only the front knows to the first call.
func note(request *trace.Request, x front.Exchange) {
	for name, value := range map[string]string{
		"user_agent.original":       x.UserAgent,
		trace.AttrClientTraceparent: x.ClientTraceparent,
	} {
		if value == "" {
			continue
		}
		first := &request.Calls[0]
		if first.Attributes == nil {
			first.Attributes = map[string]string{}
		}
		first.Attributes[name] = trace.KeepableText(value)
	}
}
