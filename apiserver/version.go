package apiserver

import (
	"context"
	"errors"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/instrument/traced"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// DefaultVersion is the version of Kubernetes that apitrace traces by default.
const DefaultVersion = "v1.37.1"

// latest stands for the newest release of Releases.
const latest = "latest"

// releases lists, oldest first, the releases that apitrace was tested with: one of each
// minor version that it can build and run.
// Users can select other patch releases of these minor versions by full version.
var releases = []string{
	"v1.16.15", "v1.17.17", "v1.18.2", "v1.19.16", "v1.20.15", "v1.21.14", "v1.22.17", "v1.23.17",
	"v1.24.17", "v1.25.16", "v1.26.15", "v1.27.4", "v1.28.15", "v1.29.15", "v1.30.4", "v1.31.0",
	"v1.32.2", "v1.33.13", "v1.34.1", "v1.35.4", "v1.36.3", DefaultVersion,
}

// Releases lists, oldest first, the releases that apitrace was tested with: one of each
// minor version.
func Releases() []string { return slices.Clone(releases) }

// ParseVersion returns a version in the form of a release's tag: "v1.37.1".
// The "v" may be missing.
// "" means DefaultVersion, and "latest" means the newest of Releases.
// A minor version, "1.30", means its release in Releases.
// If Releases lacks the minor version, ParseVersion returns an error.
// The version of a checkout (TakeCheckout) is returned unchanged.
func ParseVersion(s string) (string, error) {
	switch s {
	case "":
		return DefaultVersion, nil
	case latest:
		return releases[len(releases)-1], nil
	}
	if program.IsLocal(s) {
		return s, nil
	}
	v := "v" + strings.TrimPrefix(s, "v")
	if !semver.IsValid(v) || semver.Build(v) != "" || !strings.Contains(v, ".") {
		return "", message.Errorf("%q is not a Kubernetes version: expected one like %q, a minor version like %q, or %q",
			s, DefaultVersion, semver.MajorMinor(DefaultVersion), latest)
	}
	for _, known := range releases {
		if semver.MajorMinor(known) == semver.MajorMinor(v) {
			if semver.Canonical(v) != v {
				return known, nil
			}
			return v, nil
		}
	}
	oldest, newest := semver.MajorMinor(releases[0]), semver.MajorMinor(releases[len(releases)-1])
	if isNewer(v) {
		return "", message.Errorf("Kubernetes %s is newer than the releases that this apitrace can trace, %s to %s: choose one of %s, or another patch release of the same minor versions",
			v, oldest, newest, message.List(releases))
	}
	err := message.Errorf("Kubernetes %s is outside of the range that this apitrace can trace, %s to %s: choose one of %s, or another patch release of the same minor versions",
		v, oldest, newest, message.List(releases))
	if ReadOnly(v) {
		err = message.Errorf("%w; its source can still be read: add \"--k8s %s\" to \"apitrace source\" or \"apitrace explain\"", err, v)
	}
	return "", err
}

// isNewer reports whether a version's minor version is newer than all releases that
// apitrace was tested with.
func isNewer(v string) bool {
	return semver.Compare(semver.MajorMinor(v), semver.MajorMinor(releases[len(releases)-1])) > 0
}

// testedRelease returns the tested release of the same minor version, or else
// DefaultVersion.
func testedRelease(version string) string {
	tested, err := ParseVersion(semver.MajorMinor(version))
	if err != nil {
		return DefaultVersion
	}
	return tested
}

// adviseTestedRelease adds a hint to the build error of an untested release: the tested
// release of the same minor version. It adds no hint to errors that another release would
// not avoid: the user's edits, disk space, a missing Go, cancellation.
func adviseTestedRelease(version string, err error) error {
	tested := testedRelease(version)
	var edit *traced.EditError
	var space *program.SpaceError
	var noGo *program.NeedsGoError
	if err == nil || tested == version || program.IsLocal(version) || errors.Is(err, context.Canceled) || errors.As(err, &edit) || errors.As(err, &space) || errors.As(err, &noGo) {
		return err
	}
	return message.Errorf("%w\napitrace was tested with %s of the same minor version: use it with \"--k8s %[2]s\"", err, tested)
}

// stagingVersion returns the published version of the modules from the Kubernetes
// repository: v0.37.1 for v1.37.1.
func stagingVersion(v string) string { return "v0" + strings.TrimPrefix(v, "v1") }
