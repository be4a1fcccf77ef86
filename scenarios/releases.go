package scenarios

import (
	"fmt"

	"github.com/kubeapitrace/apitrace/internal/release"
	"github.com/kubeapitrace/apitrace/internal/strictyaml"
)

// A VersionError says that a scenario asks for what a release of Kubernetes does not have.
type VersionError struct {
	Scenario, Version string
	Releases          release.Range
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("scenario %q needs Kubernetes %s, this is %s: choose another version with --k8s, or another scenario (\"apitrace scenarios --k8s %[3]s\" lists those that it can run)",
		e.Scenario, e.Releases.Text().En, e.Version)
}

// RunsOn returns a *VersionError if the scenario cannot be played on that version of Kubernetes.
func (s *Scenario) RunsOn(version string) error {
	if s.Releases.Has(version) {
		return nil
	}
	return &VersionError{Scenario: s.Name, Version: version, Releases: s.Releases}
}

func (s *Scenario) validateReleases() *strictyaml.Mistake {
	if err := s.Releases.Validate(); err != nil {
		return strictyaml.MistakeAt(err.Error(), err.Field)
	}
	return nil
}
