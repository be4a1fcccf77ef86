package apiserver

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"
)

const (
	// DefaultVersion is the version of Kubernetes that apitrace traces when none is asked for.
	DefaultVersion = "v1.37.1"

	// The window of minor versions that apitrace knows how to build and run.
	oldestMinor = 26
	newestMinor = 37
)

// ParseVersion brings a version into the form of a release's tag: "v1.37.1".
// The "v" may be missing; "" means DefaultVersion. A version that apitrace was
// not made for is refused.
func ParseVersion(s string) (string, error) {
	if s == "" {
		return DefaultVersion, nil
	}
	v := "v" + strings.TrimPrefix(s, "v")
	if !semver.IsValid(v) || semver.Build(v) != "" {
		return "", fmt.Errorf("%q is not a Kubernetes version: expected one like %q", s, DefaultVersion)
	}
	if semver.Canonical(v) != v {
		return "", fmt.Errorf("the Kubernetes version %q lacks its patch number: expected one like %q", s, semver.Canonical(v))
	}
	if minor, err := minorOf(v); err != nil || minor < oldestMinor || minor > newestMinor {
		return "", fmt.Errorf("version %s of Kubernetes is outside of what this apitrace can trace, v1.%d to v1.%d: choose a version in between, such as %s",
			v, oldestMinor, newestMinor, DefaultVersion)
	}
	return v, nil
}

// minorOf gives 37 for "v1.37.1".
func minorOf(v string) (int, error) {
	major, minor, _ := strings.Cut(strings.TrimPrefix(semver.MajorMinor(v), "v"), ".")
	if major != "1" {
		return 0, fmt.Errorf("not a version of Kubernetes 1: %q", v)
	}
	return strconv.Atoi(minor)
}

// stagingVersion is the version under which the modules that are developed in
// the Kubernetes repository are published: v0.37.1 for v1.37.1.
func stagingVersion(v string) string { return "v0" + strings.TrimPrefix(v, "v1") }
