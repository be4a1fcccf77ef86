package diff

import (
	"cmp"
	"slices"
)

// An identity matches the functions of both sides: the same function has the
// same label.
type identity struct {
	names *names
	a, b  []int32 // label by name
	count int     // number of labels
}

// newIdentity matches functions with the same name. Literals, functions init
// and renamed functions get other labels later.
func newIdentity(names *names) *identity {
	id := &identity{names: names, count: len(names.list)}
	for i := range names.list {
		id.a, id.b = append(id.a, int32(i)), append(id.b, int32(i))
	}
	return id
}

// A likely is a pair of functions that are probably the same. a and b are the
// numbers of their names. A higher score is more certain.
type likely struct {
	a, b  int32
	score float64
}

// accept gives both functions of a pair the same label. It takes the most
// certain pairs first, and each function once. It returns the number of
// accepted pairs.
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

// A profile identifies a function by other properties than its name.
type profile struct {
	file             string
	callees, callers map[int32]bool
	// made counts the calls of each callee.
	made map[int32]int
	// through are the callees. A callee that only this side has is replaced by
	// its callees.
	through map[int32]bool
	// places counts the function's calls by the nearest paired node above
	// them.
	places map[int32]int
	calls  int
	first  int32 // its first call
}

// profiles collects, by name, the profiles of the functions that wanted
// accepts. key has, by node, the number that stands for the node in callees and
// callers. If inOther is nil, through and places stay empty.
func (s *side) profiles(wanted func(name int32) bool, key []int32, inOther []int32) map[int32]*profile {
	all := map[int32]*profile{}
	var through []int32
	for i := int32(1); i < s.len(); i++ {
		parent := s.parent[i]
		if parent > 0 && wanted(s.name[parent]) {
			caller := all[s.name[parent]]
			caller.callees[key[i]] = true
			caller.made[key[i]]++
		}
		name := s.name[i]
		if !wanted(name) {
			continue
		}
		p := all[name]
		if p == nil {
			p = &profile{file: s.call(i).File, first: i, callees: map[int32]bool{}, callers: map[int32]bool{}, made: map[int32]int{}, through: map[int32]bool{}, places: map[int32]int{}}
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
