package session

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
)

// Run replays a scenario on a server with these options, and calls deliver with the
// recording while the server still runs. If the scenario fails, the server dies, or ctx
// ends, the recording is incomplete. Without any recorded request, deliver is not called.
// The error is the reason of a failure, or lists the traces' differences from the
// scenario's expectations.
func Run(ctx context.Context, o ServerOptions, scenario *scenarios.Scenario, to Reporter, deliver func(*trace.Recording) error) (err error) {
	if o, err = o.forScenario(scenario); err != nil {
		return err
	}
	sample, err := o.sampleFor(ctx, scenario, to) // first, because a running server would wait for the build
	if err != nil {
		return err
	}
	if !o.Extra.IsZero() {
		to.Notice("scenario %q sets flags of kube-apiserver, %s: starting a server only for it", scenario.Name, message.List(o.Extra.Flags))
	}
	serving, running, err := o.Obtain(ctx, to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, running.Close()) }()

	return running.replay(ctx, serving, o, scenario, sample, to, deliver)
}

// Replay replays the scenario with this name or path; see Run.
func (o ServerOptions) Replay(ctx context.Context, name string, to Reporter, deliver func(*trace.Recording) error) error {
	version, err := apiserver.ParseVersion(o.Version)
	if err != nil {
		return message.ToUsageError(err)
	}
	scenario, err := FindScenario(name, version)
	if err != nil {
		return err
	}
	return Run(ctx, o, scenario, to, deliver)
}

// replay replays a scenario as Run does. serving is the context from Obtain. sample is
// the sample server, or nil.
func (r *Running) replay(ctx, serving context.Context, o ServerOptions, scenario *scenarios.Scenario, sample *program.Binary, to Reporter, deliver func(*trace.Recording) error) error {
	if err := refuseCluster(serving, r.Server); err != nil {
		return err
	}
	s := newReplay(r.Server, scenario, sample, o.Secrets)
	if len(s.recording.Edited) > 0 {
		s.scenario = scenario.AnyAnswer()
	}
	playErr := s.record(serving, to, o.Boot)
	if playErr != nil && ctx.Err() == nil {
		playErr = r.blame(serving, playErr)
	}
	if len(s.recording.Requests) > 0 {
		if err := deliver(&s.recording); err != nil {
			return errors.Join(err, playErr)
		}
	}
	if ctx.Err() != nil {
		return playErr
	}
	return errors.Join(playErr, s.verdict(o.Check, to))
}

// errTraced ends a replay after the last traced request.
var errTraced = message.NewError("the last traced request was sent")

// RunTraced replays a scenario up to its last traced request, and ignores the scenario's
// expectations of traces. It also returns a message for each recorded request: the server's
// message if the server refused the request, else "".
func RunTraced(ctx context.Context, o ServerOptions, scenario *scenarios.Scenario, to Reporter) (_ *trace.Recording, messages []string, err error) {
	if o, err = o.forScenario(scenario); err != nil {
		return nil, nil, err
	}
	sample, err := o.sampleFor(ctx, scenario, to)
	if err != nil {
		return nil, nil, err
	}
	ctx, running, err := o.Obtain(ctx, to)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, running.Close()) }()
	s := newReplay(running.Server, scenario, sample, o.Secrets)
	if s.bootsAtOnce() {
		err := s.boot(ctx, o.Boot)
		return &s.recording, s.messages, err
	}
	s.life = o.Boot
	left := len(s.scenario.Traced())
	if scenario.Stop != nil {
		left++
	}
	err = s.playUntil(ctx, to, func() error {
		if left--; left == 0 {
			return errTraced
		}
		return nil
	})
	if ctx.Err() != nil {
		return nil, nil, errors.Join(deathOf(ctx), err)
	}
	if err != nil && !errors.Is(err, errTraced) { // a scenario may trace a start alone
		return nil, nil, err
	}
	return &s.recording, s.messages, nil
}

// A replay replays a scenario and collects its traces.
type replay struct {
	server   *apiserver.Server
	scenario *scenarios.Scenario
	// sample is the sample server, or nil if not needed.
	sample    *program.Binary
	recording trace.Recording
	// messages has, for each request of the recording, the server's message if the server
	// refused the request, else "".
	messages []string
	// unmet has an error for each unmet expectation.
	unmet   []error
	fetcher *fetcher
	// life is the trace id of the server's start, if the scenario traces its end.
	life string
	// own is set if the scenario traces the start or end of the user's server behind the
	// aggregator.
	own bool
	// following follows what the requests cause, or is nil.
	following *collect.Following
	// left is how many traced requests have not been collected.
	left int
}

func newReplay(server *apiserver.Server, scenario *scenarios.Scenario, sample *program.Binary, secrets collect.Secrets) *replay {
	s := &replay{server: server, scenario: scenario, sample: sample, fetcher: newFetcher(server, secrets), recording: newRecording(server, scenario.Name), left: len(scenario.Traced())}
	if server.Aggregated != nil && tracesLife(scenario) {
		s.scenario, s.own = ofOwn(scenario, server.Aggregated.Name), true
	}
	if sample != nil {
		s.recording.Edited = slices.Concat(s.recording.Edited, sample.Edited)
		s.recording.AddMore(sample.More...)
	}
	return s
}

// bootsAtOnce reports whether the scenario traces the start of a server that already
// runs when the replay begins.
func (s *replay) bootsAtOnce() bool {
	return s.scenario.Boots(apiserver.Name) || s.own && s.scenario.Boot != nil
}

// record records a server's start if bootsAtOnce reports true, else a replay. boot is the
// trace id of the server's start, or "".
func (s *replay) record(ctx context.Context, to Reporter, boot string) error {
	if s.bootsAtOnce() {
		return s.boot(ctx, boot)
	}
	s.life = boot
	return s.play(ctx, to)
}

func (s *replay) play(ctx context.Context, to Reporter) error {
	return s.playUntil(ctx, to, func() error { return nil })
}

// playUntil replays until the scenario ends or traced returns an error. traced is called
// after each trace is added.
func (s *replay) playUntil(ctx context.Context, to Reporter, traced func() error) error {
	defer s.fetcher.Close()
	defer s.stopFollowing(ctx)
	player := newPlayer(s.server, to)
	player.Before = s.follow
	player.Aggregate = func(ctx context.Context) (func(context.Context) error, error) { return s.aggregate(ctx, to) }
	player.Stop, player.Ending = s.ending(traced)
	if s.own {
		if err := s.reachOwn(ctx, player); err != nil {
			return err
		}
	}
	return player.Play(ctx, s.scenario, func(ctx context.Context, r *scenarios.Request, sent *scenarios.Sent) error {
		if err := s.collect(ctx, r, sent); err != nil {
			return err
		}
		return traced()
	})
}

// newPlayer returns a player that may share its server with others.
func newPlayer(server *apiserver.Server, to Reporter) *scenarios.Player {
	return &scenarios.Player{
		BaseURL: server.BaseURL, CAPEM: server.CAPEM,
		AdminToken: server.AdminToken, UserTokens: server.PlayerTokens,
		LockFile: filepath.Join(server.RunDir, "player.lock"),
		Gone:     server.Done(),
		Waiting:  func() { to.Notice("waiting for another run against the same server") },
	}
}

// aggregate starts the sample server that the scenario needs, and records the start if the
// scenario traces it. If the user's own server takes the place of the sample server,
// aggregate starts nothing.
func (s *replay) aggregate(ctx context.Context, to Reporter) (stop func(context.Context) error, err error) {
	if own := s.server.Aggregated; own != nil {
		to.Notice("%s takes the place of the sample server", own.Version)
		return func(context.Context) error { return nil }, nil
	}
	if len(s.sample.Edited) > 0 {
		to.Notice("THE SAMPLE SERVER IS CHANGED by your edits of %s (apitrace edit --list)", message.List(s.sample.Edited))
	}
	if !s.scenario.Boots(sampleserver.Name) {
		return s.startSample(ctx, apiserver.AggregatedOptions{Binary: s.sample})
	}
	boot := trace.NewTraceID()
	stop, err = s.startSample(ctx, apiserver.AggregatedOptions{Binary: s.sample, Boot: trace.Traceparent(boot)})
	if err != nil {
		return nil, err
	}
	if err := s.boot(ctx, boot); err != nil {
		return nil, errors.Join(err, stop(context.WithoutCancel(ctx)))
	}
	return stop, nil
}

func (s *replay) startSample(ctx context.Context, o apiserver.AggregatedOptions) (stop func(context.Context) error, err error) {
	sample, err := s.server.StartAggregated(ctx, o)
	if err != nil {
		return nil, err
	}
	s.fetcher.addProbe(sampleserver.Name, sample.ProbeSocket)
	return sample.Stop, nil
}

// collect adds a request's trace to the recording.
func (s *replay) collect(ctx context.Context, r *scenarios.Request, sent *scenarios.Sent) error {
	request, err := s.fetcher.fetch(ctx, sentOf(sent))
	if err != nil {
		return err
	}
	refusal := ""
	if sent.Status >= http.StatusBadRequest {
		refusal = answerOf(sent, s.fetcher.secrets)
	}
	s.add(request, refusal, &r.Expect)
	if s.left--; s.left == 0 && s.following != nil {
		return s.addCaused(ctx, cmp.Or(s.scenario.Follow.Limit, time.Minute))
	}
	return nil
}

// boot records a server's start. traceID is the trace id of the start.
func (s *replay) boot(ctx context.Context, traceID string) error {
	start, err := s.fetcher.calls(ctx, trace.Sent{
		TraceID: traceID, Method: trace.MethodStart, Path: s.scenario.Boot.Program, Boot: true,
	})
	if err != nil {
		return err
	}
	s.add(start, "", &s.scenario.Boot.Expect)
	return nil
}

// add adds a trace and compares it with the expectation. refusal is the server's message
// if the server refused the request, else "".
func (s *replay) add(request *trace.Request, refusal string, expect *scenarios.Expect) {
	s.recording.Requests = append(s.recording.Requests, *request)
	s.messages = append(s.messages, refusal)
	if s.server.ExternalEtcd {
		return // some expected calls run in etcd
	}
	if err := expect.Check(*request); err != nil {
		s.unmet = append(s.unmet, message.Errorf("%s %s: %w", request.Method, request.Path, err))
	}
}

// verdict returns an error if traces do not meet the expectations, or calls differ from
// the real stack.
func (s *replay) verdict(checked bool, to Reporter) error {
	if err := s.fetcher.verdict(checked, to); err != nil {
		return err
	}
	if s.server.ExternalEtcd {
		to.Notice("the expectations of the scenario were not checked: part of the trace is in etcd, which is not traced")
	}
	if len(s.unmet) > 0 && len(s.recording.Edited) > 0 {
		to.Notice("upstream's server would have behaved differently: %v", errors.Join(s.unmet...))
		return nil
	}
	if len(s.unmet) > 0 && s.scenario.Setup.Aggregated && s.server.Aggregated != nil {
		to.Notice("%s does not make the calls that the scenario expects of the sample server: %v", s.server.Aggregated.Version, errors.Join(s.unmet...))
		return nil
	}
	if len(s.unmet) > 0 && s.scenario.Lenient {
		to.Notice("Kubernetes %s does not do what scenario %q expects: %v", s.server.K8sVersion, s.scenario.Name, errors.Join(s.unmet...))
		return nil
	}
	if len(s.unmet) > 0 {
		return message.Errorf("the trace is not what scenario %q expects of Kubernetes %s: %w",
			s.scenario.Name, s.server.K8sVersion, errors.Join(s.unmet...))
	}
	return nil
}
