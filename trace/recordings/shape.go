package recordings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
)

// Shape writes the names of all calls as trace.WriteNames does, but with the calls below
// each call sorted: upstream walks maps, so that the order of some is another each
// time. Runs that differ in nothing else have the same shape.
func Shape(requests []trace.Request) (string, error) {
	var out strings.Builder
	for i := range requests {
		r := &requests[i]
		tree, err := trace.NewTree(r)
		if err != nil {
			return "", fmt.Errorf("%s %s: %w", r.Method, r.Path, err)
		}
		fmt.Fprintf(&out, "# %s %s -> %d\n%s", r.Method, r.Path, r.Status, shapeOf(tree, 0, ""))
	}
	return out.String(), nil
}

// shapeOf returns the shape of call i and of the calls below it.
func shapeOf(tree *trace.Tree, i int, indent string) string {
	var below []string
	for child := range tree.Children(i) {
		below = append(below, shapeOf(tree, child, indent+"  "))
	}
	slices.Sort(below)
	return indent + tree.Call(i).Function + "\n" + strings.Join(below, "")
}
