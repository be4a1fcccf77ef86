package session

import (
	"context"
	"errors"
	"time"

	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// Follow calls send, which sends requests and returns their traces, and adds what they
// cause in the programs beside the server to the recording. It waits until nothing that
// they caused is running or about to run, but no longer than limit after send. It returns a
// message.UsageError if there are no such programs. If send returns no recording, Follow
// does not either.
func (r *Running) Follow(ctx context.Context, limit time.Duration, send func() (*trace.Recording, error)) (*trace.Recording, error) {
	if !r.Cluster {
		return nil, message.UsageErrorf("nothing follows a request on a server without a control plane: start one with \"apitrace serve --control-plane\"")
	}
	following, err := collect.Follow(ctx, r.ClusterSockets, r.ProbeSockets, trace.NewTraceID(), r.options.Secrets)
	if err != nil {
		return nil, err
	}
	recording, sendErr := send()
	var requests []trace.Request
	complete := false
	if sendErr == nil && recording != nil {
		requests = recording.Requests
		complete, err = following.Await(ctx, requests, limit)
		if ctx.Err() != nil {
			err = deathOf(ctx) // after Ctrl-C, there is what was caused until then
		}
	}
	follow, check, endErr := following.End(context.WithoutCancel(ctx), requests, complete)
	if err := errors.Join(sendErr, err, endErr); err != nil || recording == nil {
		return nil, err
	}
	r.fetcher.addCheck(check)
	recording.Follow = follow
	return recording, nil
}

// reportFollow reports how much was caused, and what is still to come.
func reportFollow(f *trace.Follow, limit time.Duration, to Reporter) {
	to.Notice("the requests caused %d events in the control plane, and %d requests by it", len(f.Chains), len(f.Requests))
	if !f.Complete {
		to.Notice("after %v, not all that they caused was over", limit)
	}
	for _, p := range f.Pending {
		switch {
		case p.Due.IsZero():
			to.Notice("%s still has to work on %q (%s)", p.Process, p.Item, p.Queue)
		default:
			to.Notice("%s looks at %q again in %v (%s)", p.Process, p.Item, time.Until(p.Due).Round(time.Second), p.Queue)
		}
	}
}
