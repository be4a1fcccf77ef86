package diff

import "slices"

// A matcher pairs nodes of a with nodes of b.
type matcher struct {
	a, b   *side
	labels int
	// inA and inB count how often each label occurs.
	inA, inB []int32
	// distinctByValues has, by label, whether values distinguish a function's
	// calls.
	distinctByValues []bool
	// place is a buffer. It has, by node of b, the node's position in the
	// current list, plus one. It is 0 for nodes outside of the list.
	place []int32
	// More buffers. They are reused because every call with callees has a
	// list. Most lists are short.
	fenced, found, tail []position
	best                []int32
	gapA, gapB          []int32 // unpaired nodes between two fences
	restA, restB        []int32 // unpaired nodes of the whole lists
}

// match pairs the nodes of two sides. Their labels must be set; labels is the
// number of labels.
func match(a, b *side, labels int) {
	m := &matcher{a: a, b: b, labels: labels, inA: a.counts(labels), inB: b.counts(labels), place: make([]int32, b.len())}
	m.pair(0, 0)
	m.pairUnique()
	m.pairUniqueValues()
	m.pairCallers()
	m.pairCallees()
	m.pairMoved()
	m.pairCallers()
	m.pairCallees()
}

func (m *matcher) pair(x, y int32) { m.a.partner[x], m.b.partner[y] = y, x }

// pairUnique pairs nodes with a label that occurs once on both sides.
func (m *matcher) pairUnique() {
	at := make([]int32, m.labels)
	for y, label := range m.b.label {
		at[label] = int32(y)
	}
	for x, label := range m.a.label {
		if m.inA[label] == 1 && m.inB[label] == 1 && !m.contradict(int32(x), at[label]) {
			m.pair(int32(x), at[label])
		}
	}
}

// contradict reports whether the values of two calls show different purposes.
// Then only their places can show that they are the same. Two calls contradict
// each other unless more than half of their common values agree. Values in
// different formats do not count.
func (m *matcher) contradict(x, y int32) bool {
	if m.a.values[x] == 0 || m.b.values[y] == 0 || m.a.values[x] == m.b.values[y] {
		return false
	}
	agree, both, written := 0, 0, false
	there := m.b.call(y).Attributes
	for name, value := range m.a.call(x).Attributes {
		other, ok := there[name]
		if !ok {
			continue
		}
		alike := alikeWritten(value, other) // the number 1 and the word Allow may be the same value
		value, other = settled(name, value), settled(name, other)
		switch {
		case !identifies(value) && !identifies(other):
		case !alike:
			written = true
		default:
			both++
			if value == other {
				agree++
			}
		}
	}
	return 2*agree <= both && (both > 0 || !written)
}

// A callIdentity is a hash that identifies the purpose of a call: its function
// and its values.
type callIdentity uint64

func (s *side) identity(i int32) callIdentity {
	return callIdentity(mix(uint64(s.label[i]), s.values[i]))
}

// pairUniqueValues pairs calls if their function and values occur once on each
// side. An example is a widely used function that is called once for a certain
// purpose. It also sets distinctByValues.
func (m *matcher) pairUniqueValues() {
	inA, inB := m.a.identities(), m.b.identities()
	known := make([]int32, m.labels)
	for x := range m.a.len() {
		t := m.a.identity(x)
		a, b := inA[t], inB[t]
		if a.count != 1 || b.count != 1 {
			continue
		}
		known[m.a.label[x]]++
		if m.a.partner[x] == none && m.b.partner[b.first] == none {
			m.pair(x, b.first)
		}
	}
	const several = 3
	m.distinctByValues = make([]bool, m.labels)
	for label, n := range known {
		m.distinctByValues[label] = n >= several && 2*n > min(m.inA[label], m.inB[label])
	}
}

// identities counts the calls with values, by identity. run.first is valid
// only if the count is 1.
func (s *side) identities() map[callIdentity]run {
	all := map[callIdentity]run{}
	for i := range s.len() {
		if s.values[i] != 0 {
			t := s.identity(i)
			all[t] = run{i, all[t].count + 1}
		}
	}
	return all
}

// pairCallers pairs nodes by their children. The partner of a node x is a node
// with the same label above the partners of x's children. Each child votes for
// one such node, with as many votes as its subtree has nodes.
func (m *matcher) pairCallers() {
	// below has each node's partner. If a node has none, below has the entry
	// of its largest child that has an entry.
	below := make([]int32, m.a.len())
	votes := map[int32]int32{}
	for x := m.a.len() - 1; x > 0; x-- {
		if below[x] = m.a.partner[x]; below[x] != none {
			continue
		}
		clear(votes)
		best, heaviest := int32(none), int32(0)
		for c := x + 1; c < m.a.end[x]; c = m.a.end[c] {
			if below[c] == none {
				continue
			}
			if m.a.size(c) > heaviest {
				heaviest, below[x] = m.a.size(c), below[c]
			}
			y := m.callerOf(below[c], x)
			if y == none {
				continue
			}
			votes[y] += m.a.size(c)
			if best == none || votes[y] > votes[best] || votes[y] == votes[best] && y < best {
				best = y
			}
		}
		if best != none {
			m.pair(x, best)
			below[x] = best
		}
	}
}

// callerOf returns the nearest unpaired node above y that can be the partner
// of x, or none.
func (m *matcher) callerOf(y, x int32) int32 {
	const far = 8 // nodes that are tried: the lower ones may be wrappers
	for range far {
		if y = m.b.parent[y]; y <= 0 {
			return none
		}
		if m.b.label[y] == m.a.label[x] && m.b.partner[y] == none && !m.contradict(x, y) {
			return y
		}
	}
	return none
}

// pairCallees pairs the callees of paired nodes, from the root downwards.
func (m *matcher) pairCallees() {
	var inA, inB []int32
	for x := range m.a.len() { // new pairs are below x, so the loop comes to them later
		y := m.a.partner[x]
		if y == none || m.a.size(x) == 1 || m.b.size(y) == 1 {
			continue
		}
		inA, inB = m.a.callees(x, m.inB, inA[:0]), m.b.callees(y, m.inA, inB[:0])
		m.pairLists(inA, inB)
	}
}

// callees appends the callees of node i to list. An unpaired call of a
// function that the other side never calls is replaced by its own callees.
func (s *side) callees(i int32, inOther []int32, list []int32) []int32 {
	for c := i + 1; c < s.end[i]; {
		if s.partner[c] == none && inOther[s.label[c]] == 0 {
			c++ // its children take its place
			continue
		}
		list = append(list, c)
		c = s.end[c]
	}
	return list
}

// pairLists pairs the nodes of two lists: first in order, then in any order,
// then nodes that one side wraps in one more call.
func (m *matcher) pairLists(inA, inB []int32) {
	from, to := 0, 0
	for _, fence := range m.fences(inA, inB) {
		m.pairInOrder(inA[from:fence.a], inB[to:fence.b])
		from, to = fence.a+1, fence.b+1
	}
	m.pairInOrder(inA[from:], inB[to:])
	m.pairAnyhow(inA, inB)
	m.pairThrough(inA, inB)
}

// A position is a place in two lists.
type position struct{ a, b int }

// fences returns the positions of existing pairs that are in order. The result
// is valid until the next call.
func (m *matcher) fences(inA, inB []int32) []position {
	for j, y := range inB {
		m.place[y] = int32(j + 1)
	}
	known := m.fenced[:0]
	for i, x := range inA {
		if y := m.a.partner[x]; y != none && m.place[y] > 0 {
			known = append(known, position{i, int(m.place[y] - 1)})
		}
	}
	for _, y := range inB {
		m.place[y] = 0
	}
	m.fenced = known
	return ascending(known)
}

// pairInOrder pairs unpaired nodes of equal labels without crossing. It
// prefers equal subtrees and equal values; see align.
func (m *matcher) pairInOrder(inA, inB []int32) {
	m.gapA, m.gapB = m.a.unpaired(inA, m.inB, m.gapA[:0]), m.b.unpaired(inB, m.inA, m.gapB[:0])
	for _, p := range align(m, m.gapA, m.gapB) {
		m.pair(m.gapA[p.a], m.gapB[p.b])
	}
}

// unpaired appends to kept the listed nodes that may still find a partner.
func (s *side) unpaired(list []int32, inOther []int32, kept []int32) []int32 {
	for _, i := range list {
		if s.partner[i] == none && inOther[s.label[i]] > 0 {
			kept = append(kept, i)
		}
	}
	return kept
}

// unpaired returns the nodes of two lists that may still find a partner. The
// result is valid until the next call.
func (m *matcher) unpaired(inA, inB []int32) (restA, restB []int32) {
	m.restA, m.restB = m.a.unpaired(inA, m.inB, m.restA[:0]), m.b.unpaired(inB, m.inA, m.restB[:0])
	return m.restA, m.restB
}

// pairAnyhow pairs unpaired nodes of equal labels in any order, nodes with
// equal subtrees first, nodes with contradicting values last. It pairs
// contradicting nodes only if no node of their label is left over. Otherwise
// any of them could be the added or removed call.
func (m *matcher) pairAnyhow(inA, inB []int32) {
	inA, inB = m.unpaired(inA, inB)
	if len(inA) == 0 || len(inB) == 0 {
		return
	}
	m.pairBy(inA, inB, func(s *side, i int32) uint64 { return mix(s.hash[i], s.values[i]) })
	m.pairBy(inA, inB, func(s *side, i int32) uint64 { return s.hash[i] })
	m.pairBy(inA, inB, func(s *side, i int32) uint64 { return mix(uint64(s.label[i]), s.values[i]) })
	m.pairBy(inA, inB, func(s *side, i int32) uint64 { return uint64(s.label[i]) })
	m.pairContradicting(inA, inB)
}

// pairBy pairs unpaired nodes with equal keys, the first with the first,
// unless their values contradict each other.
func (m *matcher) pairBy(inA, inB []int32, key func(*side, int32) uint64) {
	const patience = 16 // number of nodes that are tried
	waiting := map[uint64][]int32{}
	for _, y := range inB {
		if m.b.partner[y] == none {
			waiting[key(m.b, y)] = append(waiting[key(m.b, y)], y)
		}
	}
	for _, x := range inA {
		if m.a.partner[x] != none {
			continue
		}
		k := key(m.a, x)
		list := waiting[k]
		for i, y := range list[:min(len(list), patience)] {
			if !m.contradict(x, y) {
				m.pair(x, y)
				waiting[k] = slices.Delete(list, i, i+1)
				break
			}
		}
	}
}

// pairContradicting pairs the unpaired nodes of a label, in order, if both
// lists have equally many. It skips a function if values distinguish most of
// its calls, because another value then means another call. An example is the
// function that builds a route.
func (m *matcher) pairContradicting(inA, inB []int32) {
	ofA, ofB := m.a.byLabel(inA), m.b.byLabel(inB)
	for label, xs := range ofA {
		ys := ofB[label]
		if len(xs) != len(ys) || m.distinctByValues[label] {
			continue
		}
		for i, x := range xs {
			m.pair(x, ys[i])
		}
	}
}

// byLabel groups the unpaired nodes of a list.
func (s *side) byLabel(list []int32) map[int32][]int32 {
	all := map[int32][]int32{}
	for _, i := range list {
		if s.partner[i] == none {
			all[s.label[i]] = append(all[s.label[i]], i)
		}
	}
	return all
}

// pairThrough pairs unpaired nodes of one list with the children of unpaired
// nodes of the other.
func (m *matcher) pairThrough(inA, inB []int32) {
	inA, inB = m.unpaired(inA, inB)
	if len(inA) == 0 || len(inB) == 0 {
		return
	}
	m.pairInOrder(inA, m.b.childrenOf(inB))
	m.pairInOrder(m.a.childrenOf(inA), inB)
}

// childrenOf lists the children of a list's unpaired nodes.
func (s *side) childrenOf(list []int32) []int32 {
	var all []int32
	for _, i := range list {
		if s.partner[i] != none {
			continue
		}
		for c := i + 1; c < s.end[i]; c = s.end[c] {
			all = append(all, c)
		}
	}
	return all
}

// pairMoved pairs the remaining nodes that must have moved: equal subtrees, and
// calls of rarely called functions.
func (m *matcher) pairMoved() {
	const significant = 3 // calls; smaller subtrees may be equal by chance
	byHash, byLabel := map[uint64][]int32{}, map[int32][]int32{}
	for y := range m.b.len() {
		if m.b.partner[y] != none {
			continue
		}
		if m.b.size(y) >= significant {
			byHash[m.b.hash[y]] = append(byHash[m.b.hash[y]], y)
		}
		if m.rare(m.b.label[y]) {
			byLabel[m.b.label[y]] = append(byLabel[m.b.label[y]], y)
		}
	}
	for x := range m.a.len() {
		if m.a.partner[x] != none {
			continue
		}
		if m.a.size(x) >= significant {
			if y := m.takeEqual(x, byHash); y != none {
				m.pairSubtrees(x, y)
				continue
			}
		}
		if y := m.nearest(x, byLabel[m.a.label[x]]); y != none {
			m.pair(x, y)
		}
	}
}

// nearest returns the node that shares the most callers with x, out of the
// unpaired nodes in among. It returns none if no node can be the partner of x.
func (m *matcher) nearest(x int32, among []int32) int32 {
	best, deepest := int32(none), int32(none)
	for _, y := range among {
		if m.b.partner[y] != none || m.contradict(x, y) {
			continue
		}
		if common := m.commonCaller(x, y); best == none || common > deepest {
			best, deepest = y, common
		}
	}
	return best
}

// commonCaller is the nearest node above x with a partner above y, or 0.
func (m *matcher) commonCaller(x, y int32) int32 {
	for x = m.a.parent[x]; x > 0; x = m.a.parent[x] {
		if p := m.a.partner[x]; p != none && p < y && y < m.b.end[p] {
			return x
		}
	}
	return 0
}

// rare reports whether a function is called at most twice on each side. A call
// of A and a call of B are then likely the same, wherever they are.
func (m *matcher) rare(label int32) bool { return m.inA[label] <= 2 && m.inB[label] <= 2 }

// takeEqual returns an unpaired node with the same subtree hash as x. It skips
// a node if values below it contradict values below x. It tries only the first
// few nodes. It returns none if these are paired or contradict x.
func (m *matcher) takeEqual(x int32, byHash map[uint64][]int32) int32 {
	const patience = 16 // number of nodes that are tried
	list := byHash[m.a.hash[x]]
	for len(list) > 0 && m.b.partner[list[0]] != none {
		list = list[1:]
	}
	byHash[m.a.hash[x]] = list
	for _, y := range list[:min(len(list), patience)] {
		if m.b.partner[y] == none && !m.contradictBelow(x, y) {
			return y
		}
	}
	return none
}

// contradictBelow compares two subtrees with equal labels, node by node. It
// reports whether the values of any two calls contradict each other.
func (m *matcher) contradictBelow(x, y int32) bool {
	for i := range min(m.a.size(x), m.b.size(y)) {
		if m.contradict(x+i, y+i) {
			return true
		}
	}
	return false
}

// pairSubtrees pairs two equal subtrees node by node.
func (m *matcher) pairSubtrees(x, y int32) {
	for i := range min(m.a.size(x), m.b.size(y)) {
		if m.a.partner[x+i] == none && m.b.partner[y+i] == none && m.a.label[x+i] == m.b.label[y+i] {
			m.pair(x+i, y+i)
		}
	}
}
