package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// RecordScenario replays a scenario and returns the recording. It fails if the traces do
// not meet the scenario's expectations. If running is nil or the scenario needs its own
// server, it obtains a new one for each replay.
//
// Background work of the server changes a few of many traces. So RecordScenario replays
// until a trace occurs twice. It replays only once for a server's start or end, and for a
// scenario that declares what varies.
func (o ServerOptions) RecordScenario(ctx context.Context, running *Running, scenario *scenarios.Scenario, to Reporter) (*trace.Recording, error) {
	o, err := o.forScenario(scenario)
	if err != nil {
		return nil, err
	}
	sample, err := o.sampleFor(ctx, scenario, to) // first, because a running server would wait for the build
	if err != nil {
		return nil, err
	}
	once := func() (*trace.Recording, error) { return running.recordOnce(ctx, scenario, sample, o.Boot, to) }
	if running == nil || !o.shared() || o.ControlPlane != running.Cluster {
		once = func() (*trace.Recording, error) { return o.recordAlone(ctx, scenario, sample, to) }
	}
	if scenario.Boot != nil || scenario.Stop != nil || scenario.Varies.En != "" {
		return once()
	}
	return typical(once)
}

// recordAlone replays a scenario once, on a new server of its own.
func (o ServerOptions) recordAlone(ctx context.Context, scenario *scenarios.Scenario, sample *program.Binary, to Reporter) (_ *trace.Recording, err error) {
	ctx, running, err := o.Obtain(ctx, to)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, running.Close()) }()
	return running.recordOnce(ctx, scenario, sample, o.Boot, to)
}

// recordOnce replays a scenario once. boot is the trace id of the server's start, if
// traced.
func (r *Running) recordOnce(ctx context.Context, scenario *scenarios.Scenario, sample *program.Binary, boot string, to Reporter) (*trace.Recording, error) {
	s := newReplay(r.Server, scenario, sample, collect.Secrets{})
	if err := s.record(ctx, to, boot); err != nil {
		return nil, err
	}
	return &s.recording, s.verdict(false, to)
}

// attempts limits the replays until a trace has occurred twice.
const attempts = 6

// typical calls once, which replays a scenario, until a trace occurs twice.
func typical(once func() (*trace.Recording, error)) (*trace.Recording, error) {
	var seen []string
	for range attempts {
		recording, err := once()
		if err != nil {
			return nil, err
		}
		shape, err := recordings.Shape(recording.Requests)
		if err != nil {
			return nil, err
		}
		if slices.Contains(seen, shape) {
			return recording, nil
		}
		seen = append(seen, shape)
	}
	return nil, message.Errorf("%d replays gave %[1]d different traces: declare in the scenario what varies, or make its requests deterministic\n%s", attempts, difference(seen[attempts-2], seen[attempts-1]))
}

// difference says which functions only one of the last two replays called. a and b are their
// shapes, see recordings.Shape.
func difference(a, b string) message.Message {
	countA, countB := counts(a), counts(b)
	var onlyA, onlyB, other []string
	for _, name := range slices.Sorted(maps.Keys(countA)) {
		switch n := countB[name]; {
		case n == 0:
			onlyA = append(onlyA, name)
		case n != countA[name]:
			other = append(other, fmt.Sprintf("%s (%d, %d)", name, countA[name], n))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(countB)) {
		if countA[name] == 0 {
			onlyB = append(onlyB, name)
		}
	}
	const most = 3
	var parts []message.Message
	if len(onlyA) > 0 {
		parts = append(parts, message.Of("only the last but one called %s", message.List(onlyA[:min(most, len(onlyA))])))
	}
	if len(onlyB) > 0 {
		parts = append(parts, message.Of("only the last called %s", message.List(onlyB[:min(most, len(onlyB))])))
	}
	if len(parts) == 0 && len(other) > 0 {
		parts = append(parts, message.Of("the last two called these functions a different number of times: %s", message.List(other[:min(most, len(other))])))
	}
	if len(parts) == 0 {
		return message.Of("the last two called the same functions, but some from another caller")
	}
	return message.Join("%s; %s", parts...)
}

// counts returns how often each function is in a shape.
func counts(shape string) map[string]int {
	all := map[string]int{}
	for line := range strings.Lines(shape) {
		all[strings.TrimSpace(line)]++
	}
	return all
}
