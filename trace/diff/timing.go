package diff

import "github.com/kubeapitrace/apitrace/trace"

// Times vary between runs and with the load of the machine. A difference is
// reported only if it is large. A call's own time, without its callees, must be at
// least minRatio times as long on one side as on the other. The difference must
// exceed 1/minPart of the longer request.
const (
	minRatio = 2
	minPart  = 20
)

// timed adds changes for calls that differ only in time. changed marks the
// calls of A with other differences.
func (f *finder) timed(changed []bool) {
	threshold := max(f.d.A.Request.Took(), f.d.B.Request.Took()).Nanoseconds() / minPart
	for i, j := range f.d.InB {
		if j == None || changed[i] || !isTimed(f.d.A.Call(i)) || !isTimed(f.d.B.Call(j)) {
			continue
		}
		a, b := f.d.A.SelfNs(i), f.d.B.SelfNs(j)
		if shorter, longer := min(a, b), max(a, b); longer >= minRatio*shorter && longer-shorter > threshold {
			f.add(Change{Kind: Timed, A: i, B: j, OwnNsA: a, OwnNsB: b})
		}
	}
}

// isTimed reports whether a call's duration is known.
func isTimed(c *trace.Call) bool { return !c.Unfinished && !c.Leaf }

// changedCalls marks the calls of A with a reason for another own time: calls
// that have a change, calls with other callees, and calls with a callee that
// was timed on one side only. An untimed callee's time counts as its caller's.
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
	for i, j := range f.d.InB {
		if j != None && f.d.A.Call(i).Leaf != f.d.B.Call(j).Leaf { // on one side, its time counts as its caller's
			mark(f.d.A.Parent(i))
			if above := f.d.B.Parent(j); above >= 0 {
				mark(f.d.InA[above])
			}
		}
	}
	return changed
}
