package diff

import (
	"cmp"
	"slices"
)

// build fills in the fields that follow from the matching.
func (d *Diff) build(a, b *side, p *placing, o Options) {
	d.InB, d.InA = indices(a), indices(b)
	d.moved, d.alone, d.reordered = p.moved[1:], p.alone[1:], p.reordered[1:]
	d.findMovedPackages()
	f := &finder{a: a, b: b, d: d}
	ofA, ofB := callersOfOnly(a, b)
	inA, inB := timesCalled(a, ofA), timesCalled(b, ofB)
	f.onlyOn(a, b, inA, inB, Removed)
	f.onlyOn(b, a, inB, inA, Added)
	f.pairs()
	if o.Times {
		f.timed(f.changedCalls())
	}
	d.Changes = f.changes
	slices.SortStableFunc(d.Changes, func(x, y Change) int {
		return cmp.Or(cmp.Compare(d.order(x), d.order(y)), cmp.Compare(x.A, y.A), cmp.Compare(x.Kind, y.Kind))
	})
}

// indices returns, by call, the call's partner, or None.
func indices(s *side) []int {
	calls := make([]int, s.len()-1)
	for i := range calls {
		calls[i] = None
		if y := s.partner[i+1]; y != none {
			calls[i] = int(y - 1)
		}
	}
	return calls
}

// order returns a change's sort key: the position of its call in B. If only A
// has the call, the change comes right after the partner of the last earlier
// call that has a partner.
func (d *Diff) order(c Change) int {
	if c.B != None {
		return 2 * c.B
	}
	for i := c.A; i >= 0; i-- {
		if d.InB[i] != None {
			return 2*d.InB[i] + 1
		}
	}
	return -1
}

// A finder lists changes.
type finder struct {
	a, b    *side
	d       *Diff
	changes []Change
}

// A repeat identifies the calls that one caller makes of one function.
type repeat struct{ above, label int32 }

// onlyOn lists the calls that only one side has, each with the calls below it
// that only this side has. Equal calls in one place are one change. here and
// there count how often each caller calls a function, on this and the other side.
func (f *finder) onlyOn(s, other *side, here, there map[repeat]run, kind Kind) {
	known := s.knownBelow(other)
	seen := map[sameOnly]int{}
	for i := int32(1); i < s.len(); i++ {
		above := s.parent[i]
		if s.partner[i] != none || above > 0 && s.partner[above] == none {
			continue
		}
		r := repeat{above, s.label[i]}
		paired := there[repeat{s.partner[above], s.label[i]}]
		c := s.only(kind, i)
		if paired.count > 0 && known[i] {
			c = repeated(kind, here[r], paired)
		}
		key := sameOnly{repeat: r, kind: c.Kind, hash: s.values[i]}
		if c.Kind == Repeated {
			key.hash = 0
		}
		if paired.count > 0 && c.Kind == kind {
			key.hash = mix(s.hash[i], s.values[i]) // other calls of the function may have other content
		}
		at, again := seen[key]
		if !again || c.Wraps {
			seen[key] = len(f.changes)
			f.add(c)
		} else if c.Kind == kind {
			f.changes[at].Calls += c.Calls
			f.changes[at].Times++
		}
	}
	f.notCountedTwice(kind, seen)
}

// sameOnly is the key of changes that are reported as one.
type sameOnly struct {
	repeat
	kind Kind
	hash uint64
}

// notCountedTwice subtracts calls from a Repeated change if they are already
// reported as additions or removals.
func (f *finder) notCountedTwice(kind Kind, seen map[sameOnly]int) {
	for key, at := range seen {
		more, isRepeated := seen[sameOnly{repeat: key.repeat, kind: Repeated}]
		if key.kind != kind || !isRepeated {
			continue
		}
		if kind == Added {
			f.changes[more].CountB -= f.changes[at].Times
		} else {
			f.changes[more].CountA -= f.changes[at].Times
		}
	}
}

func (f *finder) add(c Change) { f.changes = append(f.changes, c) }

// A run is the first of several calls with the same key, and their number.
type run struct {
	first int32
	count int
}

// callersOfOnly marks the few paired nodes, on both sides, that make a call on
// one side only.
func callersOfOnly(a, b *side) (ofA, ofB []bool) {
	ofA, ofB = make([]bool, a.len()), make([]bool, b.len())
	mark := func(s *side, here, there []bool) {
		for i := int32(1); i < s.len(); i++ {
			if above := s.parent[i]; s.partner[i] == none && s.partner[above] != none {
				here[above], there[s.partner[above]] = true, true
			}
		}
	}
	mark(a, ofA, ofB)
	mark(b, ofB, ofA)
	return ofA, ofB
}

// timesCalled counts each marked caller's calls of each function. run.first is
// the first paired call, if there is one.
func timesCalled(s *side, callers []bool) map[repeat]run {
	all := map[repeat]run{}
	for i := int32(1); i < s.len(); i++ {
		if !callers[s.parent[i]] {
			continue
		}
		key := repeat{s.parent[i], s.label[i]}
		r := all[key]
		if r.count == 0 || s.partner[r.first] == none && s.partner[i] != none {
			r.first = i
		}
		r.count++
		all[key] = r
	}
	return all
}

// knownBelow marks the nodes without anything new in their subtrees: the other
// side also calls all functions of the subtree, with the same values, and no
// node below is paired.
func (s *side) knownBelow(other *side) []bool {
	labels, values := make([]bool, max(slices.Max(s.label), slices.Max(other.label))+1), other.identities()
	for _, label := range other.label {
		labels[label] = true
	}
	known := make([]bool, s.len())
	for i := range s.len() {
		known[i] = labels[s.label[i]]
		if known[i] && s.values[i] != 0 {
			_, known[i] = values[s.identity(i)]
		}
	}
	for i := s.len() - 1; i > 0; i-- {
		if above := s.parent[i]; !known[i] || s.partner[i] != none {
			known[above] = false
		}
	}
	return known
}

// repeated makes the change of a function called more or less often.
func repeated(kind Kind, here, there run) Change {
	c := Change{Kind: Repeated, A: int(here.first) - 1, B: int(there.first) - 1, CountA: here.count, CountB: there.count}
	if kind == Added {
		c.A, c.B, c.CountA, c.CountB = c.B, c.A, c.CountB, c.CountA
	}
	return c
}

// only makes the change of a call that one side lacks.
func (s *side) only(kind Kind, i int32) Change {
	c := Change{Kind: kind, A: int(i) - 1, B: None, Calls: 1, Times: 1}
	for below := i + 1; below < s.end[i]; {
		if s.partner[below] != none {
			c.Wraps = true
			below = s.end[below]
			continue
		}
		c.Calls++
		below++
	}
	if kind == Added {
		c.A, c.B = c.B, c.A
	}
	return c
}

// pairs lists the differences between calls of both sides.
func (f *finder) pairs() {
	for i, j := range f.d.InB {
		if j == None {
			continue
		}
		x, y := f.d.A.Call(i), f.d.B.Call(j)
		pair := func(kind Kind, holds bool) {
			if holds {
				f.add(Change{Kind: kind, A: i, B: j})
			}
		}
		pair(Moved, f.d.moved[i])
		pair(Reordered, f.d.reordered[i])
		pair(Renamed, x.Function != y.Function && !onlyRenumbered(x.Function, y.Function) || x.File != y.File)
		if values := changedValues(x, y); len(values) > 0 {
			f.add(Change{Kind: Valued, A: i, B: j, Values: values})
		}
	}
}
