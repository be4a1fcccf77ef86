package probe

import (
	"slices"
	"sync"
	"testing"
)

// TestLeaves checks that leaves are recorded below their callers, and in their order
// among the other calls. The first call of one goroutine is a leaf.
func TestLeaves(t *testing.T) {
	socket := listenForTest(t)
	leafCall(0)
	root(sampled(traceID(60)), func() {
		leafCall(1)
		_ = call(func() error { leafCall(2); leafCall(3); return nil })
		leafCall(4)
		var wait sync.WaitGroup
		wait.Go(func() { leafCall(5) })
		wait.Wait()
		_ = call(nothing)
	})
	h, records := fetch(t, socket, Query{Trace: traceID(60), TimeoutMillis: 1000})
	if h.Calls != 8 || h.Dropped != 0 {
		t.Fatalf("%d calls, %d dropped, expected 8 and 0", h.Calls, h.Dropped)
	}
	var names []string
	var parents []int
	for i, r := range records {
		names = append(names, r.Function)
		parents = append(parents, slices.IndexFunc(records, func(p Record) bool { return p.ID == r.Parent }))
		if isLeaf := r.Function == "p.leafCall"; r.Leaf != isLeaf || isLeaf && (r.Duration != 0 || r.Unfinished) || r.Seq != uint32(i) {
			t.Errorf("a call is not as expected: %+v", r)
		}
		if r.NewGoroutine != (i == 6) {
			t.Errorf("call %d: new goroutine %t, expected the opposite", i, r.NewGoroutine)
		}
		if r.Start < records[0].Start || r.Start > records[0].Start+records[0].Duration {
			t.Errorf("call %d begins at %d, outside of its trace", i, r.Start)
		}
	}
	want := []string{"p.root", "p.leafCall", "p.call", "p.leafCall", "p.leafCall", "p.leafCall", "p.leafCall", "p.call"}
	if !slices.Equal(names, want) || !slices.Equal(parents, []int{-1, 0, 0, 2, 2, 0, 0, 0}) {
		t.Errorf("got the calls %v with the parents %v", names, parents)
	}
	if slices.ContainsFunc(records[1:], func(r Record) bool { return r.ID == records[0].ID }) {
		t.Error("another call has the id of the root call")
	}
}

func TestTooManyLeaves(t *testing.T) {
	socket := listenForTest(t)
	setForTest(t, &maxCalls, 100)
	root(sampled(traceID(61)), func() {
		for range 110 {
			leafCall(1)
		}
	})
	if h, records := fetch(t, socket, Query{Trace: traceID(61), TimeoutMillis: 100}); h.Calls != 101 || h.Dropped != 10 || records[100].ID == records[0].ID {
		t.Errorf("%d calls, %d dropped, expected 101 calls with different ids and 10", h.Calls, h.Dropped)
	}
}

// TestSnapshotOfARunningTrace takes the calls of a trace while its goroutines add calls and
// leaves, as when the start of a program is collected. Each leaf needs its parent.
func TestSnapshotOfARunningTrace(t *testing.T) {
	listenForTest(t)
	for range 100 {
		var wait sync.WaitGroup
		root(sampled(traceID(62)), func() {
			for range 4 {
				wait.Go(func() {
					for range 300 {
						_ = call(func() error { leafCall(1); return nil })
					}
				})
			}
		})
		trace := traces.get(traceID(62))
		for range 20 {
			calls, leaves := trace.snapshot()
			begun := map[*Call]bool{}
			for _, c := range calls {
				begun[c] = true
			}
			for _, l := range leaves {
				if !begun[l.parent] {
					t.Fatalf("of %d calls and %d leaves, leaf %d has a parent that is missing", len(calls), len(leaves), l.seq)
				}
			}
		}
		wait.Wait()
		trace.in.remove(trace)
	}
}
