package diff

import (
	"cmp"
	"slices"
)

// An identity says which function of one side is which of the other: two functions
// are the same if they have the same label.
type identity struct {
	names *names
	a, b  []int32 // label by name
	count int     // of labels
}

// newIdentity takes functions of one name for the same, but for literals that are
// more like another one.
func newIdentity(names *names) *identity {
	id := &identity{names: names, count: len(names.list)}
	for i := range names.list {
		id.a, id.b = append(id.a, int32(i)), append(id.b, int32(i))
	}
	return id
}

// A likely pair of functions, by name, and how sure it is.
type likely struct {
	a, b  int32
	score float64
}

// accept makes the pairs the same function, the surest first, each function once. It
// returns how many it took.
func (id *identity) accept(pairs []likely) int {
	slices.SortFunc(pairs, func(p, q likely) int {
		return cmp.Or(cmp.Compare(q.score, p.score), cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b))
	})
	takenA, takenB := map[int32]bool{}, map[int32]bool{}
	for _, p := range pairs {
		if takenA[p.a] || takenB[p.b] {
			continue
		}
		takenA[p.a], takenB[p.b] = true, true
		id.b[p.b] = id.a[p.a]
	}
	return len(takenA)
}

// A profile is what a function is known by apart from its name.
type profile struct {
	file             string
	callees, callers map[int32]bool
	// through are the callees with, instead of those that only this side has, what these call.
	through map[int32]bool
	// places are the paired nodes of this side that are nearest above its calls.
	places map[int32]int
	calls  int
	first  int32 // call
}

// profiles collects the profiles of the functions that are wanted, by name. The key of
// a node is what it counts as when it is a callee or a caller.
func (s *side) profiles(wanted func(name int32) bool, key []int32, inOther []int32) map[int32]*profile {
	all := map[int32]*profile{}
	var through []int32
	for i := int32(1); i < s.len(); i++ {
		parent := s.parent[i]
		if parent > 0 && wanted(s.name[parent]) {
			all[s.name[parent]].callees[key[i]] = true
		}
		name := s.name[i]
		if !wanted(name) {
			continue
		}
		p := all[name]
		if p == nil {
			p = &profile{file: s.call(i).File, first: i, callees: map[int32]bool{}, callers: map[int32]bool{}, through: map[int32]bool{}, places: map[int32]int{}}
			all[name] = p
		}
		p.calls++
		p.callers[key[parent]] = true
		if inOther == nil {
			continue
		}
		p.places[s.matchedAbove(i)]++
		through = s.callees(i, inOther, through[:0])
		for _, c := range through {
			p.through[key[c]] = true
		}
	}
	return all
}

// sortedNames lists the functions of profiles by number.
func sortedNames(profiles map[int32]*profile) []int32 {
	var all []int32
	for name := range profiles {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
