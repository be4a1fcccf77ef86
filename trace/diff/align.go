package diff

import "slices"

// align pairs nodes with equal labels of two lists, in order. It finds the best
// alignment for lists of ordinary length, and a good one for longer lists. The
// result is valid until the next call.
func align(m *matcher, inA, inB []int32) []position {
	found, tail := m.found[:0], m.tail[:0]
	from := 0
	for from < len(inA) && from < len(inB) && m.equal(inA[from], inB[from]) {
		found = append(found, position{from, from})
		from++
	}
	endA, endB := len(inA), len(inB)
	for endA > from && endB > from && m.equal(inA[endA-1], inB[endB-1]) {
		endA, endB = endA-1, endB-1
		tail = append(tail, position{endA, endB})
	}
	for _, p := range m.alignMiddle(inA[from:endA], inB[from:endB]) {
		found = append(found, position{from + p.a, from + p.b})
	}
	slices.Reverse(tail)
	m.found, m.tail = append(found, tail...), tail
	return m.found
}

func (m *matcher) alignMiddle(inA, inB []int32) []position {
	const affordable = 1 << 18 // cells of a table
	switch {
	case len(inA) == 0 || len(inB) == 0:
		return nil
	case len(inA)*len(inB) <= affordable:
		return m.alignBest(inA, inB)
	}
	var found []position
	from, to := 0, 0
	for _, p := range m.landmarks(inA, inB) {
		found = m.alignGreedily(found, inA, inB, position{from, to}, p)
		found = append(found, p)
		from, to = p.a+1, p.b+1
	}
	return m.alignGreedily(found, inA, inB, position{from, to}, position{len(inA), len(inB)})
}

// equal reports whether two nodes have equal subtrees and equal values.
func (m *matcher) equal(x, y int32) bool {
	return m.a.hash[x] == m.b.hash[y] && m.a.values[x] == m.b.values[y]
}

// alignBest finds the heaviest common subsequence. Only pairs with equal
// labels have weight. Equal subtrees, and equal values, add weight. Pairs with
// contradicting values have no weight.
func (m *matcher) alignBest(inA, inB []int32) []position {
	width := len(inB) + 1
	best := slices.Grow(m.best[:0], (len(inA)+1)*width)[:(len(inA)+1)*width] // best[i*width+j] is the greatest weight for inA[i:] and inB[j:]
	clear(best)
	m.best = best
	weight := func(i, j int) int32 {
		x, y := inA[i], inB[j]
		if m.a.label[x] != m.b.label[y] || m.contradict(x, y) {
			return 0
		}
		w := int32(3)
		if m.a.hash[x] == m.b.hash[y] {
			w++
		}
		if m.a.values[x] == m.b.values[y] {
			w++
		}
		return w
	}
	for i := len(inA) - 1; i >= 0; i-- {
		for j := len(inB) - 1; j >= 0; j-- {
			b := max(best[(i+1)*width+j], best[i*width+j+1])
			if w := weight(i, j); w > 0 {
				b = max(b, best[(i+1)*width+j+1]+w)
			}
			best[i*width+j] = b
		}
	}
	var found []position
	for i, j := 0, 0; i < len(inA) && j < len(inB); {
		w, b := weight(i, j), best[i*width+j]
		switch {
		case w > 0 && b == best[(i+1)*width+j+1]+w:
			found = append(found, position{i, j})
			i, j = i+1, j+1
		case b == best[(i+1)*width+j]:
			i++
		default:
			j++
		}
	}
	return found
}

// landmarks returns pairs of equal subtrees that occur once in each list. It
// leaves out pairs that would cross others.
func (m *matcher) landmarks(inA, inB []int32) []position {
	type seen struct{ at, count int }
	where := map[uint64]seen{}
	for j, y := range inB {
		s := where[m.b.hash[y]]
		where[m.b.hash[y]] = seen{j, s.count + 1}
	}
	inFirst := map[uint64]int{}
	for _, x := range inA {
		inFirst[m.a.hash[x]]++
	}
	var all []position
	for i, x := range inA {
		if s := where[m.a.hash[x]]; s.count == 1 && inFirst[m.a.hash[x]] == 1 {
			all = append(all, position{i, s.at})
		}
	}
	return ascending(all)
}

// alignGreedily adds pairs between two positions. It pairs each node with the
// next unused node of the same label and values.
func (m *matcher) alignGreedily(found []position, inA, inB []int32, from, to position) []position {
	next := map[callIdentity][]int{}
	for j := from.b; j < to.b; j++ {
		t := m.b.identity(inB[j])
		next[t] = append(next[t], j)
	}
	at := from.b
	for i := from.a; i < to.a; i++ {
		t := m.a.identity(inA[i])
		list := next[t]
		for len(list) > 0 && list[0] < at {
			list = list[1:]
		}
		next[t] = list
		if len(list) > 0 {
			found = append(found, position{i, list[0]})
			at = list[0] + 1
		}
	}
	return found
}

// ascending returns a longest subsequence with ascending b, or all itself if b
// ascends throughout. all must be ordered by a.
func ascending(all []position) []position {
	if strictlyAscending(all) {
		return all
	}
	last := make([]int, 0, len(all)) // last[k] is the last position in the best chain of k+1 positions
	before := make([]int, len(all))  // index of the previous position in the chain
	for i, p := range all {
		k, _ := slices.BinarySearchFunc(last, p.b, func(at, b int) int { return all[at].b - b })
		before[i] = none
		if k > 0 {
			before[i] = last[k-1]
		}
		if k == len(last) {
			last = append(last, i)
		} else {
			last[k] = i
		}
	}
	chain := make([]position, len(last))
	for i, k := last[len(last)-1], len(last)-1; k >= 0; i, k = before[i], k-1 {
		chain[k] = all[i]
	}
	return chain
}

func strictlyAscending(all []position) bool {
	for i := 1; i < len(all); i++ {
		if all[i].b <= all[i-1].b {
			return false
		}
	}
	return true
}
