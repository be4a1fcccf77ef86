package diff

// A Kind says in what way a call differs.
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
	// Repeated: the same is called more or less often in one place.
	Repeated Kind = "repeated"
	// Reordered: it is called before what it was called after, or the other way round.
	Reordered Kind = "reordered"
	// Valued: a value that does not vary from run to run is another one, or it failed in
	// another way.
	Valued Kind = "value"
	// Timed: it differs in nothing but how long it took by itself. Options.Times asks for these; they
	// are no reason for two requests to be different.
	Timed Kind = "timing"
)

// A Change is one way in which B differs from A.
type Change struct {
	Kind Kind
	// A and B are the call on both sides, None where it is not. Of Repeated calls they are
	// the first pair.
	A, B int
	// Calls is how many calls an addition or removal takes in: the call itself and those
	// below it that only its side has as well.
	Calls int
	// Times is how often the same was added or removed in one place; A or B is the first.
	Times int
	// Wraps is set where calls of both sides are below a call that only one side
	// has: it came in between, or went from there.
	Wraps bool
	// CountA and CountB are how often a Repeated call is made.
	CountA, CountB int
	// Values are what differs where values do.
	Values []ValueChange
	// OwnNsA and OwnNsB are how long a Timed call ran while none of the calls that it made did.
	OwnNsA, OwnNsB int64
}

// A ValueChange is a value that is another one.
type ValueChange struct {
	// Name is that of the attribute, or "error" or "panic".
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
