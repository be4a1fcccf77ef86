package machine

import (
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// TestVersionsOfACacheOfAnotherApitrace checks that the list tolerates a release in
// the cache that was built by an incompatible version of apitrace.
func TestVersionsOfACacheOfAnotherApitrace(t *testing.T) {
	var entries []program.Entry
	for _, version := range []string{"v1.10.13", "v1.22.3", "v1.30.4"} {
		entries = append(entries, program.Entry{Kind: program.KindBuild, Program: apiserver.Name, Version: version})
	}
	all := versionsOf(entries)
	for version, want := range map[string]bool{"v1.10.13": false, "v1.22.3": true, apiserver.Releases()[0]: true, "v1.30.4": true} {
		if slices.Contains(all, version) != want {
			t.Errorf("%s is listed: %t, want %t", version, !want, want)
		}
	}
	if len(all) != len(apiserver.Releases())+1 {
		t.Errorf("the list is %v, expected the tested releases and v1.22.3", all)
	}
}

// TestVersionsOfACacheWithCheckouts checks that each build of a checkout is listed
// once, after its release.
func TestVersionsOfACacheWithCheckouts(t *testing.T) {
	var entries []program.Entry
	for _, version := range []string{"v1.37.1+6bb9f2d5c5.dirty.c84a3d2a", "v1.37.1", "v1.37.1+6bb9f2d5c5.2790a8eb", "v1.37.1", "v1.37.1+6bb9f2d5c5.dirty.c84a3d2a", "v1.37.1+6bb9f2d5c5.2790a8eb"} {
		entries = append(entries, program.Entry{Kind: program.KindBuild, Program: apiserver.Name, Version: version})
	}
	all := versionsOf(entries)
	if got := all[len(all)-3:]; !slices.Equal(got, []string{"v1.37.1", "v1.37.1+6bb9f2d5c5.2790a8eb", "v1.37.1+6bb9f2d5c5.dirty.c84a3d2a"}) || slices.Index(all, "v1.37.1") != len(all)-3 {
		t.Errorf("the list is %v, expected v1.37.1 and then its two checkouts at the end", all)
	}
}

// TestWriteReleasesTellsCheckoutsFromReleases checks the line that explains a + in a
// version.
func TestWriteReleasesTellsCheckoutsFromReleases(t *testing.T) {
	for _, checkout := range []bool{false, true} {
		var out strings.Builder
		if err := WriteReleases(&out, []Release{{K8sVersion: "v1.37.1+a", Checkout: checkout}}, message.For("en")); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "builds of a local checkout") != checkout {
			t.Errorf("with Checkout %t, the table is\n%s", checkout, out.String())
		}
	}
}
