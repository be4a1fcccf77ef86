package session

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session/collect"
	"github.com/kubeapitrace/apitrace/session/front"
	"github.com/kubeapitrace/apitrace/trace"
)

// atOnce is how many traces are fetched at a time. Each takes at least as long as a trace must
// be quiet to be over, so the fetching mostly waits. It is also how many may wait
// for their turn before new requests do, or are not traced.
const atOnce = 32

// fetchTimeout bounds the fetching of one trace, which a probe answers within 5 s.
const fetchTimeout = 20 * time.Second

// Options say what a session does with the requests.
type Options struct {
	// Fetch gets the trace of a request that is over. Required; called by several goroutines.
	Fetch func(context.Context, trace.Sent) (*trace.Request, error)
	// Wanted, if not nil, tells whether the trace of a request that began then is worth fetching. One that is
	// not has the Row.Err errUnwanted.
	Wanted func(start time.Time) bool
	// Keep takes each trace, one after the other. It may take its time: no request waits
	// for it other than in Admit. Its context ends when Close gives up. Its first
	// error ends the session: what is sent from then on is not traced. Required.
	Keep func(context.Context, *trace.Request) (trace.Place, error)
	// Done, if not nil, is told of each request, one after the other, after Keep.
	Done func(Row)
	// Failed, if not nil, is told that error of Keep at once.
	Failed func(error)
	// Queue, if not 0, is how many requests may be over and not yet kept. One more is not kept, and
	// Dropped is told, from the goroutine that serves the client: it must not wait.
	Queue   int
	Dropped func()
	// Grace is how long Close waits for traces that are being fetched and kept. Zero: as
	// long as that takes.
	Grace time.Duration
}

// errGivenUp is the Row.Err of a request whose trace was not kept when the session's grace was over.
var errGivenUp = message.NewError("the session ended before the trace was kept")

// errUnwanted is the Row.Err of a request whose trace was not fetched: see Options.Wanted.
var errUnwanted = message.NewError("nobody would take the trace")

// A Session is open as long as its front is.
type Session struct {
	options Options
	slots   chan struct{}
	// ctx ends when Close gives up.
	ctx    context.Context
	giveUp context.CancelFunc

	// keeping is held while Keep and Done run. Nobody who holds it needs room,
	// and nobody who asks for room needs it.
	keeping sync.Mutex

	mu      sync.Mutex
	settled *sync.Cond // pending has become less, or err is set
	pending int        // requests that are over and not yet done
	err     error      // of Keep
	closed  bool       // Close has given up
}

// New opens a session.
func New(o Options) *Session {
	s := &Session{options: o, slots: make(chan struct{}, atOnce)}
	s.ctx, s.giveUp = context.WithCancel(context.Background())
	s.settled = sync.NewCond(&s.mu)
	return s
}

// Admit is for front.Options.Trace: it waits until there is room for one more trace, so that the
// probes never hold more than they can keep, and says whether the request is to be traced.
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

// wakeWhenDone has those who wait for settled look again when ctx ends.
func (s *Session) wakeWhenDone(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.settled.Broadcast()
	})
}

// hasRoom tells whether a request can be traced without waiting.
func (s *Session) hasRoom() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pending < atOnce && s.err == nil
}

// Over is for front.Options.Over: it fetches the trace while the client goes on.
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

// backlog is the number of requests that are over and not yet kept.
func (s *Session) backlog() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pending
}

// Close waits for the traces that are being fetched and kept, up to the grace of the session,
// and returns the error of Keep. The front has to be closed before.
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
	last, cancel := context.WithTimeout(context.Background(), toHeed)
	defer cancel()
	err := s.drain(last)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return err
}

// toHeed is how long Fetch and Keep have to return once their context has ended.
const toHeed = time.Second

// drain waits until nothing is pending, or ctx ends, and returns the error of Keep.
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
	s.slots <- struct{}{} // until the trace is kept: it bounds how many are in memory
	defer func() { <-s.slots }()
	request, err := s.fetch(x)
	row := newRow(x, request, err)
	s.keeping.Lock()
	defer s.keeping.Unlock()
	if s.ended() {
		return
	}
	if row.Err == nil {
		if row.Err = s.keep(&row, request); s.ended() {
			return
		}
	}
	if s.options.Done != nil {
		s.options.Done(row)
	}
}

// settle counts a request as done.
func (s *Session) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending--
	s.settled.Broadcast()
}

// ended tells whether nothing is kept any more, and nobody told.
func (s *Session) ended() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err != nil || s.closed
}

// keep hands a trace to Keep. A trace that is at fault itself costs no other.
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

func (s *Session) fetch(x front.Exchange) (*trace.Request, error) {
	if x.Err != nil && !x.HungUp {
		return nil, message.Errorf("%s %s was not answered: %w", x.Method, x.Path, x.Err)
	}
	if s.ctx.Err() != nil {
		return nil, errGivenUp
	}
	if s.options.Wanted != nil && !s.options.Wanted(x.Start) {
		return nil, errUnwanted
	}
	sent := x.Sent
	sent.Values = collect.SecretValues(x.Body)
	// Also the last requests before a Ctrl-C are fetched.
	ctx, cancel := context.WithTimeout(s.ctx, fetchTimeout)
	defer cancel()
	request, err := s.options.Fetch(ctx, sent)
	if err != nil {
		return nil, errors.Join(err, x.Err)
	}
	note(request, x)
	return request, nil
}

// note adds what only the front knows to the first call.
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
