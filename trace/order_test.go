package trace

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestInOrder compares inOrder, which is quick, with entryOrder, which computes the
// order. It sorts the calls and then makes one random change. After the change, the
// calls may be in order, out of order, or not one tree.
func TestInOrder(t *testing.T) {
	inOrder, out := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		r := &Request{}
		n := rapid.IntRange(1, 12).Draw(t, "calls")
		for i := range n {
			c := Call{ID: fmt.Sprintf("%016x", i+1)}
			if i > 0 {
				c.Parent = fmt.Sprintf("%016x", rapid.IntRange(1, i).Draw(t, "parent"))
			}
			c.StartNs = int64(rapid.IntRange(0, 5).Draw(t, "start"))
			c.CallerLine = rapid.IntRange(0, 3).Draw(t, "line")
			c.NewGoroutine = rapid.IntRange(0, 3).Draw(t, "goroutine") == 0
			r.Calls = append(r.Calls, c)
		}
		if err := r.Sort(); err != nil {
			t.Fatal(err)
		}
		if !r.inOrder() {
			t.Fatalf("Sort succeeded, but inOrder reports false: %+v", r.Calls)
		}
		a, b := rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b")
		switch rapid.IntRange(0, 3).Draw(t, "change") {
		case 0:
			r.Calls[a], r.Calls[b] = r.Calls[b], r.Calls[a]
		case 1:
			r.Calls[a].Parent = r.Calls[b].ID
		case 2:
			r.Calls[a].ID = r.Calls[b].ID
		case 3:
			r.Calls[a].StartNs = r.Calls[b].StartNs
		}
		order, err := r.entryOrder()
		want := err == nil && slices.IsSorted(order)
		if got := r.inOrder(); got != want {
			t.Fatalf("inOrder returned %t, but entryOrder returned %v and the error %v: %+v", got, order, err, r.Calls)
		}
		if want {
			inOrder++
		} else {
			out++
		}
	})
	if inOrder == 0 || out == 0 {
		t.Errorf("%d requests were in order and %d were not: both must occur", inOrder, out)
	}
}
