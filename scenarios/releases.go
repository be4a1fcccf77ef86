package scenarios

import (
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/release"
	"github.com/kubeapitrace/apitrace/internal/strictyaml"
)

// A VersionError reports that a scenario needs a feature that a release of Kubernetes
// does not have.
type VersionError struct {
	Scenario, Version string
	Releases          release.Range
}

func (e *VersionError) Error() string { return e.message().String() }

// Localize returns the error in the printer's language.
func (e *VersionError) Localize(p message.Printer) string { return e.message().Localize(p) }

func (e *VersionError) message() message.Message {
	return message.Of("scenario %q needs Kubernetes %s, this is %s: choose another release with --k8s, or another scenario (\"apitrace scenarios --k8s %[3]s\" lists those of this release)",
		e.Scenario, e.Releases.Text(), e.Version)
}

// RunsOn returns a *VersionError if the scenario cannot run on a Kubernetes version.
func (s *Scenario) RunsOn(version string) error {
	if s.Releases.Has(version) {
		return nil
	}
	return &VersionError{Scenario: s.Name, Version: version, Releases: s.Releases}
}

func (s *Scenario) validateReleases() *strictyaml.Mistake {
	if err := s.Releases.Validate(); err != nil {
		return strictyaml.MistakeAt(message.Of("%v", err), err.Field)
	}
	return nil
}
