package apiserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/instrument/traced"
	"github.com/kubeapitrace/apitrace/internal/program"
)

func TestParseVersion(t *testing.T) {
	for _, test := range []struct{ in, want, err string }{
		{"", DefaultVersion, ""},
		{"v1.37.1", "v1.37.1", ""},
		{"1.37.1", "v1.37.1", ""},
		{"v1.26.15", "v1.26.15", ""},
		{"v1.37.0-rc.1", "v1.37.0-rc.1", ""},
		{"latest", DefaultVersion, ""},
		{"1.37", DefaultVersion, ""},
		{"1.30", "v1.30.4", ""},
		{"v1.27", "v1.27.4", ""},
		{"v1.30.3", "v1.30.3", ""},
		{"v1.14.10", "", "outside of the range that this apitrace can trace, " + semver.MajorMinor(releases[0]) + " to v1.37: choose one of " + releases[0] + ", " + releases[1]},
		{"1.14", "", "outside"},
		{"1.16", "v1.16.15", ""},
		{"1.14", "", `or another patch release of the same minor versions; its source can still be read: add "--k8s v1.14" to "apitrace source" or "apitrace explain"`},
		{"v1.38.0", "", "Kubernetes v1.38.0 is newer than the releases that this apitrace can trace, " + semver.MajorMinor(releases[0]) + " to v1.37"},
		{"v2.30.0", "", "newer"},
		{"newest", "", `"newest" is not a Kubernetes version: expected one like "v1.37.1", a minor version like "v1.37", or "latest"`},
		{"1", "", "is not a Kubernetes version"},
		{"v1.30-rc.1", "", "is not a Kubernetes version"},
		{"v1.37.1+k3s1", "", "is not a Kubernetes version"},
		{"vv1.37.1", "", "is not a Kubernetes version"},
		{"../v1.37.1", "", "is not a Kubernetes version"},
	} {
		got, err := ParseVersion(test.in)
		if test.err == "" && (err != nil || got != test.want) {
			t.Errorf("ParseVersion(%q) = %q, %v, want %q", test.in, got, err, test.want)
		}
		if test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
			t.Errorf("ParseVersion(%q) = %q, %v, want an error with %q", test.in, got, err, test.err)
		}
	}
	// The source of v1.15 is not available.
	if _, err := ParseVersion("1.15"); err == nil || strings.Contains(err.Error(), "its source") {
		t.Errorf("v1.15: got %v, want an error that does not offer the source", err)
	}
}

func TestReleases(t *testing.T) {
	if !slices.IsSortedFunc(Releases(), semver.Compare) || !slices.Contains(Releases(), DefaultVersion) {
		t.Errorf("Releases returned %v, want them oldest first, and with %s", Releases(), DefaultVersion)
	}
	for i, v := range Releases() {
		if i > 0 && semver.MajorMinor(v) == semver.MajorMinor(Releases()[i-1]) {
			t.Errorf("two releases of %s", semver.MajorMinor(v))
		}
		if semver.Canonical(v) != v {
			t.Errorf("%q is not a version with a patch number", v)
		}
	}
}

// TestAdvise checks that only a failed build of an untested release gets the advice to use a
// tested release.
func TestAdvise(t *testing.T) {
	broken := &program.CompileError{Complaints: []string{"x.go:1:2: undefined: y"}, Log: "/build.log", Err: errors.New("exit status 1")}
	err := adviseTestedRelease("v1.27.16", broken)
	for _, want := range []string{"undefined: y", "the whole log is /build.log", `apitrace was tested with v1.27.4 of the same minor version: use it with "--k8s v1.27.4"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nlacks %q", err, want)
		}
	}
	if !errors.Is(err, broken) {
		t.Error("errors.Is does not find the build error")
	}
	for _, err := range []error{context.Canceled, &traced.EditError{}, &program.SpaceError{}} {
		if got := adviseTestedRelease("v1.27.16", err); got != err {
			t.Errorf("%v became %v, want it unchanged", err, got)
		}
	}
	if got := adviseTestedRelease("v1.27.4", broken); got != error(broken) {
		t.Errorf("with the tested release itself, the error became %v, want it unchanged", got)
	}
}

// TestPagesNameTheRange checks that docs/versions.md states the range of releases.
func TestPagesNameTheRange(t *testing.T) {
	for page, sentence := range map[string]string{"versions.md": "accepts any release from %s to %s.", "versions.zh.md": "接受 %s 到 %s 的任何版本："} {
		text, err := os.ReadFile("../docs/" + page)
		want := fmt.Sprintf(sentence, semver.MajorMinor(releases[0]), semver.MajorMinor(releases[len(releases)-1]))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("docs/%s: %v, expected %q", page, err, want)
		}
	}
}
