package view

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// WriteNames writes the names of the calls that a choice shows, in the format of
// trace.WriteNames. The first call of a request is left out unless the filter selects
// it. Depths, also Choice.Depth, count the written calls only.
func WriteNames(w io.Writer, rec *trace.Recording, classifier Classifier, choice Choice) error {
	depth := choice.Depth
	choice.Depth = 0 // it counts a call that continues its caller as one level with it
	out := bufio.NewWriter(w)
	for i := range rec.Requests {
		r := &rec.Requests[i]
		tree, err := trace.NewTree(r)
		if err != nil {
			return message.Errorf("names of %s %s: %w", r.Method, r.Path, err)
		}
		fmt.Fprintf(out, "# %s %s -> %d\n", r.Method, r.Path, r.Status)
		v := NewView(tree, classifier, choice)
		if newFiltering(&choice.Filter, tree, classifier, v.ErrorPath, choice.Full).selects(0) {
			writeNames(out, tree, v.Root, 0, depth)
			continue
		}
		for _, child := range v.Root.Children {
			writeNames(out, tree, child, 0, depth)
		}
	}
	return out.Flush()
}

// writeNames writes a node at a depth and the nodes below it, down to most levels. 0 is no
// limit.
func writeNames(out *bufio.Writer, tree *trace.Tree, n *Node, depth, most int) {
	if most > 0 && depth >= most {
		return
	}
	for _, call := range n.Calls {
		out.WriteString(strings.Repeat("  ", depth))
		out.WriteString(tree.Call(call).Function)
		out.WriteByte('\n')
	}
	for _, child := range n.Children {
		writeNames(out, tree, child, depth+1, most)
	}
}
