//go:build go1.26

package probe

import (
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"
)

// A leaf is an execution of a function that calls nothing, for a traced request. Nothing runs below
// it, so the goroutine keeps its labels, and only the entry is noted: at a fraction of a Call's price.
//
// It has no pointers, so that the garbage collector looks into none of them.
type leaf struct {
	site      uintptr // of a Site, which is a variable of a package and never moves
	callPC    uintptr // where control left the parent, 0 if unknown
	goroutine uint64
	start     int64  // in ticks
	parent    uint32 // Call.seq
	before    uint32 // how many calls of the trace had begun
	state     atomic.Uint32
}

// States of a leaf. Its fields may be read in all but the first.
const (
	unwritten uint32 = iota
	written
	inherited // written, on a goroutine that got the labels from the one that started it
)

// Leaf notes that a function which calls nothing was entered below the call that labels stand for, if
// they are ours. It must be called by that function itself.
//
//go:noinline
func Leaf(labels unsafe.Pointer, site *Site) {
	at := callerOf(here())
	parent := fromLabels(labels)
	if parent == nil {
		return
	}
	t := parent.trace
	l, _ := take(t, &t.leaves)
	if l == nil {
		return
	}
	g := at.goroutine
	l.site, l.parent, l.before, l.goroutine = uintptr(unsafe.Pointer(site)), parent.seq, t.called.next.Load(), g.id()
	state := written
	if parent.goroutine == l.goroutine {
		l.callPC = g.callPC(at.depth, uintptr(parent.depth))
		callSites.learn(l.callPC, parent)
	} else {
		state, l.callPC = inherited, g.creationPC()
	}
	if checking {
		check(&Call{prev: labels, siteAt: l.site, goroutine: l.goroutine, callPC: l.callPC}, parent)
	}
	l.start = at.ticks()
	publish(&l.state, state)
}

// Inline is never true. The compiler does not know, and so puts no literal into the function around it that would start
// a goroutine if it were.
var Inline bool

// A notedLeaf is a leaf whose fields may be read.
type notedLeaf struct {
	*leaf
	site      *Site
	parent    *Call
	inherited bool
	seq       uint32 // among the trace's leaves
}

// noted returns the leaves whose fields may be read, in the order in which they were entered.
func (t *tracing) noted() []notedLeaf {
	parents := slices.Collect(t.called.items(&t.mu))
	var all []notedLeaf
	seq := uint32(0)
	for l := range t.leaves.items(&t.mu) {
		if state := l.state.Load(); state != unwritten {
			all = append(all, notedLeaf{l, *(**Site)(unsafe.Pointer(&l.site)), parents[l.parent], state == inherited, seq})
		}
		seq++
	}
	return all
}

// spanID is unique as that of a Call: the numbers of leaves begin behind those of the trace's calls.
func (l notedLeaf) spanID() string {
	return fmt.Sprintf("%08x%08x", processID, l.parent.trace.base+maxCalls+l.seq+1)
}
