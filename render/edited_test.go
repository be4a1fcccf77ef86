package render

import (
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/view"

	"github.com/kubeapitrace/apitrace/view/viewtest"
)

// TestEdited checks that each form of output names the files of a program that
// the user edited.
func TestEdited(t *testing.T) {
	rec := load(t, "handmade-get-node")
	changed := *rec
	changed.Edited = []string{"k8s.io/apiserver/pkg/server/config.go"}
	c := diff.CompareRecordings(rec, &changed, diff.Options{})
	options := DiffOptions{ComparisonOptions: view.ComparisonOptions{NameA: "before", NameB: "after"}, Layout: Layout{Width: 120}}
	for name, write := range map[string]func(*strings.Builder) error{
		"tree": func(out *strings.Builder) error {
			return writeTree(out, &changed, viewtest.FirstGuide{}, Options{Layout: Layout{Width: 120}})
		},
		"outline": func(out *strings.Builder) error {
			return writeOutline(out, &changed, viewtest.FirstGuide{}, Options{Layout: Layout{Width: 120}})
		},
		"diff": func(out *strings.Builder) error { return writeDiff(out, c, viewtest.FirstGuide{}, options) },
		"json": func(out *strings.Builder) error { return WriteDiffJSON(out, c, viewtest.FirstGuide{}, options) },
	} {
		var out strings.Builder
		if err := write(&out); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), changed.Edited[0]) {
			t.Errorf("%s: expected the edited file %s in:\n%s", name, changed.Edited[0], out.String())
		}
	}
}
