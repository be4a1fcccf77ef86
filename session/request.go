package session

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
)

// Request sends one traced request unchanged, hangs up after the timeout, and returns the
// trace and the answer. The tree of calls does not show why there is no answer, or the
// server's error message and warnings, so Request reports them to to.
func (r *Running) Request(ctx context.Context, h *scenarios.HTTP, timeout time.Duration, to Reporter) (*trace.Recording, *scenarios.Sent, error) {
	limited := *h
	limited.Timeout = timeout
	sent, err := newPlayer(r.Server, to).Send(ctx, &limited)
	if err != nil {
		return nil, nil, err
	}
	recording, err := r.record(ctx, "request", sent)
	if ctx.Err() != nil {
		return nil, nil, errors.Join(deathOf(ctx), context.Cause(ctx))
	}
	if err != nil {
		return nil, nil, err
	}
	r.tell(sent, to)
	return recording, sent, nil
}

// record fetches a sent request's trace, as a recording with this name. If there is no
// trace because the server does not answer, or did not answer this request, the error
// says so.
func (r *Running) record(ctx context.Context, name string, sent *scenarios.Sent) (*trace.Recording, error) {
	if sent.Err != nil && sent.Status == 0 {
		if err := r.silence(ctx); err != nil {
			return nil, err
		}
	}
	request, err := r.fetcher.fetch(ctx, sentOf(sent))
	if err != nil {
		return nil, cmp.Or(r.silence(ctx), noAnswer(sent), err)
	}
	recording := newRecording(r.Server, name)
	recording.Requests = []trace.Request{*request}
	return &recording, nil
}

// silence returns an error if the server does not answer.
func (r *Running) silence(ctx context.Context) error {
	if err := r.Answers(ctx); errors.As(err, new(*apiserver.SilentError)) && ctx.Err() == nil {
		return notReplaced(err)
	}
	return nil
}

// noAnswer returns an error if a request was not answered.
func noAnswer(sent *scenarios.Sent) error {
	if sent.Err == nil || sent.Status != 0 {
		return nil
	}
	return message.Errorf("%s %s was not answered: %w", sent.Method, sent.Path, sent.Err)
}

// tell reports why there is no answer, the server's error message, and its warnings.
func (r *Running) tell(sent *scenarios.Sent, to Reporter) {
	passed := sent.Duration.Round(10 * time.Millisecond)
	switch {
	case errors.Is(sent.Err, context.DeadlineExceeded) && sent.Status != 0:
		to.Notice("hung up after %s: the answer, %d, went on", passed, sent.Status)
	case errors.Is(sent.Err, context.DeadlineExceeded):
		to.Notice("hung up after %s: there was no answer", passed)
	case sent.Err != nil:
		to.Notice("the answer broke off: %v", sent.Err)
	case sent.Status >= http.StatusBadRequest:
		to.Notice("the answer: %s", answerOf(sent, r.options.Secrets))
	}
	if r.options.Secrets.Hidden(sent.Path) {
		return // a warning may quote the object
	}
	warnings, _ := utilnet.ParseWarningHeaders(sent.Header.Values("Warning")) // malformed warnings are not reported
	for _, w := range warnings {
		to.Notice("warning: %s", w.Text)
	}
}

// answerOf returns the server's message about a refused request, or only the outcome if
// the message may hold secrets.
func answerOf(sent *scenarios.Sent, secrets collect.Secrets) string {
	if secrets.Hidden(sent.Path) {
		return sent.Outcome()
	}
	return sent.FullMessage()
}

// Verdict returns an error if fetched calls differ from the real stack.
func (r *Running) Verdict(to Reporter) error { return r.fetcher.verdict(r.options.Check, to) }
