package scenarios

import (
	"strings"
	"testing"
)

func TestReleases(t *testing.T) {
	for _, test := range []struct {
		releases Releases
		said     string
		has      []string
		hasNot   []string
	}{
		{Releases{}, "", []string{"v1.26.0", "v1.37.1"}, nil},
		{Releases{Since: "v1.30"}, "v1.30 or newer", []string{"v1.30.0", "v1.30.4", "v1.37.1"}, []string{"v1.29.15", "v1.9.0"}},
		{Releases{Since: "v1.30.4"}, "v1.30.4 or newer", []string{"v1.30.4"}, []string{"v1.30.3"}},
		{Releases{Until: "v1.30"}, "v1.30 or older", []string{"v1.30.0", "v1.30.14", "v1.26.1"}, []string{"v1.31.0"}},
		{Releases{Since: "v1.27", Until: "v1.30.4"}, "v1.27 to v1.30.4", []string{"v1.27.0", "v1.30.4"}, []string{"v1.26.15", "v1.30.5"}},
	} {
		if got := test.releases.Text().En; got != test.said {
			t.Errorf("%+v is called %q, expected %q", test.releases, got, test.said)
		}
		for _, version := range test.has {
			if !test.releases.Has(version) {
				t.Errorf("%+v should have %s", test.releases, version)
			}
		}
		for _, version := range test.hasNot {
			if test.releases.Has(version) {
				t.Errorf("%+v should not have %s", test.releases, version)
			}
		}
	}
}

func TestRunsOn(t *testing.T) {
	s := find(t, "policy-deny")
	if err := s.RunsOn("v1.30.4"); err != nil {
		t.Error(err)
	}
	err := s.RunsOn("v1.29.15")
	const want = `scenario "policy-deny" needs Kubernetes v1.30 or newer, this is v1.29.15: choose another version with --k8s`
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got  %v\nwant %s...", err, want)
	}
}
