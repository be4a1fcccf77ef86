package session

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/session/front"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/export"
)

// A receiver that is slow costs traces, and neither the server's clients nor whoever waits for the
// end: so much is queued, so long may sending one take, and so long is sent what is left at the end.
const (
	sendQueue   = 4 * atOnce
	sendTimeout = 10 * time.Second
	sendGrace   = 5 * time.Second
)

// A sampler traces some of the requests that come through a front, and sends their spans.
type sampler struct {
	rate    float64
	head    trace.Recording // of each request that is sent
	fetcher *fetcher
	session *Session
	// Front is where clients send the requests.
	Front *front.Front
	// Kubeconfig is the path of a kubeconfig for that, "" where there is none.
	Kubeconfig string
	// CAFile is the path of the certificate that the front shows to clients of a foreign server, "" if it
	// was given one.
	CAFile string
	dir    *program.RunDir // of CAFile; nil: there is none
	sender *export.Sender
	to     Reporter

	receiver receiver
	// requests were sent with spans; failed were traced and not sent; skipped and unwanted were chosen and
	// not traced.
	requests, spans, failed, skipped, unwanted atomic.Int64
}

// sample opens a front to the server whose requests are sampled: rate is the part of them that is
// traced. Requests come in as the administrator's. The caller calls Close.
func (r *Running) sample(ctx context.Context, rate float64, to Reporter) (*sampler, error) {
	s, err := startSampler(ctx, to, rate, newFetcher(r.Server, r.options.Secrets), newRecording(r.Server, "serve"), front.Options{
		Server: r.BaseURL, CAPEM: r.CAPEM, Token: r.AdminToken, KeepBody: r.options.Secrets.Hold,
	})
	if err != nil {
		return nil, err
	}
	s.Kubeconfig = filepath.Join(r.RunDir, "traced.kubeconfig")
	k := apiserver.Kubeconfig{Server: s.Front.URL, CAPEM: s.Front.CAPEM, User: apiserver.AdminUser, Token: s.Front.Token}
	if err := k.Write(s.Kubeconfig); err != nil {
		return nil, errors.Join(err, s.close(ctx))
	}
	return s, nil
}

// startSampler opens a front whose requests are sampled: rate is the part of them that is traced, head what
// every recording that is sent says of the server. It closes the fetcher. The caller calls Close.
func startSampler(ctx context.Context, to Reporter, rate float64, fetcher *fetcher, head trace.Recording, options front.Options) (*sampler, error) {
	sender, err := export.NewSender(ctx)
	if err != nil {
		return nil, err
	}
	s := &sampler{rate: rate, head: head, fetcher: fetcher, sender: sender, to: to}
	s.check(ctx)
	s.session = s.open(fetcher.fetch)
	options.Trace, options.Over = s.choose, s.session.Over
	if s.Front, err = front.Start(options); err != nil {
		return nil, errors.Join(err, sender.Close(ctx))
	}
	return s, nil
}

// check looks whether the receiver is there, for a second.
func (s *sampler) check(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, slowSend)
	defer cancel()
	if s.sender.Check(ctx) != nil {
		s.receiver.doubt()
	}
}

// open opens the session in which traces are fetched and sent.
func (s *sampler) open(fetch func(context.Context, trace.Sent) (*trace.Request, error)) *Session {
	return New(Options{
		Fetch: fetch, Wanted: s.receiver.given, Keep: s.send, Done: s.done,
		Queue: sendQueue, Dropped: func() { s.skipped.Add(1) }, Grace: sendGrace,
	})
}

// choose picks requests at random. No request waits for the tracing of another.
func (s *sampler) choose(context.Context) bool {
	if rand.Float64() >= s.rate {
		return false
	}
	if !s.session.hasRoom() {
		s.skipped.Add(1)
		return false
	}
	if !s.receiver.mayTrace(time.Now()) {
		s.unwanted.Add(1)
		return false
	}
	return true
}

// send sends the spans of a request. A receiver that is away costs spans, but not the server's
// clients, nor what is sent when it is back.
func (s *sampler) send(ctx context.Context, r *trace.Request) (trace.Place, error) {
	if !s.receiver.given(r.Start) {
		s.failed.Add(1)
		return trace.Place{}, nil
	}
	s.receiver.begin(time.Now())
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	rec := s.head
	rec.Requests = []trace.Request{*r}
	spans, err := s.sender.Send(ctx, &rec)
	s.spans.Add(int64(spans))
	if err == nil {
		s.requests.Add(1)
		if s.receiver.succeeded() {
			s.to.Notice("%s: the OTLP receiver takes traces again", time.Now().Format(time.TimeOnly))
		}
		return trace.Place{}, nil
	}
	s.failed.Add(1)
	if first, pause := s.receiver.failedAt(time.Now()); first {
		s.to.Notice("%s: a trace was not sent: %v; requests are not traced until the receiver takes one: the next attempt is in %v", time.Now().Format(time.TimeOnly), err, pause)
	}
	return trace.Place{}, nil
}

func (s *sampler) done(row Row) {
	if row.Err == nil {
		return
	}
	s.failed.Add(1)
	if errors.Is(row.Err, errGivenUp) || errors.Is(row.Err, errUnwanted) {
		return // Close says how many
	}
	s.to.Notice("%s: not traced: %s %s: %v", time.Now().Format(time.TimeOnly), row.Method, row.Path, row.Err)
}

// close ends what is still going on, sends what it can of the rest within a few seconds, and says
// what was sent and what was not.
func (s *sampler) close(ctx context.Context) error {
	frontErr := s.Front.Close()
	if n := s.session.backlog(); n > 0 {
		s.to.Notice("sending the traces of %d requests, for at most %v", n, sendGrace)
	}
	err := errors.Join(frontErr, s.session.Close())
	s.failed.Add(int64(s.session.backlog())) // whose end nobody waits for any more
	err = errors.Join(err, s.fetcher.Close(), s.closeSender(ctx))
	if s.dir != nil {
		err = errors.Join(err, s.dir.Close())
	}
	s.to.Notice("sent %d requests with %d spans by OTLP", s.requests.Load(), s.spans.Load())
	if n := s.failed.Load(); n > 0 {
		s.to.Notice("requests that were traced but could not be sent: %d", n)
	}
	if n := s.skipped.Load(); n > 0 {
		s.to.Notice("requests that were chosen but not traced, because too many were in progress: %d", n)
	}
	if n := s.unwanted.Load(); n > 0 {
		s.to.Notice("requests that were chosen but not traced, because the receiver took no traces: %d", n)
	}
	return err
}

// closeSender ends the connection to the receiver, who may not answer to that either.
func (s *sampler) closeSender(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), toHeed)
	defer cancel()
	if err := s.sender.Close(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}
