package session

import (
	"context"
	"errors"

	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// RecordScenario replays a scenario and returns the recording. It fails if the traces lack what the scenario expects. It uses the
// running server, or starts another one if the scenario needs one of its own or if running is nil.
//
// Background work of the server changes a few of many traces. So RecordScenario replays until a trace occurs for the second time, except for a
// start or an end of the server, and for a scenario that declares what varies.
func (o ServerOptions) RecordScenario(ctx context.Context, running *Running, scenario *scenarios.Scenario, to Reporter) (_ *trace.Recording, err error) {
	o = o.forScenario(scenario)
	sample, err := o.sampleFor(ctx, scenario, to) // before a server is started that would wait for the build
	if err != nil {
		return nil, err
	}
	if running == nil || !o.shared() {
		if ctx, running, err = o.Obtain(ctx, to); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, running.Close()) }()
	}
	if scenario.Boot != nil || scenario.Stop != nil || scenario.Varies.En != "" {
		return running.recordOnce(ctx, scenario, sample, o.Boot, to)
	}
	return typical(func() (*trace.Recording, error) { return running.recordOnce(ctx, scenario, sample, "", to) })
}

// recordOnce replays a scenario once; boot is the trace id of the server's start, if that is traced.
func (r *Running) recordOnce(ctx context.Context, scenario *scenarios.Scenario, sample *program.Binary, boot string, to Reporter) (*trace.Recording, error) {
	s := newReplay(r.Server, scenario, sample, collect.Secrets{})
	if err := s.record(ctx, to, boot); err != nil {
		return nil, err
	}
	return &s.recording, s.verdict(false, to)
}

// attempts is the number of replays within which the same trace must occur twice.
const attempts = 6

// typical replays a scenario with once until a trace occurs for the second time.
func typical(once func() (*trace.Recording, error)) (*trace.Recording, error) {
	seen := map[string]bool{}
	for range attempts {
		recording, err := once()
		if err != nil {
			return nil, err
		}
		shape, err := recordings.Shape(recording.Requests)
		if err != nil {
			return nil, err
		}
		if seen[shape] {
			return recording, nil
		}
		seen[shape] = true
	}
	return nil, message.Errorf("%d replays gave %[1]d different traces: declare in the scenario what varies, or make its requests deterministic", attempts)
}
