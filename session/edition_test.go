package session

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/release"
)

func TestEdition(t *testing.T) {
	first, err := edition()
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^[0-9a-f]{12}$`).MatchString(first) {
		t.Errorf("edition %q", first)
	}
	for range 5 { // the guide holds maps
		if again, err := edition(); again != first || err != nil {
			t.Fatalf("edition %q, then %q, %v", first, again, err)
		}
	}
}

// An entry that holds only for releases before v1.26 is not part of an edition.
// Otherwise no recording of these releases could be compared with an existing recording.
func TestEditionLeavesOlderReleasesOut(t *testing.T) {
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	first, err := editionOf(guide)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		program string
		entry   instrument.Packages
		same    bool
	}{
		{"kube-apiserver", instrument.Packages{Path: "k8s.io/old", Range: release.Range{Until: "v1.25"}}, true},
		{"kube-apiserver", instrument.Packages{Path: "k8s.io/old", Range: release.Range{Since: "v1.19", Until: "v1.23.17"}}, true},
		{"kube-apiserver", instrument.Packages{Path: "k8s.io/new", Range: release.Range{Until: "v1.26"}}, false},
		{"kube-apiserver", instrument.Packages{Path: "k8s.io/new", Range: release.Range{Since: "v1.30"}}, false},
		{"kube-apiserver", instrument.Packages{Path: "k8s.io/new"}, false},
		{"etcd", instrument.Packages{Path: "go.etcd.io/old", Range: release.Range{Until: "v3.4"}}, true},
		{"etcd", instrument.Packages{Path: "go.etcd.io/new", Range: release.Range{Until: "v3.5"}}, false},
	} {
		changed := *guide
		changed.Programs = maps.Clone(guide.Programs)
		p := *guide.Programs[test.program]
		p.Packages = append(slices.Clone(p.Packages), test.entry)
		changed.Programs[test.program] = &p
		got, err := editionOf(&changed)
		if err != nil || (got == first) != test.same {
			t.Errorf("with %+v in %s, the edition is %q, %v; it was %q", test.entry, test.program, got, err, first)
		}
	}

	// Entries that begin before v1.26 count the same, wherever they begin.
	a := countedFrom(editionSince, instrument.ProgramGuide{Packages: []instrument.Packages{{Path: "k8s.io/a", Range: release.Range{Since: "v1.22"}}}})
	b := countedFrom(editionSince, instrument.ProgramGuide{Packages: []instrument.Packages{{Path: "k8s.io/a", Range: release.Range{Since: "v1.25"}}}})
	if a.Packages[0].Range != b.Packages[0].Range {
		t.Errorf("%+v and %+v count differently", a.Packages[0], b.Packages[0])
	}
}
