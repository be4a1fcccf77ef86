package reading_test

import (
	"testing"

	"github.com/kubeapitrace/apitrace/trace/search"
	"github.com/kubeapitrace/apitrace/workshop/reading"
)

// TestPagesAreFound searches for a lesson, an exercise and a document by their titles,
// and for a document by a heading.
func TestPagesAreFound(t *testing.T) {
	all, err := reading.Pages("en")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		text, name string
		kind       search.PageKind
	}{
		{"filter chain", "02-filter-chain", search.Lesson},
		{"whose-410", "whose-410", search.Exercise},
		{"glossary", "docs/glossary.md", search.Document},
	} {
		found := search.FindPages(test.text, all)
		if len(found) == 0 || found[0].Name != test.name || found[0].Kind != test.kind {
			t.Errorf("%q finds %v, expected %s %s first", test.text, found, test.kind, test.name)
		}
	}
	if found := search.FindPages("no such page", all); len(found) > 0 {
		t.Errorf("found %v", found)
	}
	if found := search.FindPages(" ", all); len(found) > 0 {
		t.Errorf("a blank finds %d pages", len(found))
	}
	headings := 0
	for _, p := range all {
		headings += len(p.Headings)
		if p.Title == "" {
			t.Errorf("%s has no title", p.Name)
		}
	}
	if headings < 50 {
		t.Errorf("all pages have %d headings, expected more", headings)
	}
}
