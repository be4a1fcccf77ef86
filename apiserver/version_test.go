package apiserver

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/semver"
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
		{"v1.25.16", "", "outside of what this apitrace can trace, v1.26 to v1.37: choose one of v1.26.15, v1.27.4,"},
		{"1.25", "", "outside"},
		{"v1.38.0", "", "outside of what this apitrace can trace, v1.26 to v1.37"},
		{"v2.30.0", "", "outside"},
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
}

func TestReleases(t *testing.T) {
	if !slices.IsSortedFunc(Releases(), semver.Compare) || !slices.Contains(Releases(), DefaultVersion) {
		t.Errorf("%v: want them oldest first, %s among them", Releases(), DefaultVersion)
	}
	for i, v := range Releases() {
		if i > 0 && semver.MajorMinor(v) == semver.MajorMinor(Releases()[i-1]) {
			t.Errorf("two releases of %s", semver.MajorMinor(v))
		}
		if semver.Canonical(v) != v {
			t.Errorf("%q is no whole version", v)
		}
	}
}
