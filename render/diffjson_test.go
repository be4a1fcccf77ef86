package render

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/view"
	"github.com/kubeapitrace/apitrace/view/viewtest"
)

// TestDiffJSONIsThatOfAnEncoder checks that WriteDiffJSON writes the same text as an
// encoder that encodes the whole document.
func TestDiffJSONIsThatOfAnEncoder(t *testing.T) {
	a, b := load(t, "handmade-create-deployment"), load(t, "handmade-errors")
	none := *a
	none.Requests = nil
	for name, c := range map[string]*diff.Comparison{
		"different":       diff.CompareRecordings(a, b, diff.Options{}),
		"same":            diff.CompareRecordings(a, a, diff.Options{}),
		"one side":        diff.CompareRecordings(&none, a, diff.Options{}),
		"without request": diff.CompareRecordings(&none, &none, diff.Options{}),
	} {
		options := DiffOptions{ComparisonOptions: view.ComparisonOptions{NameA: "<a>", NameB: "b"}}
		var got, want bytes.Buffer
		if err := WriteDiffJSON(&got, c, viewtest.FirstGuide{}, options); err != nil {
			t.Fatal(err)
		}
		doc, err := NewDiffDocument(c, viewtest.FirstGuide{}, options)
		if err != nil {
			t.Fatal(err)
		}
		encoder := json.NewEncoder(&want)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(doc); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("%s: WriteDiffJSON wrote\n%s\nexpected\n%s", name, got.Bytes(), want.Bytes())
		}
	}
}
