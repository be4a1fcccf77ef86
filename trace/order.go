package trace

import (
	"math/bits"
	"math/rand/v2"
	"slices"
)

// inOrder reports whether the calls are one tree in order of entry: whether entryOrder would return
// 0, 1, 2 and so on. It needs a fraction of the time of entryOrder, and every recording that is
// loaded passes it. The ids must be valid.
func (r *Request) inOrder() bool {
	n := len(r.Calls)
	if n == 0 || r.Calls[0].Parent != "" || !r.distinctIDs() {
		return false
	}
	parent, last, before := make([]int, n), make([]int, n), make([]int, n) // last child, sibling before; 0 for none
	var uncertain []int                                                    // parents whose calls are not simply in order of time
	parent[0] = -1
	for i := 1; i < n; i++ {
		c := &r.Calls[i]
		// In order of entry, a call's parent is the call before it or an ancestor of that.
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
			kids = append(kids, at)
		}
		slices.Reverse(kids)
		if r.sortSiblings(kids); !slices.IsSorted(kids) {
			return false
		}
	}
	return true
}

// distinctIDs reports whether no two calls have the same id, and each a valid one. It keeps the ids in a table with
// open addressing, which takes a tenth of the time of a map. The factor of the hash is random, so that no
// file can be made whose ids all meet in one place.
func (r *Request) distinctIDs() bool {
	size := bits.Len(uint(2 * len(r.Calls)))
	seen, factor := make([]uint64, 1<<size), rand.Uint64()|1
	for i := range r.Calls {
		id := spanID(r.Calls[i].ID)
		if id == 0 {
			return false
		}
		at := id * factor >> (64 - size)
		for ; seen[at] != 0; at = (at + 1) % uint64(len(seen)) {
			if seen[at] == id {
				return false
			}
		}
		seen[at] = id
	}
	return true
}
