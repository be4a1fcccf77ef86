package render

import (
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/view"

	"github.com/kubeapitrace/apitrace/view/viewtest"
)

// TestEditions checks for a warning. It must appear if, and only if, both editions are
// known and differ: they trace different packages.
func TestEditions(t *testing.T) {
	for _, test := range []struct {
		a, b string
		warn bool
	}{{"0123456789ab", "ba9876543210", true}, {"0123456789ab", "0123456789ab", false}, {"0123456789ab", "", false}, {"", "", false}} {
		a, b := *load(t, "handmade-get-node"), *load(t, "handmade-get-node")
		a.Edition, b.Edition = test.a, test.b
		c := diff.CompareRecordings(&a, &b, diff.Options{})
		var out strings.Builder
		if err := writeDiff(&out, c, viewtest.FirstGuide{}, DiffOptions{ComparisonOptions: view.ComparisonOptions{NameA: "before.jsonl", NameB: "after.jsonl"}, Layout: Layout{Width: 400}}); err != nil {
			t.Fatal(err)
		}
		const warning = "before.jsonl and after.jsonl were recorded by editions of apitrace that trace different packages"
		if got := strings.Contains(out.String(), warning); got != test.warn {
			t.Errorf("editions %q and %q: warns %v, expected %v:\n%s", test.a, test.b, got, test.warn, out.String())
		}
	}
}
