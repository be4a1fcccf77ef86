package machine

import (
	"slices"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// TestVersionsOfACacheOfAnotherApitrace checks that a release in the cache that was built by an incompatible version of
// apitrace does not break the list.
func TestVersionsOfACacheOfAnotherApitrace(t *testing.T) {
	var entries []program.Entry
	for _, version := range []string{"v1.10.13", "v1.22.3", "v1.30.4"} {
		entries = append(entries, program.Entry{Kind: program.KindBuild, Program: apiserver.Name, Version: version})
	}
	all := versionsOf(entries)
	for version, want := range map[string]bool{"v1.10.13": false, "v1.22.3": true, "v1.18.2": true, "v1.30.4": true} {
		if slices.Contains(all, version) != want {
			t.Errorf("%s is listed: %t, want %t", version, !want, want)
		}
	}
	if len(all) != len(apiserver.Older())+len(apiserver.Releases())+1 {
		t.Errorf("listed are %v", all)
	}
}
