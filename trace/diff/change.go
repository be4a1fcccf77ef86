package diff

// A Kind says how a call differs.
type Kind string

// The kinds of a Change.
const (
	// Added: only B makes the call. Removed: only A does.
	Added   Kind = "added"
	Removed Kind = "removed"
	// Moved: both make it, but another function calls it.
	Moved Kind = "moved"
	// Renamed: the function has another name, or is kept in another file or package.
	Renamed Kind = "renamed"
	// Repeated: the same function is called more or less often in one place.
	Repeated Kind = "repeated"
	// Reordered: the order of calls changed.
	Reordered Kind = "reordered"
	// Valued: a value that does not vary between runs differs, or the call
	// failed in another way.
	Valued Kind = "value"
	// Timed: the call differs only in its own time. Options.Times turns these
	// on; they do not make two requests different.
	Timed Kind = "timing"
)

// A Change is one difference of B from A.
type Change struct {
	Kind Kind
	// A and B are the call on both sides, or None on a side that lacks it. For
	// Repeated calls, they are the first pair.
	A, B int
	// Calls is the number of calls that an addition or removal adds or removes: the call
	// itself, and its descendants that only this side has. If Times is more than 1, it counts
	// the calls of all of them.
	Calls int
	// Times is the number of equal additions or removals in one place. A or B
	// is the first of them.
	Times int
	// Wraps is set if calls of both sides are below a call that only one side
	// has. The call was inserted above them, or removed from there.
	Wraps bool
	// CountA and CountB are the numbers of repetitions of a Repeated call.
	CountA, CountB int
	// Values are the values that differ.
	Values []ValueChange
	// OwnNsA and OwnNsB are the own times of a Timed call, without its
	// callees, in nanoseconds.
	OwnNsA, OwnNsB int64
}

// A ValueChange is a value that differs.
type ValueChange struct {
	// Name is the name of the attribute, or "error" or "panic".
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
