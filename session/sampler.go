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

// A slow receiver costs traces, but delays neither the server's clients nor the sampler's
// end. These constants limit the queue, the traces that are sent at once, the time to
// send one, and the time to send the rest at the end.
const (
	sendQueue   = 4 * atOnce
	senders     = 4 // traces that are sent concurrently, because each takes long if the receiver is far away
	sendTimeout = 10 * time.Second
	sendGrace   = 5 * time.Second
)

// A sampler traces some of a front's requests, and sends their spans.
type sampler struct {
	rate    float64
	head    trace.Recording // describes the server in each recording that is sent
	fetcher *fetcher
	session *Session
	// Front is where clients send the requests.
	Front *front.Front
	// Kubeconfig is the path of the front's kubeconfig, or "".
	Kubeconfig string
	// CAFile is the path of the certificate that apitrace made for a foreign server's
	// front. With the user's certificate, it is "".
	CAFile string
	dir    *program.RunDir // folder of CAFile, or nil
	sender *export.Sender
	to     Reporter

	receiver receiver
	// requests counts the requests with sent traces, spans their spans. failed counts
	// unsent traces. skipped counts the chosen requests that were not traced because too
	// many were in progress. unwanted counts the chosen requests that were not traced
	// because the receiver accepted no traces.
	requests, spans, failed, skipped, unwanted atomic.Int64
	// untraced limits the reports of requests without a trace.
	untraced repeated
}

// sample opens a front to the server and traces a fraction, rate, of its requests. The
// front sends them as the administrator. The caller must call close.
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

// startSampler opens a front and traces a fraction, rate, of its requests. head describes
// the server in every sent recording. The sampler closes the fetcher. The caller must
// call close.
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

// check waits for the receiver's answer, at most slowSend.
func (s *sampler) check(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, slowSend)
	defer cancel()
	if s.sender.Check(ctx) != nil {
		s.receiver.doubt()
	}
}

// open opens the session that fetches and sends traces.
func (s *sampler) open(fetch func(context.Context, trace.Sent) (*trace.Request, error)) *Session {
	return New(Options{
		Fetch: fetch, Wanted: s.receiver.mayDeliver, Keep: s.send, Keepers: senders, Done: s.done,
		Queue: sendQueue, Dropped: func() { s.skipped.Add(1) }, Grace: sendGrace,
	})
}

// choose picks requests at random. If too many traces are in progress, it does not pick
// the request, rather than let it wait.
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

// send sends the spans of a request. While the receiver is away, spans are lost, but
// clients are not delayed. Later spans are sent once it is back.
func (s *sampler) send(ctx context.Context, r *trace.Request) (trace.Place, error) {
	if !s.receiver.mayDeliver(r.Start) {
		s.failed.Add(1)
		return trace.Place{}, nil
	}
	attempt := s.receiver.begin(time.Now())
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	rec := s.head
	rec.Requests = []trace.Request{*r}
	spans, err := s.sender.Send(ctx, &rec)
	s.spans.Add(int64(spans))
	if err == nil {
		s.requests.Add(1)
		if s.receiver.succeeded(attempt) {
			s.to.Notice("%s: the OTLP receiver accepts traces again", time.Now().Format(time.TimeOnly))
		}
		return trace.Place{}, nil
	}
	s.failed.Add(1)
	if first, pause := s.receiver.failedAt(attempt, time.Now()); first {
		s.to.Notice("%s: a trace was not sent: %v; requests are not traced until the receiver accepts one; the next attempt is in %v", time.Now().Format(time.TimeOnly), err, pause)
	}
	return trace.Place{}, nil
}

func (s *sampler) done(row Row) {
	if row.Err == nil {
		return
	}
	s.failed.Add(1)
	if errors.Is(row.Err, errGivenUp) || errors.Is(row.Err, errUnwanted) {
		return // close reports the number
	}
	n, each, sum := s.untraced.count()
	if each {
		s.to.Notice("%s: not traced: %s %s: %v", time.Now().Format(time.TimeOnly), row.Method, row.Path, row.Err)
	}
	if sum {
		s.to.Notice("%s: not traced: %d requests by now", time.Now().Format(time.TimeOnly), n)
	}
}

// close ends the open requests, sends as many of the remaining traces as it can within a
// few seconds, and reports how many were sent and how many were not.
func (s *sampler) close(ctx context.Context) error {
	frontErr := s.Front.Close()
	if n := s.session.backlog(); n > 0 {
		s.to.Notice("sending the traces of %d requests, for at most %v", n, sendGrace)
	}
	err := errors.Join(frontErr, s.session.Close())
	s.failed.Add(int64(s.session.backlog())) // close no longer waits for these
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
		s.to.Notice("requests that were chosen but not traced, because the receiver accepted no traces: %d", n)
	}
	return err
}

// closeSender closes the connection to the receiver. The receiver may fail to answer
// this, too.
func (s *sampler) closeSender(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelGrace)
	defer cancel()
	if err := s.sender.Close(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}
