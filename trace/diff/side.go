package diff

import "github.com/kubeapitrace/apitrace/trace"

// none is the index of a missing node.
const none = -1

// A side is one of the two compared trees. Call i is node i+1. Node 0 is above
// the first call, so that the first call can be wrapped like any other.
type side struct {
	tree *trace.Tree
	// parent and end are as in trace.Tree, but by node.
	parent, end []int32
	// name is the number of the call's function and process; see names. The
	// same function has the same label on both sides.
	name, label []int32
	// hash is equal for subtrees with equal labels in equal order. values is
	// equal for calls with equal values, apart from values that vary between
	// runs, and 0 for calls without values.
	hash, values []uint64
	// partner is the same call on the other side, or none.
	partner []int32
}

// names numbers functions by process and full name, for both sides.
type names struct {
	index map[function]int32
	list  []function
}

// A function is identified by its full name and its process.
type function struct{ process, name string }

func (n *names) number(f function) int32 {
	i, ok := n.index[f]
	if !ok {
		i = int32(len(n.list))
		n.index[f] = i
		n.list = append(n.list, f)
	}
	return i
}

func newSide(tree *trace.Tree, names *names) *side {
	n := tree.Len() + 1
	s := &side{
		tree: tree, parent: make([]int32, n), end: make([]int32, n),
		name: make([]int32, n), label: make([]int32, n), partner: make([]int32, n),
		hash: make([]uint64, n), values: make([]uint64, n),
	}
	s.parent[0], s.end[0], s.name[0] = none, int32(n), names.number(function{})
	for i := range tree.Len() {
		call := tree.Call(i)
		s.parent[i+1] = int32(tree.Parent(i) + 1)
		s.end[i+1] = int32(tree.End(i) + 1)
		s.name[i+1] = names.number(function{call.Process, call.Function})
	}
	return s
}

func (s *side) len() int32               { return int32(len(s.parent)) }
func (s *side) size(i int32) int32       { return s.end[i] - i }
func (s *side) call(i int32) *trace.Call { return s.tree.Call(int(i) - 1) }

// ownGoroutine returns the goroutine of node i. It returns 0 if the node runs on the goroutine
// of node above, or in another process.
func (s *side) ownGoroutine(i, above int32) uint64 {
	if above == 0 {
		return 0
	}
	call, caller := s.call(i), s.call(above)
	if call.Process != caller.Process || call.Goroutine == caller.Goroutine {
		return 0
	}
	return call.Goroutine
}

// setLabels gives each node the label of its name, clears all partners, and
// hashes the subtrees.
func (s *side) setLabels(labelOf []int32) {
	for i := s.len() - 1; i >= 0; i-- { // children before their parents
		s.label[i] = labelOf[s.name[i]]
		s.partner[i] = none
		h := mix(0x9e3779b97f4a7c15, uint64(s.label[i]))
		for c := i + 1; c < s.end[i]; c = s.end[c] {
			h = mix(h, s.hash[c])
		}
		s.hash[i] = h
	}
}

// mix is one step of a cheap hash. The order of the steps matters.
func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0xff51afd7ed558ccd
	return h ^ h>>32
}

// setValues hashes the values of each call. It ignores values that only one
// side records: the guide of the other side may not record them.
func setValues(a, b *side) {
	inA, inB := a.attributes(), b.attributes()
	for _, s := range []*side{a, b} {
		for i := int32(1); i < s.len(); i++ {
			s.values[i] = hashValues(s.call(i), func(name string) bool { return inA[name] && inB[name] })
		}
	}
}

// attributes returns the names of all attributes.
func (s *side) attributes() map[string]bool {
	all := map[string]bool{}
	for i := int32(1); i < s.len(); i++ {
		for name := range s.call(i).Attributes {
			all[name] = true
		}
	}
	return all
}

// hashValues hashes the values of the attributes that counts accepts, in any
// order. It ignores parts of values that vary between runs. It also ignores
// numbers and booleans: they are results and do not show a call's purpose.
func hashValues(call *trace.Call, counts func(name string) bool) uint64 {
	var sum uint64
	for name, value := range call.Attributes {
		value = settled(name, value)
		if identifies(value) && counts(name) {
			sum += hashText(name, "=", value)
		}
	}
	return sum
}

// identifies reports whether a value shows a call's purpose.
func identifies(value string) bool {
	return value != "" && value != "true" && value != "false" && !number(value)
}

// hashText is the FNV-1a hash of a text, which callers pass in parts.
func hashText(parts ...string) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for _, part := range parts {
		for i := range len(part) {
			h = (h ^ uint64(part[i])) * prime
		}
	}
	return h
}

// counts returns the number of nodes with each label.
func (s *side) counts(labels int) []int32 {
	n := make([]int32, labels)
	for _, l := range s.label {
		n[l]++
	}
	return n
}

// matchedAbove is the nearest node above i that has a partner. Node 0 always
// has one.
func (s *side) matchedAbove(i int32) int32 {
	for i = s.parent[i]; i > 0 && s.partner[i] == none; i = s.parent[i] {
	}
	return i
}
