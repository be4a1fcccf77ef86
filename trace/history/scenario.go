package history

import (
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kubeapitrace/apitrace/internal/inorder"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// Releases returns the recorded releases, the oldest first.
func Releases() ([]Release, error) {
	infos, err := recordings.Versions()
	if err != nil {
		return nil, err
	}
	var releases []Release
	for _, info := range infos {
		functions, err := recordings.Functions(info.K8sVersion)
		if err != nil {
			return nil, err
		}
		code, err := recordings.CodeOf(info.K8sVersion)
		if err != nil {
			return nil, err
		}
		releases = append(releases, Release{Version: info.K8sVersion, Functions: functions, Recorded: info.Scenarios, Missing: info.Missing, Code: code, Load: func(scenario string) (*trace.Recording, error) {
			if !info.Has(scenario) {
				return nil, nil
			}
			return recordings.Load(info.K8sVersion, scenario)
		}})
	}
	return releases, nil
}

// A Step is a release in a scenario's history.
type Step[T any] struct {
	Version string
	// Calls counts the calls of all requests.
	Calls int
	// Changes is the result of summarize for the comparison with the last earlier
	// release that recorded the scenario. Without such a release, it is zero.
	Changes T
	// NotRecorded is set for a release without a recording of the scenario. Why
	// is the reason, or empty if unknown.
	NotRecorded bool
	Why         message.Message
}

// Steps yields each release's changes in a scenario, the oldest first. It calls
// summarize for several comparisons at once. It keeps no comparison, because a
// comparison of two program starts takes 200 MB.
func Steps[T any](scenario string, summarize func(*diff.Comparison) (T, error)) (iter.Seq2[Step[T], error], error) {
	releases, err := recordings.Versions()
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(releases, func(release recordings.Info) bool { return release.Has(scenario) }) {
		return nil, message.Errorf("apitrace has no recording of scenario %q by any release: \"apitrace run %s --k8s VERSION --save FILE\" makes one, and \"apitrace diff\" compares two files", scenario, scenario)
	}
	recorded := make([]shared, len(releases))
	return inorder.Each(len(releases), func(i int) (Step[T], error) {
		return stepOf(releases[:i+1], recorded, scenario, summarize)
	}), nil
}

// A shared is a recording that two steps use, as the later and the earlier side.
// It is loaded once, and released after the second use.
type shared struct {
	once  sync.Once
	rec   *trace.Recording
	err   error
	taken atomic.Int32
}

func (s *shared) take(release, scenario string) (*trace.Recording, error) {
	s.once.Do(func() { s.rec, s.err = recordings.Load(release, scenario) })
	rec, err := s.rec, s.err
	if s.taken.Add(1) == 2 {
		s.rec = nil
	}
	return rec, err
}

// stepOf compares the last release with the last earlier release that recorded
// the scenario.
func stepOf[T any](releases []recordings.Info, recorded []shared, scenario string, summarize func(*diff.Comparison) (T, error)) (Step[T], error) {
	last := len(releases) - 1
	release := releases[last]
	if !release.Has(scenario) {
		return Step[T]{Version: release.K8sVersion, NotRecorded: true, Why: release.Why(scenario)}, nil
	}
	rec, err := recorded[last].take(release.K8sVersion, scenario)
	if err != nil {
		return Step[T]{}, err
	}
	step := Step[T]{Version: release.K8sVersion}
	for _, r := range rec.Requests {
		step.Calls += len(r.Calls)
	}
	for i, earlier := range slices.Backward(releases[:last]) {
		if !earlier.Has(scenario) {
			continue
		}
		was, err := recorded[i].take(earlier.K8sVersion, scenario)
		if err != nil {
			return Step[T]{}, err
		}
		step.Changes, err = summarize(diff.CompareRecordings(was, rec, diff.Options{}))
		return step, err
	}
	return step, nil
}
