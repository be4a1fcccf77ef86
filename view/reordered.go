package view

import (
	"cmp"
	"slices"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// reordered returns the statement about a call that both sides make, but at
// different places in the order of calls. Its Inner is the function of the call
// that passedBy returns, if any.
func (s *Summary) reordered(c *ShownChange) Statement {
	st := s.both(StatementReordered, c)
	st.Caller = s.nameOf(s.Diff.B, pairedAbove(s.Diff.B, s.Diff.InA, c.B)).named()
	if passed := s.passedBy(c); passed != diff.None {
		st.Inner, st.After = nameOfCall(s.Diff.B.Call(passed)).named(), passed < c.B
	}
	return st
}

// passedBy returns a call of side B that the reordered call c passed: it runs
// before c on one side and after c on the other. On each side, both calls have
// the same caller. A caller that the other side lacks is skipped: its own caller
// counts instead. The nearest key step is preferred, then the nearest call.
//
// Calls on a new goroutine are left out, because the order between goroutines
// has no meaning. A call is also left out if another call below the same caller
// has its name, because a reader could not tell which of them is meant. If no
// call is left, passedBy returns diff.None.
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
	other := func(i int) int { // 0 for a key step, 1 for any other call
		if s.guide.Key(b.Call(i).Function) {
			return 0
		}
		return 1
	}
	return slices.MinFunc(passed, func(i, j int) int {
		return cmp.Or(other(i)-other(j), max(i-c.B, c.B-i)-max(j-c.B, c.B-j))
	})
}

// pairedAbove returns the nearest call above call i that the other side makes
// too. If there is none, it returns the tree's first call.
func pairedAbove(tree *trace.Tree, partner []int, i int) int {
	above := tree.Parent(i)
	for above > 0 && partner[above] == diff.None {
		above = tree.Parent(above)
	}
	return above
}
