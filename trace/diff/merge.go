package diff

import (
	"fmt"

	"github.com/kubeapitrace/apitrace/trace"
)

// A Merged is the tree of both requests: the calls of B, and the calls that
// only A has, in their place.
type Merged struct {
	// Tree has the calls of B, and the calls that only A has, without their
	// CallerLine. Its ids and starts count the calls. Its Request has the
	// other fields of B's request.
	Tree *trace.Tree
	// A and B are, by call of Tree, the call on each side, or None. AtA and AtB
	// are, by call of a side, the call of Tree.
	A, B     []int
	AtA, AtB []int
	// Changes has, by call of Tree, the indices of its changes in Diff.Changes.
	Changes [][]int
}

// Merge merges both requests into one tree. A removed call that wrapped calls
// of both sides is placed before the first of them.
func (d *Diff) Merge() *Merged {
	m := &merger{d: d, below: make([][]place, d.B.Len()), gone: make([][]int, d.A.Len())}
	m.place()
	m.reserve()
	m.write()
	r := *d.B.Request
	r.Calls = m.calls
	merged := &Merged{
		Tree: trace.TreeOfValid(&r), A: m.a, B: m.b, AtA: make([]int, d.A.Len()), AtB: make([]int, d.B.Len()),
		Changes: make([][]int, len(m.calls)),
	}
	for i := range m.calls {
		if m.a[i] != None {
			merged.AtA[m.a[i]] = i
		}
		if m.b[i] != None {
			merged.AtB[m.b[i]] = i
		}
	}
	for n, c := range d.Changes {
		var at int
		if c.B != None {
			at = merged.AtB[c.B]
		} else {
			at = merged.AtA[c.A]
		}
		merged.Changes[at] = append(merged.Changes[at], n)
	}
	return merged
}

// reserve makes room for all calls at once, possibly hundreds of thousands.
func (m *merger) reserve() {
	n := m.d.B.Len()
	for _, j := range m.d.InB {
		if j == None {
			n++
		}
	}
	m.calls, m.a, m.b = make([]trace.Call, 0, n), make([]int, 0, n), make([]int, 0, n)
	ids := make([]byte, 0, idSize*n)
	for i := range n {
		ids = fmt.Appendf(ids, "%016x", i+1)
	}
	m.ids = string(ids)
}

// idSize is the size of an id.
const idSize = 16

// A place says that call a of A goes before call before of B. If before is
// None, it goes to the end.
type place struct{ a, before int }

type merger struct {
	d *Diff
	// below has, by call of B, the children that only A has. gone has, by
	// removed call of A, its removed children.
	below [][]place
	gone  [][]int
	// above is set if the first call of A is removed. It is then placed above
	// all calls of B.
	above bool

	calls []trace.Call
	a, b  []int
	// ids has the ids of all calls, joined.
	ids string
}

// place finds the places of the calls that only A has. It sets below, gone and above.
func (m *merger) place() {
	a := m.d.A
	next := m.nextPaired()
	for i := range a.Len() {
		parent := a.Parent(i)
		switch {
		case m.d.InB[i] != None:
		case parent < 0:
			m.above = true
		case m.d.InB[parent] == None:
			m.gone[parent] = append(m.gone[parent], i)
		default:
			to := m.d.InB[parent]
			m.below[to] = append(m.below[to], place{i, m.childTowards(to, next[i])})
		}
	}
}

// nextPaired returns, for each call of A, the first call at or after it that B
// has, too, or None.
func (m *merger) nextPaired() []int {
	next, last := make([]int, len(m.d.InB)), None
	for i := len(next) - 1; i >= 0; i-- {
		if m.d.InB[i] != None {
			last = i
		}
		next[i] = last
	}
	return next
}

// childTowards returns the child of above, a call of B, that has the partner
// of i, a call of A, in its subtree. It returns None if no child has.
func (m *merger) childTowards(above, i int) int {
	if i == None {
		return None
	}
	b, j := m.d.B, m.d.InB[i]
	if j <= above || j >= b.End(above) {
		return None
	}
	for b.Parent(j) != above {
		j = b.Parent(j)
	}
	return j
}

func (m *merger) write() {
	parent := ""
	if m.above {
		m.writeA(0, "")
		parent = m.calls[0].ID
	}
	m.writeB(0, parent)
}

func (m *merger) writeB(j int, parent string) {
	id := m.add(m.d.B.Call(j), parent, m.d.InA[j], j)
	waiting := m.below[j]
	for child := range m.d.B.Children(j) {
		for len(waiting) > 0 && waiting[0].before == child {
			m.writeA(waiting[0].a, id)
			waiting = waiting[1:]
		}
		m.writeB(child, id)
	}
	for _, p := range waiting {
		m.writeA(p.a, id)
	}
}

func (m *merger) writeA(i int, parent string) {
	id := m.add(m.d.A.Call(i), parent, i, None)
	for _, child := range m.gone[i] {
		m.writeA(child, id)
	}
}

func (m *merger) add(call *trace.Call, parent string, a, b int) string {
	c := *call
	at := idSize * len(m.calls)
	c.ID, c.Parent, c.StartNs = m.ids[at:at+idSize], parent, int64(len(m.calls))
	if b == None {
		c.CallerLine = 0 // a line of A has no meaning among calls of B
	}
	m.calls, m.a, m.b = append(m.calls, c), append(m.a, a), append(m.b, b)
	return c.ID
}
