package diff

import "github.com/kubeapitrace/apitrace/trace"

// Times vary from run to run, and with everything else that a machine does. What is told of them
// has to be more than that: a call's own time, without the calls that it made, is timesMore times
// as long on one side, and the difference is a worthOf-th part of the longer request.
const (
	timesMore = 2
	worthOf   = 20
)

// timed tells of calls that differ in nothing but their time. changed marks those of A that
// differ otherwise.
func (f *finder) timed(changed []bool) {
	worth := max(took(f.d.A), took(f.d.B)) / worthOf
	for i, j := range f.d.InB {
		if j == None || changed[i] || f.d.A.Call(i).Unfinished || f.d.B.Call(j).Unfinished {
			continue
		}
		a, b := f.d.A.SelfNs(i), f.d.B.SelfNs(j)
		if shorter, longer := min(a, b), max(a, b); longer >= timesMore*shorter && longer-shorter > worth {
			f.add(Change{Kind: Timed, A: i, B: j, OwnNsA: a, OwnNsB: b})
		}
	}
}

// took is how long a request took.
func took(tree *trace.Tree) int64 { return tree.Call(0).DurationNs }

// changedCalls marks the calls of A of which there is a change, and those that call others than they
// did: what they left to those, or do in their place, is part of their own time.
func (f *finder) changedCalls() []bool {
	changed := make([]bool, f.d.A.Len())
	mark := func(i int) {
		if i >= 0 {
			changed[i] = true
		}
	}
	for _, c := range f.changes {
		if c.A != None {
			mark(c.A)
			mark(f.d.A.Parent(c.A))
		}
		if c.B != None {
			if above := f.d.B.Parent(c.B); above >= 0 {
				mark(f.d.InA[above])
			}
		}
	}
	return changed
}
