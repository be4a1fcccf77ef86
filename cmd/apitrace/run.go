package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/collect"
	"github.com/kubeapitrace/apitrace/trace"
)

// runOptions say what to replay, against which server, and what to do with the trace.
type runOptions struct {
	scenario string
	server   serverOptions
	delivery delivery
}

func newRunCommand(std *streams) *cobra.Command {
	o := &runOptions{}
	command := &cobra.Command{
		Use:   "run SCENARIO",
		Short: "Replay a scenario and show which code it runs through",
		Long: `Replay a scenario against a kube-apiserver of the wanted version and show the calls
that its traced requests made, in kube-apiserver and in etcd.

SCENARIO is a name that "apitrace scenarios" lists, or the path of a scenario file.
What is not yet built is built first: that takes minutes, once. If "apitrace serve"
keeps a server of that version running, it is used; else one is started and stopped.
The result goes to standard output, progress and notices to standard error.`,
		Example: `  # Which code runs when somebody reads a node?
  apitrace run get-node

  # The same on another version, saved for later
  apitrace run get-node --k8s v1.30.4 --save get-node.jsonl

  # A scenario of your own
  apitrace run ./mine.yaml`,
		Args:              oneArgument("the name of a scenario (see \"apitrace scenarios\") or the path of a scenario file"),
		ValidArgsFunction: completeScenario,
		RunE: func(c *cobra.Command, args []string) error {
			o.scenario = args[0]
			if err := errors.Join(o.delivery.validate(), o.server.validate()); err != nil {
				return err
			}
			return o.run(c.Context(), std)
		},
	}
	o.server.addFlags(command)
	o.server.addEtcdFlags(command)
	o.delivery.addFlags(command)
	return command
}

// completeScenario offers the names of the scenarios, and files.
func completeScenario(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	all, err := scenarios.List()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, s := range all {
		names = append(names, s.Name+"\t"+s.Title.En)
	}
	return names, cobra.ShellCompDirectiveDefault
}

// findScenario finds a scenario by its name or path; an unknown name is a wrong command line.
func findScenario(name string) (*scenarios.Scenario, error) {
	scenario, err := scenarios.Find(name)
	if errors.As(err, new(*scenarios.UnknownError)) {
		return nil, &usageError{err: err}
	}
	return scenario, err
}

// completeScenarioName offers the names of the scenarios alone, for a flag.
func completeScenarioName(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	names, _ := completeScenario(c, nil, typed)
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (o *runOptions) run(ctx context.Context, std *streams) error {
	return o.replay(ctx, std, func(recording *trace.Recording) error {
		return o.delivery.deliver(context.WithoutCancel(ctx), std, recording)
	})
}

// replay plays the scenario and hands over what was recorded, while the server still runs.
func (o *runOptions) replay(ctx context.Context, std *streams, deliver func(*trace.Recording) error) (err error) {
	scenario, err := findScenario(o.scenario)
	if err != nil {
		return err
	}
	if err := o.server.suits(scenario); err != nil {
		return err
	}
	var sample *program.Binary
	if scenario.Setup.Aggregated { // before any server waits for it
		if sample, err = o.server.buildSample(ctx, std, false); err != nil {
			return err
		}
	}
	if o.server.want(scenario); !o.server.extra.IsZero() {
		std.notice("scenario %q sets flags of kube-apiserver: starting one of its own for it", scenario.Name)
	}
	serving, server, stop, err := o.server.obtain(ctx, std)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()

	if err := refuseCluster(serving, server); err != nil {
		return err
	}
	if len(server.Edited) > 0 {
		scenario = scenario.AnyAnswer()
	}
	s := newReplay(server, scenario)
	s.sample = sample
	playErr := s.record(serving, std, o.server.boot)
	if playErr != nil && ctx.Err() == nil {
		playErr = o.server.blame(serving, server, playErr)
	}
	// What was recorded is shown also if the scenario did not go as it should, the server has died, or the user ended it.
	if len(s.recording.Requests) > 0 {
		if err := deliver(&s.recording); err != nil {
			return errors.Join(err, playErr)
		}
	}
	if ctx.Err() != nil {
		return playErr
	}
	return errors.Join(playErr, s.verdict(o.server.check, std))
}

// deathOf says why a server's context ended if it was not the user who ended it.
func deathOf(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, context.Canceled) || errors.As(cause, new(*signalError)) {
		return nil
	}
	return cause
}

// A replay plays a scenario and gathers its traces.
type replay struct {
	server   *apiserver.Server
	scenario *scenarios.Scenario
	// sample is the sample server, if it is known to be built.
	sample    *program.Binary
	recording trace.Recording
	// messages are what the server said of the traced requests that it did not do, "" for the others.
	messages []string
	// unmet says which expectations of the scenario the traces do not meet.
	unmet   []error
	fetcher *session.Fetcher
}

func newReplay(server *apiserver.Server, scenario *scenarios.Scenario) *replay {
	return &replay{server: server, scenario: scenario, fetcher: session.NewFetcher(server), recording: session.NewRecording(server, scenario.Name)}
}

// record makes the recording: of the server's start, which has the trace id boot, or of
// what the player does.
func (s *replay) record(ctx context.Context, std *streams, boot string) error {
	if s.scenario.Boots(apiserver.Name) {
		return s.boot(ctx, boot)
	}
	return s.play(ctx, std)
}

func (s *replay) play(ctx context.Context, std *streams) error {
	return s.playUntil(ctx, std, func() error { return nil })
}

// playUntil replays until the scenario is over, or traced, which is called when a trace
// was added to the recording, returns an error.
func (s *replay) playUntil(ctx context.Context, std *streams, traced func() error) error {
	defer s.fetcher.Close()
	player := newPlayer(s.server, std)
	player.Aggregate = func(ctx context.Context) (func(context.Context) error, error) { return s.aggregate(ctx, std) }
	return player.Play(ctx, s.scenario, func(ctx context.Context, r *scenarios.Request, sent *scenarios.Sent) error {
		if err := s.collect(ctx, r, sent); err != nil {
			return err
		}
		return traced()
	})
}

// newPlayer returns a player for a server that others may play against, too.
func newPlayer(server *apiserver.Server, std *streams) *scenarios.Player {
	return &scenarios.Player{
		BaseURL: server.BaseURL, CAPEM: server.CAPEM,
		AdminToken: server.AdminToken, UserTokens: server.PlayerTokens,
		LockFile: filepath.Join(server.RunDir, "player.lock"),
		Waiting:  func() { std.notice("waiting for another run against the same server") },
	}
}

// aggregate starts the sample server that the scenario asks for. Its start may be what
// the scenario traces.
func (s *replay) aggregate(ctx context.Context, std *streams) (stop func(context.Context) error, err error) {
	if s.sample == nil {
		if s.sample, err = (&serverOptions{k8s: s.server.K8sVersion}).buildSample(ctx, std, false); err != nil {
			return nil, err
		}
	}
	if !s.scenario.Boots(sampleserver.Name) {
		return s.startSample(ctx, apiserver.SampleOptions{Binary: s.sample})
	}
	boot := trace.NewTraceID()
	stop, err = s.startSample(ctx, apiserver.SampleOptions{Binary: s.sample, Boot: trace.Traceparent(boot)})
	if err != nil {
		return nil, err
	}
	if err := s.boot(ctx, boot); err != nil {
		return nil, errors.Join(err, stop(context.WithoutCancel(ctx)))
	}
	return stop, nil
}

func (s *replay) startSample(ctx context.Context, o apiserver.SampleOptions) (stop func(context.Context) error, err error) {
	sample, err := s.server.StartSample(ctx, o)
	if err != nil {
		return nil, err
	}
	s.fetcher.AddProbe(sampleserver.Name, sample.ProbeSocket)
	return sample.Stop, nil
}

// collect adds the trace of a request to the recording.
func (s *replay) collect(ctx context.Context, r *scenarios.Request, sent *scenarios.Sent) error {
	request, err := s.fetcher.Fetch(ctx, session.SentOf(sent))
	if err != nil {
		return err
	}
	s.add(request, &r.Expect)
	message := ""
	if sent.Status >= http.StatusBadRequest {
		message = sent.Message()
	}
	s.messages = append(s.messages, message)
	return nil
}

// boot makes the recording of the server's start, which has the given trace id.
func (s *replay) boot(ctx context.Context, traceID string) error {
	start, err := s.fetcher.Calls(ctx, collect.Sent{
		TraceID: traceID, Method: trace.MethodStart, Path: s.scenario.Boot.Program, Boot: true,
	})
	if err != nil {
		return err
	}
	s.add(start, &s.scenario.Boot.Expect)
	return nil
}

// add adds a trace to the recording, and looks whether it is what was expected.
func (s *replay) add(request *trace.Request, expect *scenarios.Expect) {
	s.recording.Requests = append(s.recording.Requests, *request)
	if s.server.ExternalEtcd {
		return // some of what is expected runs in etcd
	}
	if err := expect.Check(*request); err != nil {
		s.unmet = append(s.unmet, fmt.Errorf("%s %s: %w", request.Method, request.Path, err))
	}
}

// verdict is an error if the traces are not what they must be.
func (s *replay) verdict(checked bool, std *streams) error {
	if err := s.fetcher.Verdict(checked, std); err != nil {
		return err
	}
	if s.server.ExternalEtcd {
		std.notice("what the scenario expects of the trace was not checked: part of it runs in etcd, which is not traced")
	}
	if len(s.unmet) > 0 && len(s.server.Edited) > 0 {
		std.notice("upstream's server would have done otherwise: %v", errors.Join(s.unmet...))
		return nil
	}
	if len(s.unmet) > 0 {
		return fmt.Errorf("the trace is not what scenario %q expects of Kubernetes %s: %w",
			s.scenario.Name, s.server.K8sVersion, errors.Join(s.unmet...))
	}
	return nil
}
