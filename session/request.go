package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session/collect"
	"github.com/kubeapitrace/apitrace/trace"
)

// Send sends one traced request, as it is, and hangs up after the timeout. What went wrong with
// the answer is in Sent.Err.
func (r *Running) Send(ctx context.Context, h *scenarios.HTTP, timeout time.Duration, to Reporter) (*scenarios.Sent, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return newPlayer(r.Server, to).Send(ctx, h)
}

// Silence is an error if a request got no answer because the server gives none to any.
func (r *Running) Silence(ctx context.Context, sent *scenarios.Sent) error {
	if sent.Err == nil || sent.Status != 0 || ctx.Err() != nil {
		return nil
	}
	if err := r.Answers(ctx); errors.As(err, new(*apiserver.SilentError)) && ctx.Err() == nil {
		return fmt.Errorf("%s %s was not answered: %w", sent.Method, sent.Path, notReplaced(err))
	}
	return nil
}

// Record fetches the trace of a request that was sent, as a recording of that name.
func (r *Running) Record(ctx context.Context, name string, sent *scenarios.Sent) (*trace.Recording, error) {
	request, err := r.fetcher.Fetch(ctx, sentOf(sent))
	if err != nil {
		return nil, err
	}
	recording := newRecording(r.Server, name)
	recording.Requests = []trace.Request{*request}
	return &recording, nil
}

// Answer is what the server said of a request that was sent and that it did not do.
func (r *Running) Answer(sent *scenarios.Sent) string { return answerOf(sent, r.options.Secrets) }

func answerOf(sent *scenarios.Sent, secrets collect.Secrets) string {
	if secrets.Hidden(sent.Path) {
		return sent.Outcome()
	}
	return sent.FullMessage()
}

// Verdict is an error if the calls that Record has fetched differ from the real stack.
func (r *Running) Verdict(to Reporter) error { return r.fetcher.Verdict(r.options.Check, to) }
