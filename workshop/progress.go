package workshop

// Progress sums up a learner's events.
type Progress struct {
	// Current is the exercise that the learner started last.
	Current string
	done    map[string]*Done
}

// Done is a learner's progress in one exercise.
type Done struct {
	Started, Passed bool
	// Tries counts the wrong answers before the exercise was passed. Hints counts the
	// hints that were shown.
	Tries, Hints int
	// Revealed is set if the learner saw the solution before passing.
	Revealed bool
	// Answer is the last answer.
	Answer string
}

// NewProgress sums up events.
func NewProgress(events []Event) *Progress {
	p := &Progress{done: map[string]*Done{}}
	for _, e := range events {
		p.add(e)
	}
	return p
}

func (p *Progress) add(e Event) {
	if e.Did == Reset {
		p.reset(e.Exercise)
		return
	}
	d := p.done[e.Exercise]
	if d == nil {
		d = &Done{}
		p.done[e.Exercise] = d
	}
	switch e.Did {
	case Started:
		p.Current, d.Started = e.Exercise, true
	case Tried:
		d.Answer = e.Answer
		if !d.Passed {
			d.Tries++
		}
	case Passed:
		d.Answer, d.Passed = e.Answer, true
	case Hinted:
		d.Hints = min(d.Hints+1, 3)
	case Revealed:
		d.Revealed = true
	}
}

func (p *Progress) reset(exercise string) {
	if exercise == "" {
		*p = Progress{done: map[string]*Done{}}
		return
	}
	delete(p.done, exercise)
}

// Empty reports whether the learner has done nothing yet.
func (p *Progress) Empty() bool { return len(p.done) == 0 }

// Of returns the progress in an exercise, or zero before its start.
func (p *Progress) Of(e *Exercise) Done {
	if d := p.done[e.Name]; d != nil {
		return *d
	}
	return Done{}
}

// Next returns the first available exercise that is not passed, or nil. It looks from the
// current exercise on, then from the beginning.
func (p *Progress) Next(c *Course, available func(*Exercise) bool) *Exercise {
	all := c.Exercises()
	start := 0
	for i, e := range all {
		if e.Name == p.Current {
			start = i
		}
	}
	for i := range all {
		if e := all[(start+i)%len(all)]; !p.Of(e).Passed && available(e) {
			return e
		}
	}
	return nil
}
