package recordings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
)

// Shape returns the names of all calls in the format of trace.WriteNames, but
// with the children of each call sorted. Upstream iterates over maps, so the
// order of some calls changes from run to run. Runs that differ only in that
// order have the same shape.
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
