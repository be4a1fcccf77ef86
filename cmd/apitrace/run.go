package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/collect"
	"github.com/kubeapitrace/apitrace/sampleserver"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/storage"
	"github.com/kubeapitrace/apitrace/trace"
)

// runOptions say what to replay, against which server, and what to do with the trace.
type runOptions struct {
	scenario string
	server   serverOptions
	output   outputOptions
	save     string
	export   string
}

func newRunCommand(io *streams) *cobra.Command {
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
			if err := errors.Join(o.output.validate(), o.server.validate(), o.validateExport()); err != nil {
				return err
			}
			return o.run(c.Context(), io)
		},
	}
	o.server.addFlags(command)
	o.output.addFlags(command)
	command.Flags().StringVar(&o.save, "save", "", "save the trace to this file as OTLP JSON, for \"apitrace show\" and other viewers")
	command.Flags().StringVar(&o.export, "export", "", "send the trace as well: otlp, to where the OTEL_EXPORTER_OTLP_* variables say")
	_ = command.RegisterFlagCompletionFunc("export", cobra.FixedCompletions([]string{"otlp"}, cobra.ShellCompDirectiveNoFileComp))
	return command
}

func (o *runOptions) validateExport() error {
	if o.export != "" && o.export != "otlp" {
		return usageErrorf("unknown export %q: expected otlp", o.export)
	}
	return nil
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

func (o *runOptions) run(ctx context.Context, io *streams) (err error) {
	scenario, err := findScenario(o.scenario)
	if err != nil {
		return err
	}
	if err := o.server.suits(scenario); err != nil {
		return err
	}
	if err := checkSave(o.save); err != nil {
		return err
	}
	if scenario.Setup.Aggregated { // before any server waits for it
		if _, err := o.server.buildSample(ctx, io, false); err != nil {
			return err
		}
	}
	if o.server.want(scenario); !o.server.extra.IsZero() {
		io.notice("scenario %q sets flags of kube-apiserver: starting one of its own for it", scenario.Name)
	}
	serving, server, stop, err := o.server.obtain(ctx, io)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()

	s := newSession(server, scenario)
	playErr := s.replay(serving, io, o.server.boot)
	if ctx.Err() != nil {
		return playErr
	}
	if playErr != nil {
		playErr = o.server.blame(serving, server, playErr)
	}
	// What was recorded is shown also if the scenario did not go as it should, or the server has died.
	if len(s.recording.Requests) > 0 {
		if err := o.deliver(ctx, io, &s.recording); err != nil {
			return errors.Join(err, playErr)
		}
	}
	return errors.Join(playErr, s.verdict(o.server.check, io))
}

// checkSave tells before anything is built or run that a file cannot be written.
func checkSave(file string) error {
	if file == "" {
		return nil
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return usageErrorf("--save %s: that is a folder; name a file in it", file)
	}
	if info, err := os.Stat(filepath.Dir(file)); err != nil || !info.IsDir() {
		return usageErrorf("--save %s: there is no folder %s; make it first", file, filepath.Dir(file))
	}
	return nil
}

// deathOf says why a server's context ended if it was not the user who ended it.
func deathOf(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, context.Canceled) || errors.As(cause, new(*signalError)) {
		return nil
	}
	return cause
}

func (o *runOptions) deliver(ctx context.Context, io *streams, recording *trace.Recording) error {
	if o.save != "" {
		if err := trace.Save(ctx, o.save, recording); err != nil {
			return err
		}
		io.notice("saved to %s", o.save)
	}
	if err := o.output.write(ctx, io, recording); err != nil || o.export == "" {
		return err
	}
	return sendOTLP(ctx, io, recording)
}

// A session replays a scenario and gathers its traces.
type session struct {
	server *apiserver.Server
	// sockets are those of the probes, by the name of the program.
	sockets   map[string]string
	scenario  *scenarios.Scenario
	recording trace.Recording
	// unmet says which expectations of the scenario the traces do not meet.
	unmet   []error
	checked collect.Check
}

func newSession(server *apiserver.Server, scenario *scenarios.Scenario) *session {
	return &session{server: server, sockets: maps.Clone(server.ProbeSockets), scenario: scenario, recording: trace.Recording{
		Scenario: scenario.Name, K8sVersion: server.K8sVersion, EtcdVersion: server.EtcdVersion, Recorded: time.Now(),
	}}
}

// replay makes the recording: of the server's start, which has the trace id boot, or of
// what the player does.
func (s *session) replay(ctx context.Context, io *streams, boot string) error {
	if s.scenario.Boots(apiserver.Name) {
		return s.boot(ctx, boot)
	}
	return s.play(ctx, io)
}

func (s *session) play(ctx context.Context, io *streams) error {
	return s.playUntil(ctx, io, func() error { return nil })
}

// playUntil replays until the scenario is over, or traced, which is called when a trace
// was added to the recording, returns an error.
func (s *session) playUntil(ctx context.Context, io *streams, traced func() error) error {
	etcd, err := s.server.Etcd.Open()
	if err != nil {
		return err
	}
	defer etcd.Close()
	player := &scenarios.Player{
		BaseURL: s.server.BaseURL, CAPEM: s.server.CAPEM,
		AdminToken: s.server.AdminToken, UserToken: s.server.LearnerToken,
		LockFile: filepath.Join(s.server.RunDir, "player.lock"),
		Gone:     s.server.Done(),
		Waiting:  func() { io.notice("waiting for another run against the same server") },
		Aggregate: func(ctx context.Context) (func(context.Context) error, error) {
			return s.aggregate(ctx, io)
		},
	}
	return player.Play(ctx, s.scenario, func(ctx context.Context, r *scenarios.Request, sent *scenarios.Sent) error {
		if err := s.collect(ctx, etcd, r, sent); err != nil {
			return err
		}
		return traced()
	})
}

// aggregate starts the sample server that the scenario asks for. Its start may be what
// the scenario traces.
func (s *session) aggregate(ctx context.Context, io *streams) (stop func(context.Context) error, err error) {
	binary, err := (&serverOptions{k8s: s.server.K8sVersion}).buildSample(ctx, io, false)
	if err != nil {
		return nil, err
	}
	if !s.scenario.Boots(sampleserver.Name) {
		return s.startSample(ctx, apiserver.SampleOptions{Binary: binary})
	}
	boot := trace.NewTraceID()
	stop, err = s.startSample(ctx, apiserver.SampleOptions{Binary: binary, Boot: trace.Traceparent(boot)})
	if err != nil {
		return nil, err
	}
	if err := s.boot(ctx, boot); err != nil {
		return nil, errors.Join(err, stop(context.WithoutCancel(ctx)))
	}
	return stop, nil
}

func (s *session) startSample(ctx context.Context, o apiserver.SampleOptions) (stop func(context.Context) error, err error) {
	sample, err := s.server.StartSample(ctx, o)
	if err != nil {
		return nil, err
	}
	s.sockets[sampleserver.Name] = sample.ProbeSocket
	return sample.Stop, nil
}

// collect adds the trace of a request to the recording.
func (s *session) collect(ctx context.Context, etcd *storage.Reader, r *scenarios.Request, sent *scenarios.Sent) error {
	request, check, err := collect.Request(ctx, s.sockets, collect.Sent{
		TraceID: sent.TraceID, Method: sent.Method, Path: sent.Path, Status: sent.Status,
	})
	if err != nil {
		return err
	}
	if request.Stored, err = collect.Stored(ctx, etcd, request); err != nil {
		return err
	}
	s.add(request, check, &r.Expect)
	return nil
}

// boot makes the recording of the server's start, which has the given trace id.
func (s *session) boot(ctx context.Context, traceID string) error {
	start, check, err := collect.Request(ctx, s.sockets, collect.Sent{
		TraceID: traceID, Method: trace.MethodStart, Path: s.scenario.Boot.Program, Boot: true,
	})
	if err != nil {
		return err
	}
	s.add(start, check, &s.scenario.Boot.Expect)
	return nil
}

// add adds a trace to the recording, and looks whether it is what was expected.
func (s *session) add(request *trace.Request, check *collect.Check, expect *scenarios.Expect) {
	s.recording.Requests = append(s.recording.Requests, *request)
	s.checked.Calls = check.Calls
	s.checked.Mismatches = append(s.checked.Mismatches, check.Mismatches...)
	if err := expect.Check(*request); err != nil {
		s.unmet = append(s.unmet, fmt.Errorf("%s %s: %w", request.Method, request.Path, err))
	}
}

// verdict is an error if the traces are not what they must be.
func (s *session) verdict(checked bool, io *streams) error {
	if checked {
		io.notice("compared %d calls with the real stack: %d differ", s.checked.Calls, len(s.checked.Mismatches))
	}
	if len(s.checked.Mismatches) > 0 {
		return fmt.Errorf("recorded calls differ from the real stack:\n%s", strings.Join(s.checked.Mismatches, "\n"))
	}
	if len(s.unmet) > 0 {
		return fmt.Errorf("the trace is not what scenario %q expects of Kubernetes %s: %w",
			s.scenario.Name, s.server.K8sVersion, errors.Join(s.unmet...))
	}
	return nil
}
