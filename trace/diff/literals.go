package diff

import (
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
)

// matchLiterals matches function literals. Their numbers shift when a release
// adds a literal before them, so one name can mean two functions. Callees and
// callers therefore count more than the number.
func (id *identity) matchLiterals(a, b *side) {
	of := id.literalGroups()
	stripped := id.strippedNames()
	wanted := func(name int32) bool { return of[name] != none }
	inA := a.profiles(wanted, a.keys(stripped), nil)
	inB := b.profiles(wanted, b.keys(stripped), nil)
	byGroup := map[int32][]int32{}
	for name := range inB {
		byGroup[of[name]] = append(byGroup[of[name]], name)
	}
	byGroupA := map[int32][]int32{}
	for name := range inA {
		byGroupA[of[name]] = append(byGroupA[of[name]], name)
	}
	var pairs []likely
	for x, p := range inA {
		stayed := sameMembers(byGroupA[of[x]], byGroup[of[x]])
		for _, y := range byGroup[of[x]] {
			score := sameLiteral(p, inB[y], x == y, stayed)
			if x == y && stayed && score < 0.5 && (alike(a.size(p.first), b.size(inB[y].first)) || sharedBelow(a, b, p.first, inB[y].first)) {
				score = 0.5 // the literal has another place, like a moved filter, and so other neighbors
			}
			if score > 0 {
				pairs = append(pairs, likely{x, y, score})
			}
		}
	}
	for _, name := range sortedNames(inB) { // a new label for each literal; accept replaces it for a pair
		id.b[name] = int32(id.count)
		id.count++
	}
	id.accept(pairs)
}

// sameMembers reports whether both sides have the same literals of a function.
// Then no number can have shifted.
func sameMembers(inA, inB []int32) bool {
	if len(inA) != len(inB) {
		return false
	}
	for _, name := range inA {
		if !slices.Contains(inB, name) {
			return false
		}
	}
	return true
}

// alike reports whether two subtrees have similar sizes.
func alike(sizeA, sizeB int32) bool { return 2*min(sizeA, sizeB) >= max(sizeA, sizeB) }

// sharedBelow reports whether most functions below the call with fewer
// functions are also below the other call. Distant releases do much more below
// the same filter.
func sharedBelow(a, b *side, x, y int32) bool {
	const several = 3 // fewer are shared by chance
	inA, inB := a.namesBelow(x), b.namesBelow(y)
	common := 0
	for name := range inA {
		if inB[name] {
			common++
		}
	}
	return common >= several && 2*common > min(len(inA), len(inB))
}

// namesBelow are the functions that run below a node.
func (s *side) namesBelow(i int32) map[int32]bool {
	all := map[int32]bool{}
	for _, name := range s.name[i+1 : s.end[i]] {
		all[name] = true
	}
	return all
}

// keys returns the entry of byName for each node.
func (s *side) keys(byName []int32) []int32 {
	all := make([]int32, s.len())
	for i, name := range s.name {
		all[i] = byName[name]
	}
	return all
}

// sameLiteral returns the certainty that two literals of a function are the
// same, or 0. stayed is set if no number can have shifted.
func sameLiteral(p, q *profile, sameNumber, stayed bool) float64 {
	score := 0.3 * shared(p.callers, q.callers)
	switch {
	case len(p.callees)+len(q.callees) > 0:
		score += 0.4*shared(p.callees, q.callees) + 0.2*sharedCalls(p, q) // several literals may have the same few callees
	case sameNumber:
		score += 0.6
	default:
		score += 0.3 // literals without callees differ only in their number
	}
	switch {
	case sameNumber && stayed:
		score += 0.15
	case sameNumber:
		score += 0.05 // less than a call made twice instead of once costs in sharedCalls, 0.2/3
	}
	if score < 0.3 {
		return 0
	}
	return score
}

// sharedCalls returns the similarity of two functions' call counts, from 0 to
// 1: 1 if both make the same calls equally often.
func sharedCalls(p, q *profile) float64 {
	common, total := 0.0, 0.0
	for callee, n := range p.made {
		each, there := float64(n)/float64(p.calls), float64(q.made[callee])/float64(q.calls)
		common += min(each, there)
		total += each
	}
	for _, n := range q.made {
		total += float64(n) / float64(q.calls)
	}
	return 2 * common / total
}

// literalGroups returns a group number by name. Literals of one function at
// the same depth are in the same group. For other functions, the number is
// none.
func (id *identity) literalGroups() []int32 {
	type group struct {
		function
		depth int
	}
	numbers := map[group]int32{}
	of := make([]int32, len(id.names.list))
	for i, f := range id.names.list {
		declared, rest := funcname.SplitLiteral(f.name)
		if rest == "" {
			of[i] = none
			continue
		}
		g := group{function{f.process, declared}, strings.Count(rest, ".")}
		n, ok := numbers[g]
		if !ok {
			n = int32(len(numbers))
			numbers[g] = n
		}
		of[i] = n
	}
	return of
}

// strippedNames returns a number by name. All literals of one function have
// the same number.
func (id *identity) strippedNames() []int32 {
	type stripped struct {
		function
		literal bool
	}
	numbers := map[stripped]int32{}
	of := make([]int32, len(id.names.list))
	for i, f := range id.names.list {
		declared, rest := funcname.SplitLiteral(f.name)
		s := stripped{function{f.process, declared}, rest != ""}
		n, ok := numbers[s]
		if !ok {
			n = int32(len(numbers))
			numbers[s] = n
		}
		of[i] = n
	}
	return of
}

// onlyRenumbered reports whether two names differ only in their number, as
// literals of one function, or functions init of one package.
func onlyRenumbered(nameA, nameB string) bool {
	pkgA, _, okA := initOf(nameA)
	pkgB, _, okB := initOf(nameB)
	if okA && okB {
		return pkgA == pkgB
	}
	a, restA := funcname.SplitLiteral(nameA)
	b, restB := funcname.SplitLiteral(nameB)
	return a == b && restA != "" && restB != "" && restA != restB
}
