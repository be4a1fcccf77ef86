package session

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// canFollow returns a message.UsageError if nothing runs beside the server, or if the guide
// does not know how events cause work in the release.
func (r *Running) canFollow() error {
	if !r.Cluster {
		return message.UsageErrorf("nothing follows a request on a server without a control plane: start one with \"apitrace serve --control-plane\"")
	}
	return checkFollow(r.K8sVersion)
}

// checkFollow returns a message.UsageError if the guide does not know how events cause work
// in a release.
func checkFollow(version string) error {
	guide, err := instrument.Load()
	if err != nil {
		return err
	}
	if queue := guide.Unlinked(version); queue != "" {
		return message.UsageErrorf("--follow: in %s, apitrace does not know how the queue %q passes on work: expected another release, such as %s", version, queue, apiserver.DefaultVersion)
	}
	return nil
}

// Follow calls send, which sends requests and returns their traces. It returns the events
// that they cause in the programs beside the server, and the requests that the programs send
// because of these events. It waits until nothing that they caused is running or about to run, but
// no longer than limit after send.
func (r *Running) Follow(ctx context.Context, limit time.Duration, send func() ([]trace.Request, error)) ([]trace.Request, error) {
	if err := r.canFollow(); err != nil {
		return nil, err
	}
	following, err := collect.Follow(ctx, r.ClusterSockets, r.ProbeSockets, trace.NewTraceID(), r.options.Secrets)
	if err != nil {
		return nil, err
	}
	requests, sendErr := send()
	if sendErr == nil {
		err = following.Await(ctx, requests, limit)
		if ctx.Err() != nil {
			err = deathOf(ctx) // after Ctrl-C, there is what was caused until then
		}
	}
	caused, check, endErr := following.End(context.WithoutCancel(ctx), requests)
	if err := errors.Join(sendErr, err, endErr); err != nil {
		return nil, err
	}
	r.fetcher.addCheck(check)
	return caused, nil
}

// reportCaused reports which parts may be missing, and which work is still queued.
func reportCaused(caused []trace.Request, to Reporter) {
	if len(caused) == 0 {
		to.Notice("nothing followed in the control plane: no program works because of these requests")
		return
	}
	for _, lack := range caused[0].Lacks() {
		to.Notice("%v", lack)
	}
	type work struct{ process, queue, item string }
	first := map[work]trace.Pending{} // a queue keeps only the first timer of an item
	for _, r := range caused {
		for _, p := range r.Pending {
			w := work{p.Process, p.Queue, p.Item}
			if known, ok := first[w]; !ok || p.Due.Before(known.Due) {
				first[w] = p
			}
		}
	}
	for _, p := range slices.SortedFunc(maps.Values(first), func(a, b trace.Pending) int { return a.Due.Compare(b.Due) }) {
		if p.Due.IsZero() {
			to.Notice("%s has not yet worked on %q (queue %s)", p.Process, p.Item, p.Queue)
		} else {
			to.Notice("%s looks at %q again in %v", p.Process, p.Item, time.Until(p.Due).Round(time.Second))
		}
	}
}
