package view

import (
	"cmp"
	"slices"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// reordered describes a call that both sides make in another order: Inner is the nearest call that was on its other side.
func (s *Summary) reordered(c *ShownChange) Statement {
	st := s.both(StatementReordered, c)
	st.Caller = s.nameOf(s.Diff.B, pairedAbove(s.Diff.B, s.Diff.InA, c.B)).named()
	if passed := s.passedBy(c); passed != diff.None {
		st.Inner, st.After = nameOfCall(s.Diff.B.Call(passed)).named(), passed < c.B
	}
	return st
}

// passedBy returns, among the calls of side B that have the same caller as a reordered one, on both sides and apart from calls that
// only one side makes, the nearest key step that was on its other side, or else the nearest call; diff.None if there is none that has
// its name alone. The order between goroutines has no meaning.
func (s *Summary) passedBy(c *ShownChange) int {
	a, b := s.Diff.A, s.Diff.B
	above, aboveA := pairedAbove(b, s.Diff.InA, c.B), pairedAbove(a, s.Diff.InB, c.A)
	times := map[string]int{}
	var passed []int
	for i := above + 1; i < b.End(above); {
		was := s.Diff.InA[i]
		if was == diff.None {
			i++
			continue
		}
		times[NameWithPurpose(b.Call(i))]++
		if i != c.B && (was < c.A) != (i < c.B) && pairedAbove(a, s.Diff.InB, was) == aboveA && !b.Call(i).NewGoroutine && !a.Call(was).NewGoroutine {
			passed = append(passed, i)
		}
		i = b.End(i)
	}
	passed = slices.DeleteFunc(passed, func(i int) bool { return times[NameWithPurpose(b.Call(i))] > 1 })
	if len(passed) == 0 {
		return diff.None
	}
	other := func(i int) int { // 0 for a key step
		if s.guide.Key(b.Call(i).Function) {
			return 0
		}
		return 1
	}
	return slices.MinFunc(passed, func(i, j int) int {
		return cmp.Or(other(i)-other(j), max(i-c.B, c.B-i)-max(j-c.B, c.B-j))
	})
}

// pairedAbove returns the nearest call above call i of a side that the other side makes, too; the first call if there is none.
func pairedAbove(tree *trace.Tree, partner []int, i int) int {
	above := tree.Parent(i)
	for above > 0 && partner[above] == diff.None {
		above = tree.Parent(above)
	}
	return above
}
