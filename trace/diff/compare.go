package diff

import (
	"cmp"
	"slices"

	"github.com/kubeapitrace/apitrace/trace"
)

// None stands for a call that one side does not have.
const None = -1

// A Diff tells how request B differs from request A.
type Diff struct {
	A, B *trace.Tree
	// InB is, for each call of A, the same call of B, or None; InA the other way round.
	InB, InA []int
	// Changes holds what differs, in the order of the calls. If the two took the same path, it is
	// empty but for those of kind Timed.
	Changes []Change

	moved, alone, reordered []bool // by call of A; see placing
}

// Options say what is known of two requests. The zero value is two of different programs.
type Options struct {
	// SameProgram says that the same programs served both: what has another name is
	// another function.
	SameProgram bool
	// Times asks for calls that differ in their time alone.
	Times bool
}

// compare compares two requests. compare(b, a, o) is the mirror image of compare(a, b, o).
func compare(a, b *trace.Tree, o Options) *Diff {
	d := &Diff{A: a, B: b}
	// Where there are several equally good ways to match, the first one found is
	// taken. So that it is the same one from both sides, they are always
	// compared in one direction.
	if compareTrees(a, b) > 0 {
		sideB, sideA := matchTrees(b, a, o)
		d.build(sideA, sideB, newPlacing(sideB, sideA).mirror(), o)
		return d
	}
	sideA, sideB := matchTrees(a, b, o)
	d.build(sideA, sideB, newPlacing(sideA, sideB), o)
	return d
}

// compareTrees puts trees into an order that tells any two apart which the matching may
// treat differently.
func compareTrees(a, b *trace.Tree) int {
	if c := cmp.Compare(a.Len(), b.Len()); c != 0 {
		return c
	}
	for i := range a.Len() {
		x, y := a.Call(i), b.Call(i)
		c := cmp.Or(cmp.Compare(a.Depth(i), b.Depth(i)), cmp.Compare(x.Function, y.Function),
			cmp.Compare(x.Process, y.Process), cmp.Compare(x.File, y.File))
		if c == 0 {
			c = cmp.Compare(hashValues(x, everything), hashValues(y, everything))
		}
		if c == 0 && x.NewGoroutine != y.NewGoroutine {
			c = map[bool]int{true: 1, false: -1}[x.NewGoroutine]
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

func everything(string) bool { return true }

// Same reports whether the two took the same path.
func (d *Diff) Same() bool {
	return !slices.ContainsFunc(d.Changes, func(c Change) bool { return c.Kind != Timed })
}

// matchTrees finds out which call is which. Every function that turns out to have been
// renamed makes others easier to find.
func matchTrees(treeA, treeB *trace.Tree, o Options) (a, b *side) {
	const rounds = 6
	names := &names{index: map[function]int32{}}
	a, b = newSide(treeA, names), newSide(treeB, names)
	setValues(a, b)
	id := newIdentity(names)
	if !o.SameProgram {
		id.matchLiterals(a, b)
	}
	for range rounds {
		a.setLabels(id.a)
		b.setLabels(id.b)
		match(a, b, id.count)
		if o.SameProgram || id.findRenames(a, b) == 0 {
			return a, b
		}
	}
	a.setLabels(id.a)
	b.setLabels(id.b)
	match(a, b, id.count)
	return a, b
}

// Alone reports whether call i of A moved without what it called, as a filter does that takes
// another place in its chain.
func (d *Diff) Alone(i int) bool { return d.alone[i] }
