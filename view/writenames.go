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
// trace.WriteNames. The depth counts shown calls only. A request's first call is
// left out unless the filter selects it.
func WriteNames(w io.Writer, rec *trace.Recording, classifier Classifier, choice Choice) error {
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
			writeNames(out, tree, v.Root, 0)
			continue
		}
		for _, child := range v.Root.Children {
			writeNames(out, tree, child, 0)
		}
	}
	return out.Flush()
}

// writeNames writes a node and the nodes below it.
func writeNames(out *bufio.Writer, tree *trace.Tree, n *Node, depth int) {
	for _, call := range n.Calls {
		out.WriteString(strings.Repeat("  ", depth))
		out.WriteString(tree.Call(call).Function)
		out.WriteByte('\n')
	}
	for _, child := range n.Children {
		writeNames(out, tree, child, depth+1)
	}
}
