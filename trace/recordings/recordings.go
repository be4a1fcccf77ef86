// Package recordings holds recorded traces of the scenarios for one release of
// each minor version of Kubernetes. They are embedded in the apitrace binary, so
// that they can be shown and compared at once, without network and build. It also
// holds the index of the sources of these releases.
//
// "make record" updates the recordings. They preserve neither the time zone of
// times nor the difference between a nil and an empty list or map.
//
// Package cmd/apitrace-dev/library makes the recordings and the index.
package recordings

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// Folder is the folder with the files in the repository of apitrace.
const Folder = "trace/recordings/data"

// FaultsFolder is the folder below Folder with the recordings of servers that
// were built with a fault of the course.
const FaultsFolder = "faults"

// Latest stands for the newest recorded release.
const Latest = "latest"

//go:embed data/*.zip data/faults/*.zip
var embedded embed.FS

var library = sync.OnceValues(func() ([]*archive, error) {
	folder, err := fs.Sub(embedded, "data")
	if err != nil {
		return nil, err
	}
	return openAll(folder)
})

// Versions lists the recorded releases, oldest first.
func Versions() ([]Info, error) {
	all, err := library()
	if err != nil {
		return nil, err
	}
	var infos []Info
	for _, a := range all {
		infos = append(infos, a.Info)
	}
	return infos, nil
}

// Load returns the recording of a scenario or a fault for a release. The release
// may be in any form that Resolve accepts. Each call returns a new copy. If there
// is no such recording, the error is an UnknownVersionError or an
// UnknownScenarioError.
func Load(k8sVersion, scenario string) (*trace.Recording, error) {
	a, err := find(k8sVersion)
	if err != nil {
		return nil, err
	}
	if a.Has(scenario) {
		return a.load(scenario)
	}
	faulty, err := faultsOf(a.K8sVersion)
	if err != nil {
		return nil, err
	}
	if faulty != nil && faulty.Has(scenario) {
		return faulty.load(scenario)
	}
	return nil, a.unknown(scenario)
}

// All returns all recordings of a release, sorted by the names of their scenarios.
func All(k8sVersion string) ([]*trace.Recording, error) {
	a, err := find(k8sVersion)
	if err != nil {
		return nil, err
	}
	var all []*trace.Recording
	for _, scenario := range a.Scenarios {
		rec, err := a.load(scenario)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return all, nil
}

// Resolve returns the recorded release that k8sVersion stands for. "1.30",
// "v1.30" and "v1.30.4" give "v1.30.4". "latest" and "" give the newest release.
// Anything else is an UnknownVersionError.
func Resolve(k8sVersion string) (string, error) {
	a, err := find(k8sVersion)
	if err != nil {
		return "", err
	}
	return a.K8sVersion, nil
}

// Range returns the recorded releases between two, both included, the oldest
// first. Both may be in any form that Resolve accepts. If the first is newer than
// the second, the result is empty.
func Range(from, to string) ([]Info, error) {
	first, err := find(from)
	if err != nil {
		return nil, err
	}
	last, err := find(to)
	if err != nil {
		return nil, err
	}
	all, err := Versions()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(i Info) bool {
		return semver.Compare(i.K8sVersion, first.K8sVersion) < 0 || semver.Compare(i.K8sVersion, last.K8sVersion) > 0
	}), nil
}

func find(k8sVersion string) (*archive, error) {
	all, err := library()
	if err != nil {
		return nil, err
	}
	if len(all) > 0 && (k8sVersion == "" || k8sVersion == Latest) {
		return all[len(all)-1], nil
	}
	want := "v" + strings.TrimPrefix(k8sVersion, "v")
	for _, a := range all {
		if a.K8sVersion == want || semver.MajorMinor(a.K8sVersion) == want {
			return a, nil
		}
	}
	unknown := &UnknownVersionError{Version: k8sVersion}
	for _, a := range all {
		unknown.Recorded = append(unknown.Recorded, a.K8sVersion)
	}
	return nil, unknown
}

func (a *archive) unknown(scenario string) error {
	e := &UnknownScenarioError{Scenario: scenario, K8sVersion: a.K8sVersion, Reason: a.Why(scenario), NoModule: a.noModule(scenario)}
	all, err := library()
	if err != nil {
		return err
	}
	for _, other := range all {
		if other.Has(scenario) {
			e.RecordedBy = append(e.RecordedBy, other.K8sVersion)
		}
	}
	return e
}

// An UnknownVersionError reports that there are no recordings of a release.
type UnknownVersionError struct {
	// Version is the requested version.
	Version string
	// Recorded are the recorded releases, oldest first.
	Recorded []string
}

func (e *UnknownVersionError) Error() string { return e.message().String() }

// Localize returns the error in the printer's language.
func (e *UnknownVersionError) Localize(p message.Printer) string { return e.message().Localize(p) }

func (e *UnknownVersionError) message() message.Message {
	if semver.Build(e.Version) != "" || strings.ContainsAny(e.Version, `/\`) {
		return message.Of("%q is a checkout, and there are recordings of releases only: expected one of %s; \"apitrace run SCENARIO --k8s ./kubernetes\" replays a scenario on a checkout", e.Version, message.List(e.Recorded))
	}
	for _, r := range e.Recorded {
		if semver.MajorMinor(r) == semver.MajorMinor("v"+strings.TrimPrefix(e.Version, "v")) {
			return message.Of("there are no recordings of Kubernetes %q: the recorded release of this minor version is %s", e.Version, r)
		}
	}
	return message.Of("there are no recordings of Kubernetes %q: the recorded releases are %s", e.Version, message.List(e.Recorded))
}

// An UnknownScenarioError reports that a release has no recording of a scenario.
type UnknownScenarioError struct {
	Scenario, K8sVersion string
	// Reason is the reason why the release could not run the scenario. It is empty if
	// the recorder never tried.
	Reason message.Message
	// NoModule is set if the reason is an unavailable module. A replay would
	// fail, too.
	NoModule bool
	// RecordedBy are the releases with a recording of the scenario, oldest first.
	RecordedBy []string
}

func (e *UnknownScenarioError) Error() string { return e.message().String() }

// Localize returns the error in the printer's language.
func (e *UnknownScenarioError) Localize(p message.Printer) string { return e.message().Localize(p) }

func (e *UnknownScenarioError) message() message.Message {
	text := message.Of("there is no recording of scenario %q by Kubernetes %s", e.Scenario, e.K8sVersion)
	if !e.Reason.IsZero() {
		text = message.Of("%s: %s", text, e.Reason)
	}
	if len(e.RecordedBy) > 0 {
		text = message.Of("%s; these releases have recorded it: %s", text, message.List(e.RecordedBy))
	}
	return text
}

// Names lists the recorded releases, oldest first.
func Names() ([]string, error) {
	infos, err := Versions()
	var names []string
	for _, info := range infos {
		names = append(names, info.K8sVersion)
	}
	return names, err
}
