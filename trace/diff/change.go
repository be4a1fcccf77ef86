package diff

// A Kind says how a call differs.
type Kind string

// The kinds of a Change.
const (
	// Added: only B makes the call. Removed: only A.
	Added   Kind = "added"
	Removed Kind = "removed"
	// Moved: both make the call, but from different callers.
	Moved Kind = "moved"
	// Renamed: the function has another name, file or package.
	Renamed Kind = "renamed"
	// Repeated: one caller calls the same function more or less often.
	Repeated Kind = "repeated"
	// Reordered: the order of calls changed.
	Reordered Kind = "reordered"
	// Valued: a value that does not vary between runs differs, or the call
	// returned an error or panicked on one side only.
	Valued Kind = "value"
	// Timed: the call differs only in its own time. It is reported only with
	// Options.Times. Requests that differ only in times took the same path.
	Timed Kind = "timing"
)

// A Change is one difference of B from A.
type Change struct {
	Kind Kind
	// A and B are the index of the call on each side, or None. For Repeated,
	// they are the first pair of calls.
	A, B int
	// Calls is the number of calls that an addition or removal adds or
	// removes: the call itself, and its descendants that only this side has.
	// If Times is above 1, it counts the calls of all equal additions or
	// removals.
	Calls int
	// Times counts equal additions or removals in one place. A or B is the
	// first.
	Times int
	// Wraps is set if an added or removed call has calls of both sides below
	// it: it was inserted above these calls, or removed from above them.
	Wraps bool
	// CountA and CountB are, for Repeated, the numbers of calls on each side.
	CountA, CountB int
	// Values are the values that differ.
	Values []ValueChange
	// OwnNsA and OwnNsB are the own times of a Timed call, without its
	// callees, in nanoseconds.
	OwnNsA, OwnNsB int64
}

// A ValueChange is a value that differs. A and B are the values on each side.
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
