package diff

// A Kind says how a call differs.
type Kind string

// The kinds of a Change.
const (
	// Added: only B makes the call. Removed: only A.
	Added   Kind = "added"
	Removed Kind = "removed"
	// Moved: both make it, but another function calls it.
	Moved Kind = "moved"
	// Renamed: the function has another name, file or package.
	Renamed Kind = "renamed"
	// Repeated: a place calls the same function more or less often.
	Repeated Kind = "repeated"
	// Reordered: the order of calls changed.
	Reordered Kind = "reordered"
	// Valued: a value that does not vary between runs differs, or the call
	// failed in another way.
	Valued Kind = "value"
	// Timed: the call differs only in its own time. Options.Times turns these
	// on. They do not make requests different.
	Timed Kind = "timing"
)

// A Change is one difference of B from A.
type Change struct {
	Kind Kind
	// A and B are the call on both sides, or None. For Repeated calls, they are
	// the first pair.
	A, B int
	// Calls is the number of calls that an addition or removal adds or removes: the call
	// itself, and its descendants that only this side has. With Times above 1, it counts
	// them all.
	Calls int
	// Times counts equal additions or removals in one place. A or B is the
	// first.
	Times int
	// Wraps is set if calls of both sides are below a call that only one side
	// has: it was inserted above them, or removed there.
	Wraps bool
	// CountA and CountB count a Repeated call.
	CountA, CountB int
	// Values are the values that differ.
	Values []ValueChange
	// OwnNsA and OwnNsB are the own times of a Timed call, without its
	// callees, in nanoseconds.
	OwnNsA, OwnNsB int64
}

// A ValueChange is a value that differs.
type ValueChange struct {
	// Name is the attribute's name, or "error" or "panic".
	Name string
	A, B string
}

// mirror is the change seen from the other side.
func (c Change) mirror() Change {
	switch c.Kind {
	case Added:
		c.Kind = Removed
	case Removed:
		c.Kind = Added
	}
	c.A, c.B, c.CountA, c.CountB, c.OwnNsA, c.OwnNsB = c.B, c.A, c.CountB, c.CountA, c.OwnNsB, c.OwnNsA
	var values []ValueChange
	for _, v := range c.Values {
		values = append(values, ValueChange{v.Name, v.B, v.A})
	}
	c.Values = values
	return c
}
