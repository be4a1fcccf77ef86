package view

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view/viewtest"
)

// anyChoice draws a Choice.
func anyChoice(t *rapid.T) Choice {
	choice := Choice{
		Full: rapid.Bool().Draw(t, "full"), Depth: rapid.IntRange(0, 4).Draw(t, "depth"),
		Most: rapid.IntRange(0, 5).Draw(t, "most"), Upstream: rapid.Bool().Draw(t, "upstream"),
	}
	if rapid.Bool().Draw(t, "filter") {
		choice.Filter = Filter{
			Errors: rapid.Bool().Draw(t, "errors"), Etcd: rapid.Bool().Draw(t, "etcd"),
			MinDuration: time.Duration(rapid.SampledFrom([]int{0, 1 << 40}).Draw(t, "min-duration")),
			Layers:      rapid.SampledFrom([][]string{nil, {"key1", "group1"}}).Draw(t, "layers"),
			Grep:        rapid.SampledFrom([]*regexp.Regexp{nil, regexp.MustCompile("key|长")}).Draw(t, "grep"),
		}
	}
	return choice
}

// TestEveryCallIsShownOrCounted checks that every call is in exactly one place of a
// view, and that the totals agree.
func TestEveryCallIsShownOrCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := viewtest.AnyRecording(t)
		tree, err := trace.NewTree(&rec.Requests[0])
		if err != nil {
			t.Fatal(err)
		}
		choice := anyChoice(t)
		view := NewView(tree, viewtest.ByName{}, choice)
		if sum := view.Shown + view.Folded + view.Cut; sum != tree.Len() {
			t.Fatalf("%d shown + %d folded + %d cut calls, expected %d in all", view.Shown, view.Folded, view.Cut, tree.Len())
		}
		shown := map[int]*Node{}
		checkNode(t, view, view.Root, shown)
		if len(shown) != view.Shown {
			t.Fatalf("the nodes have %d calls, but View.Shown is %d", len(shown), view.Shown)
		}
		for _, part := range []int{view.Plumbing, view.Handled, view.LessTelling, view.Upstream} {
			if choice.Depth == 0 && part > view.Folded {
				t.Fatalf("Plumbing %d, Handled %d, LessTelling %d and Upstream %d: expected none of them above Folded, %d", view.Plumbing, view.Handled, view.LessTelling, view.Upstream, view.Folded)
			}
		}
		if choice.Depth == 0 && view.Cut != 0 {
			t.Fatalf("View.Cut is %d without a depth, expected 0", view.Cut)
		}
		if choice.Depth == 0 && (choice.Full || choice.Most == 0) {
			checkWanted(t, view, choice, shown)
		}
	})
}

// checkWanted checks that every call that the choice selects is shown, unless a group
// contains it.
func checkWanted(t *rapid.T, view *View, choice Choice, shown map[int]*Node) {
	filter := newFiltering(&choice.Filter, view.Tree, viewtest.ByName{}, view.ErrorPath, choice.Full)
	for i := range view.Tree.Len() {
		call := view.Tree.Call(i)
		wanted := choice.Full || choice.Filter.finds() || (viewtest.ByName{}).Key(call.Function) && (choice.Upstream || !Upstream(call))
		if i == 0 || !wanted || choice.Filter.Active() && !filter.selects(i) {
			if i > 0 && choice.Filter.Active() && !filter.selects(i) && shown[i] != nil && !leadsToMatch(view.Tree, filter, shown[i]) {
				t.Fatalf("call %d is shown, but the filter does not select it, and it does not lead to a match", i)
			}
			continue
		}
		above := i
		for shown[above] == nil {
			above = view.Tree.Parent(above)
		}
		if group := shown[above]; above != i && (choice.Full || group.Group == "" || len(group.Calls) == 1 || group.Origin && group.Fatal) {
			t.Fatalf("call %d (%s) is selected, but neither shown nor in a group", i, call.Function)
		}
	}
}

// leadsToMatch reports whether Node.Leads is set and right: each call of the node
// leads to a call that the filter selects. It returns false without Filter.Grep.
func leadsToMatch(tree *trace.Tree, filter *filtering, n *Node) bool {
	if !n.Leads || filter.Grep == nil {
		return false
	}
	for _, i := range n.Calls {
		leads := false
		for below := i + 1; below < tree.End(i); below++ {
			leads = leads || filter.selects(below)
		}
		if !leads {
			return false
		}
	}
	return true
}

// checkNode checks the nodes at and below n. Each call must be in one node, and below
// a call of the parent node, with Node.Through folded calls in between. checkNode adds
// the calls to shown.
func checkNode(t *rapid.T, view *View, n *Node, shown map[int]*Node) {
	for _, i := range n.Calls {
		if shown[i] != nil {
			t.Fatalf("call %d is in two nodes, expected one", i)
		}
		shown[i] = n
	}
	for _, child := range n.Children {
		for _, i := range child.Calls {
			p, through := view.Tree.Parent(i), 0
			for p >= 0 && shown[p] == nil {
				p = view.Tree.Parent(p)
				through++
			}
			if through > child.Through || len(child.Calls) == 1 && through != child.Through {
				t.Fatalf("call %d has %d folded calls between it and its parent node, but Node.Through is %d", i, through, child.Through)
			}
			if !slices.Contains(n.Calls, p) {
				t.Fatalf("call %d is below the node of the calls %v, expected the node of the nearest shown call above, %d", i, n.Calls, p)
			}
		}
		checkNode(t, view, child, shown)
	}
}
