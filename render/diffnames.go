package render

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/view"
)

// WriteDiffNames writes the merged tree of each request for other programs. A
// call is a line: the marks of its changes in at least two columns, two blanks
// for each level, and the full name. A renamed function has both names, the
// old name first.
func WriteDiffNames(w io.Writer, c *diff.Comparison) error {
	out := bufio.NewWriter(w)
	for i := range c.Requests {
		pair := &c.Requests[i]
		if pair.Diff == nil {
			r, mark := pair.A, view.MarkOf(diff.Removed)
			if r == nil {
				r, mark = pair.B, view.MarkOf(diff.Added)
			}
			fmt.Fprintf(out, "# %s %s %s -> %d\n", mark, r.Method, oneLine(r.Path), r.Status)
			continue
		}
		fmt.Fprintf(out, "# %s %s -> %d\n", pair.B.Method, oneLine(pair.B.Path), pair.B.Status)
		writeMergedNames(out, pair.Diff)
	}
	return out.Flush()
}

// writeMergedNames writes the calls of one merged tree.
func writeMergedNames(out *bufio.Writer, d *diff.Diff) {
	merged := d.Merge()
	shown := &view.Differences{Diff: d, Merged: merged}
	for _, c := range d.Changes {
		shown.Changes = append(shown.Changes, view.ShownChange{Change: c})
	}
	for i := range merged.Tree.Len() {
		name := merged.Tree.Call(i).Function
		if a := merged.A[i]; a != diff.None && d.A.Call(a).Function != name {
			name = d.A.Call(a).Function + " => " + name
		}
		fmt.Fprintf(out, "%-2s%s%s\n", shown.Mark(i), strings.Repeat("  ", merged.Tree.Depth(i)), name)
	}
}
