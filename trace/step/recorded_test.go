package step_test

import (
	"slices"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/trace/step"
)

// TestForwardAndBackThroughRecordings steps through recorded requests and back. Forward, each
// call must be entered once, in the recorded order. Each position must have the same stack in
// both directions.
func TestForwardAndBackThroughRecordings(t *testing.T) {
	for _, scenario := range []string{"get-node", "create-deployment", "delete-pod"} {
		rec, err := recordings.Load("latest", scenario)
		if err != nil {
			t.Fatal(err)
		}
		for i := range rec.Requests {
			tree := trace.TreeOfValid(&rec.Requests[i])
			w := step.Walker{Tree: tree}
			var stacks [][]step.Frame
			entered := 0
			p, ok := w.First(), true
			for ; ok; p, ok = w.Step(p, step.Into, step.Forward) {
				if n := w.Number(p); n != len(stacks) {
					t.Fatalf("%s: position %v has the number %d, expected %d", scenario, p, n, len(stacks))
				}
				stacks = append(stacks, w.Stack(p))
				if p.Kind == step.Entered {
					if p.Call != entered {
						t.Fatalf("%s: call %d was entered next, expected call %d", scenario, p.Call, entered)
					}
					entered++
				}
			}
			if entered != tree.Len() || len(stacks) != w.Len() {
				t.Errorf("%s: entered %d of %d calls, visited %d of %d positions, expected all", scenario, entered, tree.Len(), len(stacks), w.Len())
			}
			for n := len(stacks) - 1; n >= 0; n-- {
				if got := w.Stack(p); !slices.Equal(got, stacks[n]) {
					t.Fatalf("%s: stepping backward, the stack at %v is %v, expected %v", scenario, p, got, stacks[n])
				}
				p, _ = w.Step(p, step.Into, step.Backward)
			}
		}
	}
}
