package newrelease

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/apiserver"
)

// TestInsert adds releases to the real list in apiserver/version.go.
func TestInsert(t *testing.T) {
	source, err := os.ReadFile("../../../" + listFile)
	if err != nil {
		t.Fatal(err)
	}
	releases := apiserver.Releases()
	older := releases[len(releases)-2]
	for _, test := range []struct{ name, version, replaced, want string }{
		{"newer than all", "v1.99.0", "", "DefaultVersion, \"v1.99.0\",\n}"},
		{"a newer patch release takes the place of the older", semver.MajorMinor(older) + ".99", older, "\"" + semver.MajorMinor(older) + ".99\", DefaultVersion"},
		{"a release that is in the list already", older, "", string(source)},
	} {
		changed, replaced, err := insert(source, test.version)
		if err != nil || replaced != test.replaced || !strings.Contains(string(changed), test.want) {
			t.Errorf("%s: insert returned the error %v and replaced %q, expected replaced %q, and %s in\n%.600s", test.name, err, replaced, test.replaced, test.want, changed)
		}
	}
	if _, _, err := insert(source, semver.MajorMinor(apiserver.DefaultVersion)+".99"); err == nil {
		t.Error("insert replaced the default release by another patch release, expected an error")
	}
	if _, _, err := insert([]byte("package apiserver\nvar known = []string{}\n"), "v1.99.0"); err == nil {
		t.Error("insert accepted a file without the variable releases, expected an error")
	}
}

func TestPredecessor(t *testing.T) {
	releases := apiserver.Releases()
	last := len(releases) - 1
	for version, want := range map[string]string{
		"v1.99.0": releases[last],
		semver.MajorMinor(releases[last]) + ".99":     releases[last-1],
		semver.MajorMinor(releases[last]) + ".0-rc.0": releases[last-1],
	} {
		if got := predecessor(version); got != want {
			t.Errorf("the predecessor of %s is %s, expected %s", version, got, want)
		}
	}
}
