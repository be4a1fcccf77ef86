package session

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// FindScenario finds a scenario by name or path. If there is none, or the release cannot
// run it, the error is a message.UsageError.
func FindScenario(name, version string) (*scenarios.Scenario, error) {
	scenario, err := scenarios.Find(name)
	return runnable(scenario, err, version)
}

// KnownScenario is FindScenario for the library only.
func KnownScenario(name, version string) (*scenarios.Scenario, error) {
	scenario, err := scenarios.Known(name)
	return runnable(scenario, err, version)
}

func runnable(scenario *scenarios.Scenario, err error, version string) (*scenarios.Scenario, error) {
	if errors.As(err, new(*scenarios.UnknownError)) {
		return nil, message.ToUsageError(err)
	}
	if err != nil {
		return nil, err
	}
	if err := scenario.RunsOn(version); err != nil {
		return nil, message.ToUsageError(explainSince(err, scenario))
	}
	return scenario, nil
}

// Scenarios lists the scenarios that a version of Kubernetes can run. k8sVersion is as
// for --k8s; "" lists all scenarios.
func Scenarios(k8sVersion string) ([]*scenarios.Scenario, error) {
	all, err := scenarios.List()
	if err != nil || k8sVersion == "" {
		return all, err
	}
	version, err := apiserver.ParseVersion(k8sVersion)
	if err != nil {
		return nil, message.ToUsageError(err)
	}
	return slices.DeleteFunc(all, func(s *scenarios.Scenario) bool {
		return !s.Releases.Has(version) || s.Follow != nil && CanFollow(version) != nil
	}), nil
}

// Load reads a recording from a file or a pipe, or from in if file is "-". It accepts a
// truncated recording and reports the missing part.
func Load(file string, in io.Reader, to Reporter) (*trace.Recording, error) {
	if file == "-" {
		recording, err := trace.Read(in, "standard input")
		return acceptCut(recording, err, to)
	}
	recording, err := trace.LoadStream(file)
	return acceptCut(recording, err, to)
}

// LoadFile is Load for regular files only: a client cannot keep the reader waiting by
// naming a pipe.
func LoadFile(file string, to Reporter) (*trace.Recording, error) {
	recording, err := trace.Load(file)
	return acceptCut(recording, err, to)
}

func acceptCut(recording *trace.Recording, err error, to Reporter) (*trace.Recording, error) {
	if errors.As(err, new(*trace.CutError)) {
		to.Notice("%v", err)
		return recording, nil
	}
	return recording, err
}

// IsFile reports whether a recording's name means a file, not a scenario. It has a slash
// or a dot, is "-", or names an existing file but no scenario.
func IsFile(what string) bool {
	if strings.ContainsAny(what, "./") || what == "-" {
		return true
	}
	if _, err := scenarios.Find(what); err == nil {
		return false
	}
	_, err := os.Stat(what)
	return err == nil
}

// Open returns the recording in a file, or a scenario's embedded recording from the
// release k8sVersion, given as for --k8s.
func Open(what, k8sVersion string, in io.Reader, to Reporter) (*trace.Recording, error) {
	if IsFile(what) {
		return Load(what, in, to)
	}
	return Recorded(k8sVersion, what)
}

// RecordedRelease returns the recorded release of a version, given as for --k8s. A
// version that apitrace cannot trace, or has not recorded, is a usage error.
func RecordedRelease(k8sVersion string) (string, error) {
	version, err := apiserver.ParseVersion(k8sVersion)
	if err == nil {
		version, err = recordings.Resolve(version)
	}
	return version, message.ToUsageError(err)
}

// RecordedReleaseOrAll is like RecordedRelease, but returns "" for "", which stands
// for all recorded releases.
func RecordedReleaseOrAll(k8sVersion string) (string, error) {
	if k8sVersion == "" {
		return "", nil
	}
	return RecordedRelease(k8sVersion)
}

// Recorded returns a scenario's embedded recording. k8sVersion is as for --k8s. If there
// is no recording, the error names the command that replays the scenario.
func Recorded(k8sVersion, scenario string) (*trace.Recording, error) {
	version, err := apiserver.ParseVersion(k8sVersion)
	if err != nil {
		return nil, message.ToUsageError(err)
	}
	recording, err := recordings.Load(version, scenario)
	var unknownVersion *recordings.UnknownVersionError
	var unknownScenario *recordings.UnknownScenarioError
	switch {
	case errors.As(err, &unknownVersion):
		return nil, message.ToUsageError(message.Errorf("%w; \"apitrace run %s --k8s %s\" builds a server of that release and replays it there", err, scenario, version))
	case errors.As(err, &unknownScenario):
		return nil, message.ToUsageError(explainMissing(version, unknownScenario))
	}
	return recording, err
}

// explainMissing returns the error for an unknown or unrecorded scenario.
func explainMissing(version string, err *recordings.UnknownScenarioError) error {
	known, unknown := scenarios.Known(err.Scenario)
	if unknown != nil {
		return unknown
	}
	if known.RunsOn(version) != nil {
		return explainSince(err, known)
	}
	if err.NoModule {
		return err
	}
	return message.Errorf("%w; \"apitrace run %s --k8s %s\" replays it", err, err.Scenario, version)
}

// explainSince adds to an error why the scenario needs its first release, if the
// reason is known.
func explainSince(err error, scenario *scenarios.Scenario) error {
	if why := scenario.NeedsFirst(); !why.IsZero() {
		return message.Errorf("%w; %s", err, why)
	}
	return err
}
