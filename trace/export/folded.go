package export

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// WriteFolded writes collapsed stacks, one line for each path of functions:
//
//	GET /api/v1/nodes/n1;k8s.io/apiserver/pkg/server.(*APIServerHandler).ServeHTTP 4711
//
// The number is the own time of the last function in nanoseconds, summed over all its calls on
// that path. Flame graph programs read this format. A path without own time has no line. Paths
// are in order of their first call.
func WriteFolded(w io.Writer, rec *trace.Recording) error {
	out := bufio.NewWriter(w)
	for i := range rec.Requests {
		tree, err := trace.NewTree(&rec.Requests[i])
		if err != nil {
			return message.Errorf("collapsing stacks: %w", err)
		}
		writeStacks(out, tree)
	}
	return out.Flush()
}

// A stack is a function below a stack of callers. In deep traces, many stacks share their
// callers, so the whole text of a stack is built only when it is written.
type stack struct {
	above int // index of the callers' stack, -1 at the top
	frame string
}

func writeStacks(out *bufio.Writer, tree *trace.Tree) {
	stacks := []stack{{-1, frame(tree.Request.Method + " " + tree.Request.Path)}}
	index := map[stack]int{}
	self := []int64{0}
	at := make([]int, tree.Len()) // the stack of each call
	for i := range tree.Len() {
		s := stack{0, frame(tree.Call(i).Function)}
		if p := tree.Parent(i); p >= 0 {
			s.above = at[p]
		}
		n, ok := index[s]
		if !ok {
			n = len(stacks)
			index[s], stacks, self = n, append(stacks, s), append(self, 0)
		}
		at[i] = n
		self[n] += tree.SelfNs(i)
	}
	for n, ns := range self {
		if ns > 0 {
			fmt.Fprintf(out, "%s %d\n", text(stacks, n), ns)
		}
	}
}

func text(stacks []stack, n int) string {
	var frames []string
	for ; n >= 0; n = stacks[n].above {
		frames = append(frames, stacks[n].frame)
	}
	slices.Reverse(frames)
	return strings.Join(frames, ";")
}

// frame returns a name without ";", which separates frames.
func frame(name string) string { return strings.ReplaceAll(name, ";", ":") }
