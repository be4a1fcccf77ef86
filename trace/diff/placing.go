package diff

import (
	"cmp"
	"slices"
)

// A placing says which paired calls have another place in B.
type placing struct {
	a, b *side
	// moved is set, by node of a, if the caller differs. alone is set if the
	// call moved without its callees. reordered is set if only the order
	// changed.
	moved, alone, reordered []bool
}

func newPlacing(a, b *side) *placing {
	n := a.len()
	p := &placing{a: a, b: b, moved: make([]bool, n), alone: make([]bool, n), reordered: make([]bool, n)}
	wrong := p.misplaced()
	const most = 64 // maximum number of calls that moved alone
	for range most {
		if len(wrong) == 0 {
			break
		}
		x := p.mostBlamed(wrong)
		if x == none {
			break
		}
		p.alone[x] = true
		wrong = slices.DeleteFunc(wrong, p.inPlace)
	}
	for _, x := range wrong {
		p.moved[x] = true
	}
	for x := range p.alone {
		p.moved[x] = p.moved[x] || p.alone[x]
	}
	p.findReordered()
	return p
}

// misplaced lists the paired nodes that have unequal callers: their nearest
// paired callers are not a pair.
func (p *placing) misplaced() []int32 {
	var wrong []int32
	for x := int32(1); x < p.a.len(); x++ {
		if p.a.partner[x] != none && !p.inPlace(x) {
			wrong = append(wrong, x)
		}
	}
	return wrong
}

// inPlace reports whether x is below the same call on both sides. It ignores
// calls that moved alone.
func (p *placing) inPlace(x int32) bool {
	if p.alone[x] {
		return false
	}
	y := p.a.partner[x]
	aboveX, aboveY := p.a.matchedAbove(x), p.b.matchedAbove(y)
	return p.a.partner[aboveX] == aboveY || p.a.partner[p.stayedA(aboveX)] == p.stayedB(aboveY)
}

// stayedA returns x or, if x moved alone, the nearest paired node above it
// that did not. stayedB does the same on the other side.
func (p *placing) stayedA(x int32) int32 {
	for p.alone[x] {
		x = p.a.matchedAbove(x)
	}
	return x
}

func (p *placing) stayedB(y int32) int32 {
	for p.alone[p.b.partner[y]] {
		y = p.b.matchedAbove(y)
	}
	return y
}

// mostBlamed returns the misplaced node that would explain most others if it
// had moved alone, or none.
func (p *placing) mostBlamed(wrong []int32) int32 {
	blame := map[int32]int{}
	for _, x := range wrong {
		aboveX := p.stayedA(p.a.matchedAbove(x))
		aboveY := p.stayedB(p.b.matchedAbove(p.a.partner[x]))
		if aboveX > 0 && p.a.partner[p.stayedA(p.a.matchedAbove(aboveX))] == aboveY {
			blame[aboveX]++
		}
		if aboveY > 0 && p.a.partner[aboveX] == p.stayedB(p.b.matchedAbove(aboveY)) {
			blame[p.b.partner[aboveY]]++
		}
	}
	best := int32(none)
	for _, x := range wrong {
		if blame[x] > 0 && (best == none || blame[x] > blame[best]) {
			best = x
		}
	}
	return best
}

// findReordered marks the nodes that must move so that the others are in the
// same order. It ignores calls on new goroutines, which have no order.
func (p *placing) findReordered() {
	below := make([][]int32, p.a.len())
	for x := int32(1); x < p.a.len(); x++ {
		y := p.a.partner[x]
		if y == none || p.moved[x] || p.a.call(x).NewGoroutine || p.b.call(y).NewGoroutine {
			continue
		}
		above := p.stayedA(p.a.matchedAbove(x))
		below[above] = append(below[above], x)
	}
	for above, list := range below {
		if slices.IsSortedFunc(list, func(w, x int32) int { return cmp.Compare(p.a.partner[w], p.a.partner[x]) }) {
			continue
		}
		for _, together := range p.byGoroutine(int32(above), list) {
			p.reorder(together)
		}
	}
}

// byGoroutine splits calls below the same call by their goroutines on both sides. Calls on two
// goroutines have no order.
func (p *placing) byGoroutine(above int32, list []int32) map[[2]uint64][]int32 {
	split := map[[2]uint64][]int32{}
	for _, x := range list {
		on := [2]uint64{p.a.ownGoroutine(x, above), p.b.ownGoroutine(p.a.partner[x], p.a.partner[above])}
		split[on] = append(split[on], x)
	}
	return split
}

func (p *placing) reorder(list []int32) {
	var all []position
	for i, x := range list {
		all = append(all, position{i, int(p.a.partner[x])})
		p.reordered[x] = true
	}
	for _, kept := range ascending(all) {
		p.reordered[list[kept.a]] = false
	}
}

// mirror returns the placing with the sides swapped.
func (p *placing) mirror() *placing {
	n := p.b.len()
	m := &placing{a: p.b, b: p.a, moved: make([]bool, n), alone: make([]bool, n), reordered: make([]bool, n)}
	for x, y := range p.a.partner {
		if y != none {
			m.moved[y], m.alone[y], m.reordered[y] = p.moved[x], p.alone[x], p.reordered[x]
		}
	}
	return m
}
