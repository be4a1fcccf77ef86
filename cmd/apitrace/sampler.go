package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/front"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/export"
)

// sampleOptions say which requests of a server's clients are traced, and that their spans are sent.
type sampleOptions struct {
	otlp bool
	rate float64
}

func (o *sampleOptions) addFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.BoolVar(&o.otlp, "otlp", false, "trace requests of clients and send the spans by OTLP, to where the OTEL_EXPORTER_OTLP_* variables say")
	flags.Float64Var(&o.rate, "sample", 1, "which part of the requests --otlp traces, chosen at random: 0.01 for one of a hundred")
}

func (o *sampleOptions) validate() error {
	if o.rate <= 0 || o.rate > 1 {
		return usageErrorf("--sample %v: expected a number greater than 0 and at most 1, such as 0.01", o.rate)
	}
	if o.rate != 1 && !o.otlp {
		return usageErrorf("--sample chooses what --otlp sends: give both")
	}
	return nil
}

// A sampler traces some of the requests that come through a front, and sends their spans.
type sampler struct {
	rate    float64
	head    trace.Recording // of each request that is sent
	fetcher *fetcher
	session *session.Session
	front   *front.Front
	sender  *export.Sender
	std     *streams

	requests, spans, failed, skipped atomic.Int64
	lastFailed                       atomic.Bool
}

// startSampler opens a front whose requests are sampled. The caller calls close.
func startSampler(ctx context.Context, std *streams, rate float64, fetcher *fetcher, head trace.Recording, door front.Options) (*sampler, error) {
	sender, err := export.NewSender(ctx)
	if err != nil {
		return nil, err
	}
	s := &sampler{rate: rate, head: head, fetcher: fetcher, sender: sender, std: std}
	s.session = session.New(session.Options{Fetch: fetcher.fetch, Keep: s.send, Done: s.done})
	door.Trace, door.Over = s.choose, s.session.Over
	if s.front, err = front.Start(door); err != nil {
		return nil, errors.Join(err, sender.Close(ctx))
	}
	return s, nil
}

// choose picks requests at random. No request waits for the tracing of another.
func (s *sampler) choose(context.Context) bool {
	if rand.Float64() >= s.rate {
		return false
	}
	if !s.session.HasRoom() {
		s.skipped.Add(1)
		return false
	}
	return true
}

// send sends the spans of a request. A receiver that is away costs spans, but not the server's
// clients, nor what is sent when it is back.
func (s *sampler) send(ctx context.Context, r *trace.Request) (trace.Place, error) {
	rec := s.head
	rec.Requests = []trace.Request{*r}
	spans, err := s.sender.Send(ctx, &rec)
	s.spans.Add(int64(spans))
	if err == nil {
		s.requests.Add(1)
		s.lastFailed.Store(false)
		return trace.Place{}, nil
	}
	s.failed.Add(1)
	if !s.lastFailed.Swap(true) {
		s.std.notice("%s: a trace was not sent: %v", time.Now().Format(time.TimeOnly), err)
	}
	return trace.Place{}, nil
}

func (s *sampler) done(row session.Row) {
	if row.Err == nil {
		return
	}
	s.failed.Add(1)
	s.std.notice("%s: not traced: %s %s: %v", time.Now().Format(time.TimeOnly), row.Method, row.Path, row.Err)
}

// close ends what is still going on, sends the rest, and says what was sent.
func (s *sampler) close(ctx context.Context) error {
	err := errors.Join(s.front.Close(), s.session.Close(), s.fetcher.close(), s.sender.Close(ctx))
	s.std.notice("sent %d requests with %d spans by OTLP", s.requests.Load(), s.spans.Load())
	if n := s.failed.Load(); n > 0 {
		s.std.notice("requests that were traced and could not be sent: %d", n)
	}
	if n := s.skipped.Load(); n > 0 {
		s.std.notice("requests that were chosen and not traced, because too many were being traced: %d", n)
	}
	return err
}
