package scenarios

import (
	"fmt"
	"regexp"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/internal/strictyaml"
)

// Releases are the releases of Kubernetes that a scenario can be played on. Both ends
// count, and "v1.30" means all of its patch releases. The zero value is every release.
type Releases struct {
	// Since is the first one, "v1.30" or "v1.30.4"; "" for any.
	Since string `yaml:"since"`
	// Until is the last one; "" for any.
	Until string `yaml:"until"`
}

// Has tells whether version, "v1.37.1", is one of them.
func (r Releases) Has(version string) bool {
	if r.Since != "" && semver.Compare(version, r.Since) < 0 {
		return false
	}
	return r.Until == "" || semver.Compare(version, r.Until) <= 0 || semver.MajorMinor(version) == r.Until
}

// Text says which they are: "v1.27 or newer", "v1.27 to v1.30"; it is empty for every release.
func (r Releases) Text() Text {
	switch {
	case r.Since != "" && r.Until != "":
		return Text{En: r.Since + " to " + r.Until, Zh: r.Since + " 至 " + r.Until}
	case r.Since != "":
		return Text{En: r.Since + " or newer", Zh: r.Since + " 或更新"}
	case r.Until != "":
		return Text{En: r.Until + " or older", Zh: r.Until + " 或更早"}
	}
	return Text{}
}

// A VersionError says that a scenario asks for what a release of Kubernetes does not have.
type VersionError struct {
	Scenario, Version string
	Releases          Releases
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

var validRelease = regexp.MustCompile(`^v1\.\d+(\.\d+)?$`)

func (r Releases) validate() *strictyaml.Mistake {
	for _, field := range []struct{ name, value string }{{"since", r.Since}, {"until", r.Until}} {
		if field.value != "" && !validRelease.MatchString(field.value) {
			return strictyaml.MistakeAt(fmt.Sprintf("%s is %q, expected a release such as \"v1.30\"", field.name, field.value), field.name)
		}
	}
	if r.Since != "" && r.Until != "" && !r.Has(r.Since) {
		return strictyaml.MistakeAt(fmt.Sprintf("until is %q, before since, %q: no release is left", r.Until, r.Since), "until")
	}
	return nil
}
