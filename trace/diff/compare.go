package diff

import (
	"cmp"
	"slices"

	"github.com/kubeapitrace/apitrace/trace"
)

// None is the index of a call that a side lacks.
const None = -1

// A Diff has the differences of request B from request A.
type Diff struct {
	A, B *trace.Tree
	// InB has, for each call of A, the same call of B, or None. InA is the
	// reverse.
	InB, InA []int
	// Changes are the differences, in the order of the calls. If both requests
	// took the same path, all changes have the kind Timed.
	Changes []Change

	moved, alone, reordered []bool // by call of A; see placing

	// movedTo has, for a package of A, the packages of B with its functions. movedFrom is
	// the reverse.
	movedTo, movedFrom map[string][]string
}

// Options describe the two requests. The zero value means that different
// programs served them.
type Options struct {
	// SameProgram says that the same programs served both requests. Functions
	// with different names are then different functions.
	SameProgram bool
	// Times asks for changes of calls that differ only in time, too.
	Times bool
}

// compare compares two requests. compare(b, a, o) is the mirror image of
// compare(a, b, o).
func compare(a, b *trace.Tree, o Options) *Diff {
	d := &Diff{A: a, B: b}
	// Of several equally good matchings, the first is taken. The trees are
	// always compared in the same direction, so that swapping the sides gives
	// the same matching.
	if compareTrees(a, b) > 0 {
		sideB, sideA := matchTrees(b, a, o)
		d.build(sideA, sideB, newPlacing(sideB, sideA).mirror(), o)
		return d
	}
	sideA, sideB := matchTrees(a, b, o)
	d.build(sideA, sideB, newPlacing(sideA, sideB), o)
	return d
}

// compareTrees orders trees. It returns 0 only if both trees are equal in
// everything that the matching uses.
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

// Same reports whether both requests took the same path.
func (d *Diff) Same() bool {
	return !slices.ContainsFunc(d.Changes, func(c Change) bool { return c.Kind != Timed })
}

// matchTrees matches the calls of both trees. A renamed function that it finds
// can lead to others, so it repeats the matching, up to a limit.
func matchTrees(treeA, treeB *trace.Tree, o Options) (a, b *side) {
	const rounds = 6
	names := &names{index: map[function]int32{}}
	a, b = newSide(treeA, names), newSide(treeB, names)
	setValues(a, b)
	id := newIdentity(names)
	if !o.SameProgram {
		id.matchInits(a, b)
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

// Alone reports whether call i of A moved without its callees, like a filter
// that changes its place in the chain.
func (d *Diff) Alone(i int) bool { return d.alone[i] }
