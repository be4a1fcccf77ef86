package session

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/kubeapitrace/apitrace/controlplane"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/release"
)

func TestEdition(t *testing.T) {
	first, err := edition()
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^[0-9a-f]{12}$`).MatchString(first) {
		t.Errorf("the edition is %q, expected 12 hexadecimal digits", first)
	}
	for range 5 { // the guide holds maps, which have no order
		if again, err := edition(); again != first || err != nil {
			t.Fatalf("the edition is %q, then %q with the error %v, expected the same again", first, again, err)
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
			t.Errorf("with %+v in %s, the edition is %q with the error %v; without the entry, it is %q", test.entry, test.program, got, err, first)
		}
	}

	// It makes no difference at which release before v1.26 an entry begins.
	a := countedFrom(editionSince, instrument.ProgramGuide{Packages: []instrument.Packages{{Path: "k8s.io/a", Range: release.Range{Since: "v1.22"}}}})
	b := countedFrom(editionSince, instrument.ProgramGuide{Packages: []instrument.Packages{{Path: "k8s.io/a", Range: release.Range{Since: "v1.25"}}}})
	if a.Packages[0].Range != b.Packages[0].Range {
		t.Errorf("the entries count as %+v and %+v, expected no difference", a.Packages[0], b.Packages[0])
	}
}

// A program that no recording has does not outdate recordings.
func TestEditionLeavesOtherProgramsOut(t *testing.T) {
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	first, err := editionOf(guide)
	if err != nil {
		t.Fatal(err)
	}
	more := *guide
	more.Programs = maps.Clone(guide.Programs)
	more.Programs["kube-proxy"] = &instrument.ProgramGuide{Packages: []instrument.Packages{{Path: "k8s.io/kubernetes/pkg/proxy"}}}
	fewer := *guide
	fewer.Programs = maps.Clone(guide.Programs)
	for _, p := range controlplane.Programs() {
		delete(fewer.Programs, p.Name)
	}
	for _, changed := range []*instrument.Guide{&more, &fewer} {
		if got, err := editionOf(changed); err != nil || got != first {
			t.Errorf("with the programs %q, the edition is %q, %v; it was %q", slices.Sorted(maps.Keys(changed.Programs)), got, err, first)
		}
	}
}
