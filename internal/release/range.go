// Package release describes ranges of releases of Kubernetes or etcd. It does not know which
// releases exist.
package release

import (
	"regexp"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// A Range is a range of releases. It includes both ends, and "v1.30" means all patch releases of
// v1.30. The zero value includes every release.
type Range struct {
	// Since is the first release, such as "v1.30" or "v1.30.4"; "" means no limit.
	Since string `yaml:"since"`
	// Until is the last release, in the same form; "" means no limit.
	Until string `yaml:"until"`
}

// Has reports whether version, such as "v1.37.1", is in the range.
func (r Range) Has(version string) bool {
	if r.Since != "" && semver.Compare(version, r.Since) < 0 {
		return false
	}
	return r.Until == "" || semver.Compare(version, r.Until) <= 0 || semver.MajorMinor(version) == r.Until
}

// Text describes the range: "v1.27 or newer", "v1.27 to v1.30". It is empty for the range of
// all releases.
func (r Range) Text() message.Message {
	switch {
	case r.Since != "" && r.Until != "":
		return message.Of("%s to %s", r.Since, r.Until)
	case r.Since != "":
		return message.Of("%s or newer", r.Since)
	case r.Until != "":
		return message.Of("%s or older", r.Until)
	}
	return message.Message{}
}

// An Error reports which end of a range is invalid.
type Error struct {
	// Field is "since" or "until".
	Field string
	err   error
}

func (e *Error) Error() string { return e.err.Error() }
func (e *Error) Unwrap() error { return e.err }

var valid = regexp.MustCompile(`^v\d+\.\d+(\.\d+)?$`)

// Validate returns nil for a valid range.
// It returns an *Error if an end is not a release, or if no release can be in the range.
func (r Range) Validate() *Error {
	for _, field := range []struct{ name, value string }{{"since", r.Since}, {"until", r.Until}} {
		if field.value != "" && !valid.MatchString(field.value) {
			return &Error{field.name, message.Errorf("%s is %q: expected a release such as \"v1.30\"", field.name, field.value)}
		}
	}
	if r.Since != "" && r.Until != "" && !r.Has(r.Since) {
		return &Error{"until", message.Errorf("until is %q, which is before since, %q: no release is left", r.Until, r.Since)}
	}
	return nil
}
