package render

import (
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view"
)

// TestTraceSaysWhatTheTreeSays looks for the texts of a view.Trace in the tree
// of the same request.
func TestTraceSaysWhatTheTreeSays(t *testing.T) {
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, scenario := range []string{"get-node", "create-deployment", "get-forbidden", "watch-pods", "aggregated-api"} {
		for _, lang := range []string{"en", "zh"} {
			rec, err := recordings.Load("", scenario)
			if err != nil {
				t.Fatal(err)
			}
			readerGuide := guide.ForReader(lang, rec)
			var out strings.Builder
			if err := writeTree(&out, rec, readerGuide, Options{Options: view.Options{Lang: lang, Notes: true}, Layout: Layout{Width: 4000}}); err != nil {
				t.Fatal(err)
			}
			tree := strings.Join(strings.Fields(out.String()), " ")
			steps := 0
			has := func(texts ...string) {
				for _, text := range texts {
					if text = strings.Join(strings.Fields(text), " "); !strings.Contains(tree, text) {
						t.Errorf("%s, %s: expected %q in the tree", scenario, lang, text)
					}
				}
			}
			var step func(s *view.TraceStep)
			step = func(s *view.TraceStep) {
				steps++
				has(s.Time, s.Name, s.Place, s.Failure, oneLine(s.Note))
				for _, line := range s.Plugins {
					has(line.Text)
				}
				has(s.Errors...)
				for _, v := range s.Values {
					has(v.Text)
				}
				for i := range s.Children {
					step(&s.Children[i])
				}
			}
			for i := range rec.Requests {
				doc, err := view.NewTrace(rec, i, readerGuide, view.Options{Lang: lang, Notes: true})
				if err != nil {
					t.Fatal(err)
				}
				has(doc.Request, doc.Facts, doc.Failure, doc.Running)
				has(doc.Warnings...)
				has(doc.Stored...)
				has(doc.Delivered...)
				for _, section := range doc.Sections {
					has(section.Title, section.Called)
					for _, s := range section.Sentences {
						has(s.Text)
					}
					step(&section.Root)
				}
			}
			if steps < 20 {
				t.Errorf("%s: got %d steps, expected 20 or more", scenario, steps)
			}
		}
	}
}
