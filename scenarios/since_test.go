package scenarios

import (
	"slices"
	"testing"

	"github.com/kubeapitrace/apitrace/trace/lineage"
)

func TestShownFirst(t *testing.T) {
	names, err := lineage.Load()
	if err != nil {
		t.Fatal(err)
	}
	all, err := List()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, s := range all {
		if s.Releases.Since == "" {
			continue
		}
		want := cameWith(names, s)
		if got := shownFirst[s.Name]; got != want {
			t.Errorf("%s: shownFirst has %q, expected %q", s.Name, got, want)
		}
		if want != "" {
			found++
		}
	}
	if found != len(shownFirst) {
		t.Errorf("shownFirst has %d scenarios, expected %d", len(shownFirst), found)
	}
}

// cameWith returns the first of a scenario's expected functions that is new in the scenario's
// first release, or "". It finds no closures, because they are not in the lineage.
func cameWith(names *lineage.Library, s *Scenario) string {
	first := slices.IndexFunc(names.Releases, s.Releases.Has)
	for _, request := range s.Requests {
		for _, call := range request.Expect.Calls {
			var means []string
			for _, name := range call {
				means = append(means, names.Find(lineage.Function, name)...)
			}
			has := func(release string) bool {
				return slices.ContainsFunc(means, func(full string) bool { return names.Has(lineage.Function, full, release) })
			}
			if slices.IndexFunc(names.Releases, has) == first && first >= 0 {
				return call[0]
			}
		}
	}
	return ""
}
