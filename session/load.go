package session

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// FindScenario finds a scenario by its name or path, and tells before anything is built whether it can be played
// on a release. The error is a usage.Error if there is no such scenario, or it cannot.
func FindScenario(name, version string) (*scenarios.Scenario, error) {
	scenario, err := scenarios.Find(name)
	if errors.As(err, new(*scenarios.UnknownError)) {
		return nil, usage.Wrong(err)
	}
	if err != nil {
		return nil, err
	}
	if err := scenario.RunsOn(version); err != nil {
		return nil, usage.Wrong(err)
	}
	return scenario, nil
}

// Scenarios lists the scenarios that a version of Kubernetes can run, which is given as --k8s takes it; "" lists all.
func Scenarios(k8sVersion string) ([]*scenarios.Scenario, error) {
	all, err := scenarios.List()
	if err != nil || k8sVersion == "" {
		return all, err
	}
	version, err := apiserver.ParseVersion(k8sVersion)
	if err != nil {
		return nil, usage.Wrong(err)
	}
	return slices.DeleteFunc(all, func(s *scenarios.Scenario) bool { return !s.Releases.Has(version) }), nil
}

// Load reads a recording from a file, or from in if that is called "-". One that was cut is as good as
// what is left of it.
func Load(file string, in io.Reader, to Reporter) (recording *trace.Recording, err error) {
	if file == "-" {
		recording, err = trace.Read(in, "standard input")
	} else {
		recording, err = trace.Load(file)
	}
	if errors.As(err, new(*trace.CutError)) {
		to.Notice("%v", err)
		return recording, nil
	}
	return recording, err
}

// IsFile tells whether what names a recording is a file, not a scenario: it has a slash or a dot, is "-", or is the
// name of no scenario but of a file.
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

// Open returns the recording in a file, or that of a scenario and a version, which is given as --k8s takes it.
func Open(what, k8sVersion string, in io.Reader, to Reporter) (*trace.Recording, error) {
	if IsFile(what) {
		return Load(what, in, to)
	}
	recording, err := Recorded(k8sVersion, what)
	if err != nil {
		return nil, err
	}
	to.Notice("a recording of Kubernetes %s, made on %s; --notes explains its key steps, --live replays it now", recording.K8sVersion, recording.Recorded.Format(time.DateOnly))
	return recording, nil
}

// Recorded returns what apitrace carries of a scenario and a version, which is given
// as --k8s takes it. Where there is nothing, it tells how one can see it.
func Recorded(k8sVersion, scenario string) (*trace.Recording, error) {
	version, err := apiserver.ParseVersion(k8sVersion)
	if err != nil {
		return nil, usage.Wrong(err)
	}
	recording, err := recordings.Load(version, scenario)
	var unknownVersion *recordings.UnknownVersionError
	var unknownScenario *recordings.UnknownScenarioError
	switch {
	case errors.As(err, &unknownVersion):
		return nil, usage.Wrong(message.Errorf("%w; \"apitrace run %s --k8s %s\" builds a server of that release and replays it there", err, scenario, version))
	case errors.As(err, &unknownScenario):
		return nil, usage.Wrong(explainMissing(scenario, version, err))
	}
	return recording, err
}

// explainMissing tells a scenario that does not exist from one that was not recorded.
func explainMissing(scenario, version string, err error) error {
	known, unknown := scenarios.Find(scenario)
	if unknown != nil {
		return unknown
	}
	if known.RunsOn(version) != nil {
		return err
	}
	return message.Errorf("%w; \"apitrace run %s --k8s %s\" replays it", err, scenario, version)
}
