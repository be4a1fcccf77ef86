package collect

import (
	"slices"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument/probe"
)

func TestWithoutLateCalls(t *testing.T) {
	const (
		main probe.SpanID = 1<<32 | iota
		leaf
		lost
		newest
		late
		last
		nobody
		notListed
	)
	const (
		asked probe.SpanID = 2<<32 | iota
		askedLost
		askedLate
		belowLate
		leafLate
	)
	const client probe.SpanID = 3 << 32
	all := []call{
		{"a", probe.Record{ID: main, Parent: client, Start: 11}},
		{"a", probe.Record{ID: leaf, Parent: main, Leaf: true, Start: 12}},
		{"a", probe.Record{ID: lost, Parent: nobody, Leaf: true, Start: 13}}, // the missing parent is an error that must not be hidden
		{"a", probe.Record{ID: newest, Parent: main, Start: 14}},
		{"a", probe.Record{ID: late, Parent: notListed, Leaf: true, Start: 15}},
		{"a", probe.Record{ID: last, Parent: newest, Leaf: true, Start: 16}},
		{"b", probe.Record{ID: asked, Parent: newest, Start: 17}},
		{"b", probe.Record{ID: askedLost, Parent: nobody, Start: 13}},
		{"b", probe.Record{ID: askedLate, Parent: notListed, Start: 18}},
		{"b", probe.Record{ID: belowLate, Parent: askedLate, Start: 19}},
		{"b", probe.Record{ID: leafLate, Parent: belowLate, Leaf: true, Start: 20}},
	}
	var got []probe.SpanID
	for _, c := range withoutLateCalls(all) {
		got = append(got, c.ID)
	}
	if want := []probe.SpanID{main, leaf, lost, newest, last, asked, askedLost}; !slices.Equal(got, want) {
		t.Errorf("got %x, expected %x", got, want)
	}
}

// A program may list the leaves of a caller that began while it had no other call.
func TestALeafMayBeAllThatIsListed(t *testing.T) {
	all := withoutLateCalls([]call{{"a", probe.Record{ID: 1<<32 | 2, Parent: 1<<32 | 1, Leaf: true, Start: 1}}})
	if len(all) != 0 {
		t.Errorf("got %d calls, expected none", len(all))
	}
}

// A program of which a call without its caller is the newest call has lost that caller.
func TestALostCallerIsNotALateOne(t *testing.T) {
	const main, orphan, nobody probe.SpanID = 1<<32 | 1, 1<<32 | 2, 1<<32 | 3
	all := withoutLateCalls([]call{{"a", probe.Record{ID: main, Start: 1}}, {"a", probe.Record{ID: orphan, Parent: nobody, Start: 2}}})
	if len(all) != 2 {
		t.Errorf("got %d calls, expected both", len(all))
	}
}
