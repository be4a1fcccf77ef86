//go:build go1.26

package probe

import (
	"slices"
	"sync/atomic"
	"unsafe"
)

// A leaf is an execution of a function that calls nothing, for a traced request. The
// goroutine keeps its labels, and only the entry is recorded. So a leaf costs a fraction
// of a Call.
//
// It has no pointers, so the garbage collector does not look into it.
type leaf struct {
	site        uintptr // address of a Site, a package variable
	callPC      uintptr // where control left the parent, 0 if unknown
	goroutine   uint64
	start       int64  // in ticks
	parent      uint32 // the parent's seq
	callsBefore uint32 // number of calls of the trace that had begun
	state       atomic.Uint32
}

// States of a leaf. The fields of an unwritten leaf must not be read.
const (
	unwritten uint32 = iota
	written
	inherited // written, on a goroutine that inherited the labels
)

// Leaf records the entry of a function that calls nothing, below the call of labels. If
// the labels are not the probe's, Leaf does nothing. The function itself must call Leaf.
//
//go:noinline
func Leaf(labels unsafe.Pointer, site *Site) {
	at := callerOf(here())
	parent := fromLabels(labels)
	if parent == nil {
		return
	}
	t := parent.trace()
	called := t.called.next.Load()
	if called >= maxCalls { // the caller may be a dropped call, which no labels show
		t.dropped.Add(1)
		return
	}
	l, _ := newItem(t, &t.leaves)
	if l == nil {
		return
	}
	g := at.goroutine
	l.site, l.parent, l.callsBefore, l.goroutine = uintptr(unsafe.Pointer(site)), parent.seq, called, g.id()
	state := written
	if parent.goroutine == l.goroutine {
		l.callPC = g.callPC(at.depth, uintptr(parent.depth))
		callSites.learn(l.callPC, parent)
	} else {
		state, l.callPC = inherited, g.creationPC()
	}
	if checking {
		check(&Call{prevAddr: uintptr(labels), siteAddr: l.site, goroutine: l.goroutine, callPC: l.callPC}, parent)
	}
	l.start = at.ticks()
	publish(&l.state, state)
}

// Inline is always false, but the compiler does not know it. So the compiler does not
// inline a literal that would start a goroutine if Inline were true.
var Inline bool

// A writtenLeaf is a written leaf.
type writtenLeaf struct {
	*leaf
	site      *Site
	parent    *Call
	inherited bool
	seq       uint32 // number among the trace's leaves
}

// snapshot returns the calls that have begun, and the leaves that were written, each in the
// order of entry. Goroutines may still add to both. So it reads the leaves first: the parent
// of a written leaf has begun.
func (t *tracing) snapshot() (begun []*Call, leaves []writtenLeaf) {
	seq := uint32(0)
	for l := range t.leaves.items(&t.mu) {
		if state := l.state.Load(); state != unwritten {
			leaves = append(leaves, writtenLeaf{leaf: l, site: *(**Site)(unsafe.Pointer(&l.site)), inherited: state == inherited, seq: seq})
		}
		seq++
	}
	calls := slices.Collect(t.called.items(&t.mu))
	for i := range leaves {
		leaves[i].parent = calls[leaves[i].leaf.parent]
	}
	return slices.DeleteFunc(calls, func(c *Call) bool { return c.state.Load() == beginning }), leaves
}

// spanID returns the id of a leaf, which is as unique as the id of a Call. The numbers of
// a trace's leaves follow the numbers of its calls.
func (l writtenLeaf) spanID() SpanID { return spanID(l.parent.trace().base + maxCalls + l.seq) }
