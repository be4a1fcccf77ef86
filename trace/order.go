package trace

import (
	"math/rand/v2"
	"slices"
)

// inOrder reports whether the calls are one tree in order of entry: entryOrder
// would return 0, 1, 2 and so on. It takes a fraction of entryOrder's time, which
// matters because it runs for every loaded recording. It returns false if an id is
// not valid.
func (r *Request) inOrder() bool {
	n := len(r.Calls)
	if n == 0 || r.Calls[0].Parent != "" || !r.distinctIDs() {
		return false
	}
	parent, last, before := make([]int32, n), make([]int32, n), make([]int32, n) // last child, previous sibling; 0 for none
	var uncertain []int32                                                        // parents with calls that are not simply in order of time
	parent[0] = -1
	for i := int32(1); int(i) < n; i++ {
		c := &r.Calls[i]
		// In order of entry, a call's parent is the previous one or its ancestor.
		p := i - 1
		for p >= 0 && r.Calls[p].ID != c.Parent {
			p = parent[p]
		}
		if p < 0 {
			return false
		}
		parent[i] = p
		if at := last[p]; at > 0 {
			before[i] = at
			if earlier := &r.Calls[at]; earlier.StartNs > c.StartNs || c.startedBefore(earlier) {
				uncertain = append(uncertain, p)
			}
		}
		last[p] = i
	}
	slices.Sort(uncertain)
	for _, p := range slices.Compact(uncertain) {
		var kids []int
		for at := last[p]; at > 0; at = before[at] {
			kids = append(kids, int(at))
		}
		slices.Reverse(kids)
		if r.sortSiblings(kids); !slices.IsSorted(kids) {
			return false
		}
	}
	return true
}

// distinctIDs reports whether all calls have valid, different ids.
func (r *Request) distinctIDs() bool {
	seen := newIDSet()
	for i := range r.Calls {
		if id := spanID(r.Calls[i].ID); id == 0 || !seen.add(id) {
			return false
		}
	}
	return true
}

// An idSet is a set of ids: a hash table with open addressing. An entry holds 64
// consecutive ids, one bit each. Probes number their calls, so the table of a
// recording is small enough for the processor's cache. The factor of the hash is
// random, so that nobody can make a file in which all ids collide.
type idSet struct {
	entries []idEntry
	used    int
	factor  uint64
	shift   int
}

// An idEntry holds the id 64*group+i if bit i of ids is set. It is free if ids is 0.
type idEntry struct{ group, ids uint64 }

func newIDSet() *idSet {
	const size = 10 // in bits
	return &idSet{entries: make([]idEntry, 1<<size), factor: rand.Uint64() | 1, shift: 64 - size}
}

// add adds an id and reports whether it was new.
func (s *idSet) add(id uint64) bool {
	e, bit := s.entry(id/64), uint64(1)<<(id%64)
	if e.ids == 0 {
		if s.used++; 2*s.used > len(s.entries) {
			s.grow()
			e = s.entry(id / 64)
		}
		e.group = id / 64
	}
	isNew := e.ids&bit == 0
	e.ids |= bit
	return isNew
}

// entry returns the entry of a group, or the free entry where the group belongs.
func (s *idSet) entry(group uint64) *idEntry {
	at := group * s.factor >> s.shift
	for ; s.entries[at].ids != 0 && s.entries[at].group != group; at = (at + 1) % uint64(len(s.entries)) {
	}
	return &s.entries[at]
}

func (s *idSet) grow() {
	old := s.entries
	s.entries = make([]idEntry, 4*len(old))
	s.shift -= 2
	for _, e := range old {
		if e.ids != 0 {
			*s.entry(e.group) = e
		}
	}
}
