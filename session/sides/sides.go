// Package sides loads the two sides of a comparison: recordings from files, embedded
// recordings, and live replays of scenarios. Comparing the sides belongs to package
// trace/diff.
package sides

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A Side is one side of a comparison: a file, or a scenario on a release, recorded or
// replayed.
type Side struct {
	// File is the path of a saved recording, or "" for a scenario.
	File              string
	Scenario, Version string
	// Checkout is the checkout that Version stands for; zero for a release.
	Checkout Checkout
	// Live replays the scenario now.
	Live bool
}

// A Checkout is a checkout of kubernetes, or one of its commits, that a side was
// built from.
type Checkout struct {
	// Name is the checkout as the user named it.
	Name string
	// Committed says where the checkout's source can be read.
	Committed *trace.CommittedTree
}

// A Loader gets the recordings of sides.
type Loader struct {
	// In is the input for the file "-".
	In io.Reader
	// To receives notices about replays.
	To session.Reporter
	// Trace is session.Spec.Trace of the replays.
	Trace []string
}

// A Compared is a comparison of two sides.
type Compared struct {
	*diff.Comparison
	// NameA and NameB are the names of the sides.
	NameA, NameB string
	// LiveA and LiveB are set for a side that was just replayed.
	LiveA, LiveB bool
	// CheckoutA and CheckoutB are the checkouts of the sides.
	CheckoutA, CheckoutB Checkout
}

// inRange returns the releases of a range that have a recording of a scenario. It
// skips the other releases.
func inRange(scenario, from, to string) ([]Side, error) {
	for _, end := range []string{from, to} {
		if _, err := session.RecordedRelease(end); err != nil {
			return nil, err
		}
	}
	releases, err := recordings.Range(from, to)
	if err != nil {
		return nil, message.ToUsageError(err)
	}
	if len(releases) == 0 {
		return nil, message.UsageErrorf("the range %s..%s goes from the newer release to the older one: swap its ends", from, to)
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
		return nil, message.UsageErrorf("scenario %q is recorded on fewer than two releases of %s..%s: there is nothing to compare", scenario, from, to)
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
		return nil, message.Errorf("%w; --live replays it there and compares", err)
	}
	return recording, err
}

// replay replays the scenario on a server of the release, and builds the server if
// necessary. It accepts any answer to the traced requests, because the sides may answer
// differently.
func (l *Loader) replay(ctx context.Context, s Side) (recording *trace.Recording, err error) {
	version, err := apiserver.ParseVersion(s.Version)
	if err != nil {
		return nil, message.ToUsageError(err)
	}
	l.To.Notice("replaying %q on Kubernetes %s", s.Scenario, s.Version)
	scenario, err := session.FindScenario(s.Scenario, version)
	if err != nil {
		return nil, err
	}
	o := session.ServerOptions{Spec: session.Spec{Version: s.Version, Trace: l.Trace}}
	err = session.Run(ctx, o, scenario.AnyTracedAnswer(), l.To, func(made *trace.Recording) error {
		recording = made
		return nil
	})
	return recording, err
}

// loadBoth loads two sides. It loads recordings concurrently, but replays one after
// the other.
func (l *Loader) loadBoth(ctx context.Context, sideA, sideB Side) (a, b *trace.Recording, err error) {
	if sideA.Live || sideB.Live {
		if a, err = l.load(ctx, sideA); err == nil {
			b, err = l.load(ctx, sideB)
		}
		return a, b, err
	}
	var loading errgroup.Group
	var errA, errB error
	loading.Go(func() error { a, errA = l.load(ctx, sideA); return nil })
	loading.Go(func() error { b, errB = l.load(ctx, sideB); return nil })
	_ = loading.Wait()
	return a, b, bothErrors(errA, errB)
}

// bothErrors joins the errors of two sides, in this order. Equal errors are one. If
// neither release has recorded the scenario, the reason is given once.
func bothErrors(errA, errB error) error {
	var missingA, missingB *recordings.UnknownScenarioError
	if errors.As(errA, &missingA) && errors.As(errB, &missingB) {
		if missingA.K8sVersion == missingB.K8sVersion {
			return errA
		}
		return message.Errorf("%w; Kubernetes %s has no recording of it either", errA, missingB.K8sVersion)
	}
	if errA != nil && errB != nil && errA.Error() == errB.Error() {
		return errA
	}
	return errors.Join(errA, errB)
}

// Compare compares two sides.
func (l *Loader) Compare(ctx context.Context, sideA, sideB Side, o diff.Options) (Compared, error) {
	a, b, err := l.loadBoth(ctx, sideA, sideB)
	if err != nil {
		return Compared{}, err
	}
	c := Compared{Comparison: diff.CompareRecordings(a, b, o), LiveA: sideA.Live, LiveB: sideB.Live, CheckoutA: sideA.Checkout, CheckoutB: sideB.Checkout}
	c.NameA, c.NameB = sideNames(a, b, sideA, sideB)
	return c, nil
}

// sideNames returns the names of the sides: their checkouts or releases if these differ,
// else their scenarios if these differ. Else the name of a side is its file, or says
// whether it was replayed or recorded.
func sideNames(a, b *trace.Recording, sideA, sideB Side) (nameA, nameB string) {
	switch {
	case sideA.Checkout.Name != sideB.Checkout.Name:
		return cmp.Or(sideA.Checkout.Name, a.K8sVersion), cmp.Or(sideB.Checkout.Name, b.K8sVersion)
	case a.K8sVersion != b.K8sVersion && a.K8sVersion != "" && b.K8sVersion != "":
		return a.K8sVersion, b.K8sVersion
	case a.Scenario != b.Scenario && a.Scenario != "" && b.Scenario != "":
		return a.Scenario, b.Scenario
	}
	return sideA.name(a), sideB.name(b)
}

// name distinguishes a side from another side with the same scenario and release.
func (s Side) name(rec *trace.Recording) string {
	switch {
	case s.File != "":
		return filepath.Base(s.File)
	case s.Live:
		return "now"
	}
	return "recorded " + rec.Recorded.Format(time.DateOnly)
}

// ReportOrigin reports which sides are recordings of apitrace and which are replayed. It
// is called before the replays, which take time.
func ReportOrigin(to session.Reporter, sides []Side) {
	first, last := sides[0], sides[len(sides)-1]
	if first.File != "" || first.Live && last.Live {
		return
	}
	var info recordings.Info
	for _, s := range sides {
		version, err := apiserver.ParseVersion(s.Version)
		if err != nil {
			return // Compare reports the error
		}
		if s.Live {
			continue
		}
		found, err := recordings.Range(version, version)
		if err != nil || !found[0].Has(s.Scenario) {
			return
		}
		info = found[0]
	}
	date := info.Recorded.Format(time.DateOnly)
	if first.Live || last.Live {
		to.Notice("the recording of Kubernetes %s that comes with apitrace, made on %s; the other side is replayed now", info.K8sVersion, date)
		return
	}
	to.Notice("recordings that come with apitrace, made on %s; --live replays both releases now, and files of \"apitrace run --save FILE\" can be compared as well", date)
}
