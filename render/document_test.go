package render

import (
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/spoken"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// TestDocumentSaysWhatTheTreeSays looks for every text of a document in the tree of the same request.
func TestDocumentSaysWhatTheTreeSays(t *testing.T) {
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
			spokenGuide := spoken.New(guide, lang, rec)
			var out strings.Builder
			if err := WriteTree(&out, rec, spokenGuide, Options{Width: 4000, Lang: lang, Notes: true}); err != nil {
				t.Fatal(err)
			}
			tree := strings.Join(strings.Fields(out.String()), " ")
			steps := 0
			has := func(texts ...string) {
				for _, text := range texts {
					if text = strings.Join(strings.Fields(text), " "); !strings.Contains(tree, text) {
						t.Errorf("%s, %s: the tree has no %q", scenario, lang, text)
					}
				}
			}
			var step func(s *DocumentStep)
			step = func(s *DocumentStep) {
				steps++
				has(s.Time, s.Name, s.Place, s.Failure, oneLine(s.Note))
				has(s.Plugins...)
				has(s.Errors...)
				for _, v := range s.Values {
					has(v.Text)
				}
				for i := range s.Children {
					step(&s.Children[i])
				}
			}
			for i := range rec.Requests {
				doc, err := NewDocument(rec, i, spokenGuide, Options{Lang: lang})
				if err != nil {
					t.Fatal(err)
				}
				has(doc.Request, doc.Facts, doc.Failure, doc.Running)
				has(doc.Warnings...)
				has(doc.Stored...)
				for _, section := range doc.Sections {
					has(section.Title, section.Called)
					for _, s := range section.Sentences {
						has(s.Text)
					}
					step(&section.Root)
				}
			}
			if steps < 20 {
				t.Errorf("%s: %d steps", scenario, steps)
			}
		}
	}
}
