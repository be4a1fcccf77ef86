package collect

import (
	"slices"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument/probe"
)

func TestWithoutLateLeaves(t *testing.T) {
	const (
		main probe.SpanID = iota + 1
		leaf
		lost
		newest
		late
		last
		nobody
		notListed
	)
	records := []probe.Record{
		{ID: main, Start: 1},
		{ID: leaf, Parent: main, Leaf: true, Start: 2},
		{ID: lost, Parent: nobody, Leaf: true, Start: 3}, // the missing parent is an error that must not be hidden
		{ID: newest, Parent: main, Start: 4},
		{ID: late, Parent: notListed, Leaf: true, Start: 5},
		{ID: last, Parent: newest, Leaf: true, Start: 6},
	}
	var got []probe.SpanID
	for _, r := range withoutLateLeaves(records) {
		got = append(got, r.ID)
	}
	if want := []probe.SpanID{main, leaf, lost, newest, last}; !slices.Equal(got, want) {
		t.Errorf("got %v, expected %v", got, want)
	}
}
