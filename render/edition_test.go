package render

import (
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/view"

	"github.com/kubeapitrace/apitrace/view/viewtest"
)

// TestEditions checks the warning that two editions of apitrace trace different
// packages. It must appear if, and only if, both editions are known and differ.
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
		const warning = "before.jsonl and after.jsonl were recorded by two editions of apitrace that trace different packages"
		if got := strings.Contains(out.String(), warning); got != test.warn {
			t.Errorf("editions %q and %q: the output has the warning: %v, expected %v:\n%s", test.a, test.b, got, test.warn, out.String())
		}
	}
}

// TestMorePackages checks that a tree and a comparison name packages that --trace
// added.
func TestMorePackages(t *testing.T) {
	const same, other = "0123456789ab k8s.io/p/... k8s.io/q", "0123456789ab"
	rec := *load(t, "handmade-get-node")
	rec.Edition = same
	var tree strings.Builder
	if err := writeTree(&tree, &rec, viewtest.FirstGuide{}, Options{Layout: Layout{Width: 400}}); err != nil {
		t.Fatal(err)
	}
	if want := "packages that are traced here only because --trace named them: k8s.io/p/..., k8s.io/q"; !strings.Contains(tree.String(), want) {
		t.Errorf("expected %q in the tree:\n%s", want, tree.String())
	}
	for edition, want := range map[string][2]bool{same: {true, false}, other: {false, true}} {
		a, b := rec, *load(t, "handmade-get-node")
		b.Edition = edition
		var out strings.Builder
		if err := writeDiff(&out, diff.CompareRecordings(&a, &b, diff.Options{}), viewtest.FirstGuide{}, DiffOptions{ComparisonOptions: view.ComparisonOptions{NameA: "a.jsonl", NameB: "b.jsonl"}, Layout: Layout{Width: 400}}); err != nil {
			t.Fatal(err)
		}
		for i, warning := range []string{"b.jsonl also traces packages that --trace named: k8s.io/p/..., k8s.io/q", "a.jsonl and b.jsonl trace different packages"} {
			if got := strings.Contains(out.String(), warning); got != want[i] {
				t.Errorf("edition %q: the output has %q: %v, expected %v:\n%s", b.Edition, warning, got, want[i], out.String())
			}
		}
	}
}
