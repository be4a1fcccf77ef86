package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A diffSide is what is compared with another one: a file, or a scenario by a release, which is
// recorded or replayed.
type diffSide struct {
	// file is the path of a saved recording, "" for a scenario.
	file              string
	scenario, version string
	// live has the scenario replayed now.
	live bool
}

// sides reads the arguments. Each side is compared with the next.
func (o *diffOptions) sides(args []string) (sides []diffSide, isRange bool, err error) {
	if len(args) == 3 {
		sides = []diffSide{{scenario: args[0], version: args[1]}, {scenario: args[0], version: args[2]}}
		return sides, false, o.replayed(sides)
	}
	isLive := o.live != ""
	if from, to, ok := strings.Cut(args[1], ".."); ok && !isFile(args[1]) {
		if isLive {
			return nil, false, usageErrorf("--live builds and runs what it replays: name two releases instead of the range %q", args[1])
		}
		sides, err = rangeSides(args[0], from, to)
		return sides, true, err
	}
	for _, file := range args {
		if !isFile(file) && file != "-" {
			return nil, false, usageErrorf("there is no file %q: expected two files, a scenario with two versions, or a scenario with a range such as 1.26..1.37", file)
		}
		sides = append(sides, diffSide{file: file})
	}
	if isLive {
		return nil, false, usageErrorf("files are of one moment: --live is for a scenario with two versions")
	}
	return sides, false, nil
}

// replayed marks the sides that --live names.
func (o *diffOptions) replayed(sides []diffSide) error {
	switch o.live {
	case "":
	case "both":
		sides[0].live, sides[1].live = true, true
	case "a":
		sides[0].live = true
	case "b":
		sides[1].live = true
	default:
		return usageErrorf("--live=%s: expected a (the first version), b (the second one), or both", o.live)
	}
	return nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// rangeSides are the releases of a range that have recorded the scenario; the others are
// passed over.
func rangeSides(scenario, from, to string) ([]diffSide, error) {
	releases, err := recordings.Range(from, to)
	if err != nil {
		return nil, &usageError{err: err}
	}
	if len(releases) == 0 {
		return nil, usageErrorf("the range %s..%s goes from the newer release to the older one: turn it round", from, to)
	}
	var sides []diffSide
	for _, release := range releases {
		if release.Has(scenario) {
			sides = append(sides, diffSide{scenario: scenario, version: release.K8sVersion})
		}
	}
	if len(sides) < 2 {
		if _, err := findScenario(scenario); err != nil {
			return nil, err
		}
		return nil, usageErrorf("scenario %q is recorded on fewer than two releases of %s..%s: there is nothing to compare", scenario, from, to)
	}
	return sides, nil
}

// load gets the recording of a side.
func (s diffSide) load(ctx context.Context, std *streams) (*trace.Recording, error) {
	switch {
	case s.file != "":
		return std.load(s.file)
	case s.live:
		return replayNow(ctx, std, s.scenario, s.version)
	}
	recording, err := loadRecording(s.version, s.scenario)
	if errors.As(err, new(*recordings.UnknownVersionError)) {
		return nil, &usageError{err: fmt.Errorf("%w, and with --live it is compared", err)}
	}
	return recording, err
}

// replayNow replays a scenario on a server of a release, which is built if it has to be.
func replayNow(ctx context.Context, std *streams, scenario, version string) (recording *trace.Recording, err error) {
	server := serverFlags{session.ServerOptions{Spec: session.Spec{Version: version}}}
	if err := server.validate(); err != nil {
		return nil, err
	}
	std.notice("replaying %q on Kubernetes %s", scenario, version)
	err = server.replay(ctx, std, scenario, func(made *trace.Recording) error {
		recording = made
		return nil
	})
	return recording, err
}

// loadBoth loads two sides: what is replayed one after the other, recordings at the same time.
func loadBoth(ctx context.Context, std *streams, sideA, sideB diffSide) (a, b *trace.Recording, err error) {
	if sideA.live || sideB.live {
		if a, err = sideA.load(ctx, std); err == nil {
			b, err = sideB.load(ctx, std)
		}
		return a, b, err
	}
	var loading errgroup.Group
	loading.Go(func() (err error) { a, err = sideA.load(ctx, std); return err })
	loading.Go(func() (err error) { b, err = sideB.load(ctx, std); return err })
	return a, b, loading.Wait()
}

// compareSides compares two sides.
func compareSides(ctx context.Context, std *streams, sideA, sideB diffSide, o diff.Options) (compared, error) {
	a, b, err := loadBoth(ctx, std, sideA, sideB)
	if err != nil {
		return compared{}, err
	}
	c := compared{Comparison: diff.CompareRecordings(a, b, o), liveA: sideA.live, liveB: sideB.live}
	c.nameA, c.nameB = sideNames(a, b, sideA, sideB)
	return c, nil
}

// sideNames are what the sides are called: by their releases, else by their scenarios, else as
// files, or by what tells a replay from a recording.
func sideNames(a, b *trace.Recording, sideA, sideB diffSide) (nameA, nameB string) {
	switch {
	case a.K8sVersion != b.K8sVersion && a.K8sVersion != "" && b.K8sVersion != "":
		return a.K8sVersion, b.K8sVersion
	case a.Scenario != b.Scenario && a.Scenario != "" && b.Scenario != "":
		return a.Scenario, b.Scenario
	}
	return sideA.name(a), sideB.name(b)
}

// name tells a side from another one of the same scenario and release.
func (s diffSide) name(rec *trace.Recording) string {
	switch {
	case s.file != "":
		return filepath.Base(s.file)
	case s.live:
		return "now"
	}
	return "recorded " + rec.Recorded.Format(time.DateOnly)
}

// sayOrigin tells what was recorded and what is replayed, before that takes its time.
func sayOrigin(std *streams, sides []diffSide) {
	first, last := sides[0], sides[len(sides)-1]
	if first.file != "" || first.live && last.live {
		return
	}
	recorded := last
	if last.live {
		recorded = first
	}
	version, err := apiserver.ParseVersion(recorded.version)
	if err != nil {
		return // to load it says so, too
	}
	info, err := recordings.Range(version, version)
	if err != nil || !info[0].Has(recorded.scenario) {
		return
	}
	date := info[0].Recorded.Format(time.DateOnly)
	if first.live || last.live {
		std.notice("the recording of Kubernetes %s that apitrace carries, made on %s; the other side is replayed now", info[0].K8sVersion, date)
		return
	}
	std.notice("recordings that apitrace carries, made on %s; --live replays two releases now, and files that \"apitrace run --save FILE\" writes can be compared as well", date)
}
