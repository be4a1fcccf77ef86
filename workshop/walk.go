package workshop

import "slices"

// functions lists the functions in the exercise's selections, which must exist. It
// leaves out a selection with several names, because one existing function is enough.
func (e *Exercise) functions() []string {
	var names []string
	add := func(s *Selection) {
		if len(s.Function) == 1 && s.Function[0] != answer {
			names = append(names, s.Function[0])
		}
	}
	e.eachSelection(add)
	slices.Sort(names)
	return slices.Compact(names)
}

// eachSelection visits an exercise's selections, and the selections inside them.
func (e *Exercise) eachSelection(visit func(*Selection)) {
	if e.Find != nil {
		e.Find.each(visit)
	}
	for i := range e.Order {
		e.Order[i].Call.each(visit)
	}
	if e.Claim != nil {
		e.Claim.Holds.each(visit)
		if e.Claim.Evidence != nil {
			e.Claim.Evidence.each(visit)
		}
	}
	for i := range e.Choose {
		e.Choose[i].Holds.each(visit)
	}
	if e.Value != nil {
		e.Value.Of.each(visit)
	}
	if e.Live() {
		e.expect().each(visit)
	}
	for i := range e.Wrong {
		if when := e.Wrong[i].When; when != nil {
			when.each(visit)
		}
	}
}

func (s *Selection) each(visit func(*Selection)) {
	visit(s)
	for _, p := range s.parts() {
		if p.of != nil {
			p.of.each(visit)
		}
	}
}

func (t *Test) each(visit func(*Selection)) {
	for _, tests := range [][]Test{t.All, t.Any} {
		for i := range tests {
			tests[i].each(visit)
		}
	}
	if t.Not != nil {
		t.Not.each(visit)
	}
	for _, s := range []*Selection{t.Some, t.None} {
		if s != nil {
			s.each(visit)
		}
	}
	if t.Count != nil {
		t.Count.Of.each(visit)
	}
	for i := range t.InOrder {
		t.InOrder[i].each(visit)
	}
}
