// Package sides gets what is compared: recordings from files, those that are part of apitrace, and scenarios that
// are replayed now.
package sides

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A Side is what is compared with another one: a file, or a scenario by a release, which is
// recorded or replayed.
type Side struct {
	// File is the path of a saved recording, "" for a scenario.
	File              string
	Scenario, Version string
	// Live has the scenario replayed now.
	Live bool
}

// A Loader gets the recordings of sides.
type Loader struct {
	// In is where the recording of the file "-" comes from.
	In io.Reader
	// To is told what is replayed.
	To session.Reporter
}

// Compared is what differs between two sides.
type Compared struct {
	*diff.Comparison
	// NameA and NameB are what the sides are called.
	NameA, NameB string
	// LiveA and LiveB tell whether a side was made just now.
	LiveA, LiveB bool
}

// inRange returns the releases of a range that have recorded a scenario; the others are
// passed over.
func inRange(scenario, from, to string) ([]Side, error) {
	releases, err := recordings.Range(from, to)
	if err != nil {
		return nil, usage.Wrong(err)
	}
	if len(releases) == 0 {
		return nil, usage.Errorf("the range %s..%s goes from the newer release to the older one: turn it round", from, to)
	}
	var sides []Side
	for _, release := range releases {
		if release.Has(scenario) {
			sides = append(sides, Side{Scenario: scenario, Version: release.K8sVersion})
		}
	}
	if len(sides) < 2 {
		if _, err := scenarios.Find(scenario); err != nil {
			return nil, err
		}
		return nil, usage.Errorf("scenario %q is recorded on fewer than two releases of %s..%s: there is nothing to compare", scenario, from, to)
	}
	return sides, nil
}

// load gets the recording of a side.
func (l *Loader) load(ctx context.Context, s Side) (*trace.Recording, error) {
	switch {
	case s.File != "":
		return session.Load(s.File, l.In, l.To)
	case s.Live:
		return l.replay(ctx, s)
	}
	recording, err := session.Recorded(s.Version, s.Scenario)
	if errors.As(err, new(*recordings.UnknownVersionError)) {
		return nil, message.Errorf("%w, and with --live it is compared", err)
	}
	return recording, err
}

// replay replays the scenario on a server of the release, which is built if it has to be.
func (l *Loader) replay(ctx context.Context, s Side) (recording *trace.Recording, err error) {
	version, err := apiserver.ParseVersion(s.Version)
	if err != nil {
		return nil, usage.Wrong(err)
	}
	l.To.Notice("replaying %q on Kubernetes %s", s.Scenario, s.Version)
	scenario, err := session.FindScenario(s.Scenario, version)
	if err != nil {
		return nil, err
	}
	o := session.ServerOptions{Spec: session.Spec{Version: s.Version}}
	err = session.Run(ctx, o, scenario, l.To, func(made *trace.Recording) error {
		recording = made
		return nil
	})
	return recording, err
}

// loadBoth loads two sides: what is replayed one after the other, recordings at the same time.
func (l *Loader) loadBoth(ctx context.Context, sideA, sideB Side) (a, b *trace.Recording, err error) {
	if sideA.Live || sideB.Live {
		if a, err = l.load(ctx, sideA); err == nil {
			b, err = l.load(ctx, sideB)
		}
		return a, b, err
	}
	var loading errgroup.Group
	loading.Go(func() (err error) { a, err = l.load(ctx, sideA); return err })
	loading.Go(func() (err error) { b, err = l.load(ctx, sideB); return err })
	return a, b, loading.Wait()
}

// Compare compares two sides.
func (l *Loader) Compare(ctx context.Context, sideA, sideB Side, o diff.Options) (Compared, error) {
	a, b, err := l.loadBoth(ctx, sideA, sideB)
	if err != nil {
		return Compared{}, err
	}
	c := Compared{Comparison: diff.CompareRecordings(a, b, o), LiveA: sideA.Live, LiveB: sideB.Live}
	c.NameA, c.NameB = sideNames(a, b, sideA, sideB)
	return c, nil
}

// sideNames are what the sides are called: by their releases, else by their scenarios, else as
// files, or by what tells a replay from a recording.
func sideNames(a, b *trace.Recording, sideA, sideB Side) (nameA, nameB string) {
	switch {
	case a.K8sVersion != b.K8sVersion && a.K8sVersion != "" && b.K8sVersion != "":
		return a.K8sVersion, b.K8sVersion
	case a.Scenario != b.Scenario && a.Scenario != "" && b.Scenario != "":
		return a.Scenario, b.Scenario
	}
	return sideA.name(a), sideB.name(b)
}

// name tells a side from another one of the same scenario and release.
func (s Side) name(rec *trace.Recording) string {
	switch {
	case s.File != "":
		return filepath.Base(s.File)
	case s.Live:
		return "now"
	}
	return "recorded " + rec.Recorded.Format(time.DateOnly)
}

// ReportOrigin tells what was recorded and what is replayed, before that takes its time.
func ReportOrigin(to session.Reporter, sides []Side) {
	first, last := sides[0], sides[len(sides)-1]
	if first.File != "" || first.Live && last.Live {
		return
	}
	recorded := last
	if last.Live {
		recorded = first
	}
	version, err := apiserver.ParseVersion(recorded.Version)
	if err != nil {
		return // to load it says so, too
	}
	info, err := recordings.Range(version, version)
	if err != nil || !info[0].Has(recorded.Scenario) {
		return
	}
	date := info[0].Recorded.Format(time.DateOnly)
	if first.Live || last.Live {
		to.Notice("the recording of Kubernetes %s that comes with apitrace, made on %s; the other side is replayed now", info[0].K8sVersion, date)
		return
	}
	to.Notice("recordings that come with apitrace, made on %s; --live replays both releases now, and files of \"apitrace run --save FILE\" can be compared as well", date)
}
