package export

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
)

// WriteFolded writes collapsed stacks, one line per path of functions:
//
//	GET /api/v1/nodes/n1;k8s.io/apiserver/pkg/server.(*APIServerHandler).ServeHTTP 4711
//
// The number is how many nanoseconds the last function ran itself, summed over
// all its calls on that path. Flame graph programs read this. A path on which no
// time was spent has no line; paths stand in order of their first call.
func WriteFolded(w io.Writer, rec *trace.Recording) error {
	out := bufio.NewWriter(w)
	for i := range rec.Requests {
		tree, err := trace.NewTree(&rec.Requests[i])
		if err != nil {
			return fmt.Errorf("collapse stacks: %w", err)
		}
		writeStacks(out, tree)
	}
	return out.Flush()
}

func writeStacks(out *bufio.Writer, tree *trace.Tree) {
	stacks := make([]string, tree.Len())
	self := map[string]int64{}
	var order []string
	for i := range tree.Len() {
		above := frame(tree.Request.Method + " " + tree.Request.Path)
		if p := tree.Parent(i); p >= 0 {
			above = stacks[p]
		}
		stacks[i] = above + ";" + frame(tree.Call(i).Function)
		if _, ok := self[stacks[i]]; !ok {
			order = append(order, stacks[i])
		}
		self[stacks[i]] += tree.SelfNs(i)
	}
	for _, stack := range order {
		if self[stack] > 0 {
			fmt.Fprintf(out, "%s %d\n", stack, self[stack])
		}
	}
}

// frame writes a name without the character that separates frames.
func frame(name string) string { return strings.ReplaceAll(name, ";", ":") }
