package diff

import (
	"fmt"

	"github.com/kubeapitrace/apitrace/trace"
)

// An Op is the operation of an Edit.
type Op string

// The operations of an Edit.
const (
	// OpChange replaces Call's fields by New's.
	OpChange Op = "change"
	// OpRemove removes Call. Its children take its place.
	OpRemove Op = "remove"
	// OpMove moves Call, with its descendants, below Parent and behind After.
	OpMove Op = "move"
	// OpAdd puts New below Parent and behind After. The next Adopts siblings
	// become its children.
	OpAdd Op = "add"
)

// A Ref names a call: "a12" is call 12 of A. "b7" is call 7 of B, which an edit
// adds. "" is the place above the first call or, as After, before the first
// sibling.
type Ref string

// An Edit is a step of a script from one trace to another.
type Edit struct {
	Op     Op          `json:"op"`
	Call   Ref         `json:"call"`
	Parent Ref         `json:"parent,omitempty"`
	After  Ref         `json:"after,omitempty"`
	Adopts int         `json:"adopts,omitempty"`
	New    *trace.Call `json:"new,omitempty"`
}

// Script returns the edits that turn A into B, to be applied in order. It
// ignores times and goroutines.
func (d *Diff) Script() []Edit {
	w := &scriptWriter{d: d}
	w.changes()
	w.removals()
	w.moves()
	w.additions()
	return w.edits
}

type scriptWriter struct {
	d     *Diff
	edits []Edit
}

func (w *scriptWriter) add(e Edit) { w.edits = append(w.edits, e) }

func refA(i int) Ref { return ref("a", i) }

func ref(side string, i int) Ref {
	if i < 0 {
		return ""
	}
	return Ref(fmt.Sprintf("%s%d", side, i))
}

// refB names a call of B. If A has the same call, it uses that call's
// reference.
func (w *scriptWriter) refB(j int) Ref {
	if j >= 0 && w.d.InA[j] != None {
		return refA(w.d.InA[j])
	}
	return ref("b", j)
}

// stays reports whether a call of A is never removed. A call that moved alone
// is removed and added again.
func (w *scriptWriter) stays(i int) bool { return w.d.InB[i] != None && !w.d.alone[i] }

func (w *scriptWriter) staysB(j int) bool { return w.d.InA[j] != None && w.stays(w.d.InA[j]) }

func (w *scriptWriter) changes() {
	for i, j := range w.d.InB {
		if j == None || !w.stays(i) {
			continue
		}
		if now := content(w.d.B.Call(j)); !sameContents(content(w.d.A.Call(i)), now) {
			w.add(Edit{Op: OpChange, Call: refA(i), New: now})
		}
	}
}

func (w *scriptWriter) removals() {
	for i := range w.d.InB {
		if !w.stays(i) {
			w.add(Edit{Op: OpRemove, Call: refA(i)})
		}
	}
}

// moves moves the staying calls to their places in B. It works from the root
// downwards, so a call's callers are in place first.
func (w *scriptWriter) moves() {
	aboveA := nearest(w.d.A, w.stays)
	aboveB := nearest(w.d.B, w.staysB)
	below := map[int][]int{} // calls of B, by the nearest call above
	for j, above := range aboveB {
		if w.staysB(j) {
			below[above] = append(below[above], j)
		}
	}
	settled := make([]bool, len(aboveB))
	for above, list := range below {
		w.settle(settled, above, list, aboveA)
	}
	last := map[int]int{} // by call, the last call that was placed below it
	for j, above := range aboveB {
		if !w.staysB(j) {
			continue
		}
		after, any := last[above]
		if !any {
			after = None
		}
		if !settled[j] {
			w.add(Edit{Op: OpMove, Call: w.refB(j), Parent: w.refB(above), After: w.refB(after)})
		}
		last[above] = j
	}
}

// settle marks the calls in list that are already in their place. These are
// calls of B, with above as the nearest staying call above them.
func (w *scriptWriter) settle(settled []bool, above int, list []int, aboveA []int) {
	var sameCaller []position
	for at, j := range list {
		i := w.d.InA[j]
		if caller := aboveA[i]; caller == None && above == None || caller != None && w.d.InB[caller] == above {
			sameCaller = append(sameCaller, position{at, i})
		}
	}
	for _, p := range ascending(sameCaller) {
		settled[list[p.a]] = true
	}
}

// nearest returns, for each call, the nearest staying call above, or None.
func nearest(tree *trace.Tree, stays func(int) bool) []int {
	above := make([]int, tree.Len())
	for i := range above {
		parent := tree.Parent(i)
		switch {
		case parent < 0:
			above[i] = None
		case stays(parent):
			above[i] = parent
		default:
			above[i] = above[parent]
		}
	}
	return above
}

// additions adds the calls that only B has, callers first.
func (w *scriptWriter) additions() {
	b := w.d.B
	tops := make([]int, b.Len()) // number of calls below that stay, with no staying call in between
	for j := b.Len() - 1; j >= 0; j-- {
		if parent := b.Parent(j); parent >= 0 {
			if w.staysB(j) {
				tops[parent]++
			} else {
				tops[parent] += tops[j]
			}
		}
	}
	before := make([]int, b.Len()) // the previous sibling
	last := map[int]int{}
	for j := range b.Len() {
		before[j] = None
		if l, any := last[b.Parent(j)]; any {
			before[j] = l
		}
		last[b.Parent(j)] = j
		if !w.staysB(j) {
			w.add(Edit{Op: OpAdd, Call: w.refB(j), Parent: w.refB(b.Parent(j)), After: w.refB(before[j]), Adopts: tops[j], New: content(b.Call(j))})
		}
	}
}

// content returns a call without the fields that always vary between runs:
// ids, times and goroutines.
func content(call *trace.Call) *trace.Call {
	c := *call
	c.ID, c.Parent, c.Goroutine, c.StartNs, c.DurationNs = "", "", 0, 0, 0
	return &c
}
