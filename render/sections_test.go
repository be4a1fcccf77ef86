package render

import (
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/spoken"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// TestAuthorizationHasASection checks in each recorded release that a section of authorization begins with its filter, also where the
// filter of impersonation, which is in the same layer, calls it without another step in between.
func TestAuthorizationHasASection(t *testing.T) {
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	releases, err := recordings.Names()
	if err != nil {
		t.Fatal(err)
	}
	for _, release := range releases {
		for scenario, want := range map[string][]string{"get-node": {"Authorization"}, "impersonate": {"Impersonation", "Authorization"}} {
			rec, err := recordings.Load(release, scenario)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := NewDocument(rec, 0, spoken.New(guide, "en", rec), Options{})
			if err != nil {
				t.Fatal(err)
			}
			var titles []string
			for _, s := range doc.Sections {
				if s.Layer != "authorization" {
					continue
				}
				titles = append(titles, s.Title)
				if is := strings.HasSuffix(s.Root.Function, "/filters.WithAuthorization.func1") || strings.HasSuffix(s.Root.Function, "/filters.withAuthorization.func1"); is != (s.Title == "Authorization") {
					t.Errorf("%s of %s: %q begins with %s", scenario, release, s.Title, s.Root.Function)
				}
			}
			if strings.Join(titles, ", ") != strings.Join(want, ", ") {
				t.Errorf("%s of %s has the sections %q, expected %q", scenario, release, titles, want)
			}
		}
	}
}
