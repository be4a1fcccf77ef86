package session

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// checkFollowing returns a message.UsageError if nothing runs beside a server, or if the guide
// does not know how events cause work in the release.
func checkFollowing(server *apiserver.Server) error {
	if !server.Cluster {
		return message.UsageErrorf("nothing follows a request on a server without a control plane: start one with \"apitrace serve --control-plane\"")
	}
	return CanFollow(server.K8sVersion)
}

// startFollowing begins to follow in the programs beside a server. The caller must call End.
func startFollowing(ctx context.Context, server *apiserver.Server, secrets collect.Secrets) (*collect.Following, error) {
	if err := checkFollowing(server); err != nil {
		return nil, err
	}
	return collect.Follow(ctx, server.ClusterSockets, server.ProbeSockets, trace.NewTraceID(), secrets)
}

// CanFollow returns a message.UsageError if the guide does not know how events cause work
// in a release.
func CanFollow(version string) error {
	guide, err := instrument.Load()
	if err != nil {
		return err
	}
	if queue := guide.Unlinked(version); queue != "" {
		return message.UsageErrorf("apitrace cannot follow requests in the control plane of %s, because it does not know how the queue %q passes on work: expected another release, such as %s", version, queue, apiserver.DefaultVersion)
	}
	return nil
}

// Follow calls send, which sends requests and returns their traces. It returns the events
// that they cause in the programs beside the server, and the requests that the programs send
// because of these events. It waits until nothing that they caused is running or about to run, but
// no longer than limit after send.
func (r *Running) Follow(ctx context.Context, limit time.Duration, send func() ([]trace.Request, error)) ([]trace.Request, error) {
	following, err := startFollowing(ctx, r.Server, r.options.Secrets)
	if err != nil {
		return nil, err
	}
	requests, sendErr := send()
	if sendErr != nil {
		limit = 0
	}
	caused, err := r.fetcher.caused(ctx, following, requests, limit)
	if err := errors.Join(sendErr, err); err != nil {
		return nil, err
	}
	return caused, nil
}

// caused waits as Follow does, and ends to follow. It returns what the requests caused.
func (f *fetcher) caused(ctx context.Context, following *collect.Following, requests []trace.Request, limit time.Duration) ([]trace.Request, error) {
	err := following.Await(ctx, requests, limit)
	if ctx.Err() != nil {
		err = deathOf(ctx) // after Ctrl-C, there is what was caused until then
	}
	caused, check, endErr := following.End(context.WithoutCancel(ctx), requests)
	if err := errors.Join(err, endErr); err != nil {
		return nil, err
	}
	f.addCheck(check)
	if f.etcd == nil {
		return caused, nil
	}
	etcd, err := f.etcd()
	if err != nil {
		return nil, err
	}
	for i := range caused {
		if caused[i].Stored, err = etcd.Stored(context.WithoutCancel(ctx), &caused[i]); err != nil {
			return nil, err
		}
	}
	return caused, nil
}

// follow begins to follow, if the scenario asks for it and this is its first traced request.
func (s *replay) follow(ctx context.Context) (err error) {
	if s.scenario.Follow != nil && s.following == nil {
		s.following, err = startFollowing(ctx, s.server, s.fetcher.secrets)
	}
	return err
}

// addCaused adds what the traced requests of the scenario have caused, and compares it with
// the expectation: the calls in the order of their time, whatever caused them. limit is how
// long to wait.
func (s *replay) addCaused(ctx context.Context, limit time.Duration) error {
	following := s.following
	s.following = nil
	caused, err := s.fetcher.caused(ctx, following, s.recording.Requests, limit)
	if err != nil {
		return err
	}
	all := trace.Request{}
	for i := range caused {
		s.recording.Requests = append(s.recording.Requests, caused[i])
		s.messages = append(s.messages, "")
		for _, call := range caused[i].Calls {
			call.StartNs += caused[i].Start.Sub(caused[0].Start).Nanoseconds()
			all.Calls = append(all.Calls, call)
		}
		all.Stored = append(all.Stored, caused[i].Stored...)
		for _, lack := range caused[i].Lacks() {
			s.unmet = append(s.unmet, message.Errorf("what the requests cause: %v", lack))
		}
	}
	slices.SortStableFunc(all.Calls, func(a, b trace.Call) int { return cmp.Compare(a.StartNs, b.StartNs) })
	if err := s.scenario.Follow.Expect.Check(all); err != nil {
		s.unmet = append(s.unmet, message.Errorf("what the requests cause: %w", err))
	}
	return nil
}

// stopFollowing ends to follow after an error.
func (s *replay) stopFollowing(ctx context.Context) {
	if s.following != nil {
		_, _, _ = s.following.End(context.WithoutCancel(ctx), nil)
	}
}
