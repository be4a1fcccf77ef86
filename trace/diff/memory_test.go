package diff

import (
	"runtime"
	"testing"
)

// TestMemoryIsLinear checks that comparing ten times as many calls takes about
// ten times as much memory.
func TestMemoryIsLinear(t *testing.T) {
	perCall := func(calls int) float64 {
		a, b := largeTree(t, calls, 0, 1), largeTree(t, calls, 5, 1)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		d := compare(a, b, Options{})
		runtime.ReadMemStats(&after)
		if len(d.Changes) == 0 {
			t.Fatal("no changes: nothing was compared")
		}
		return float64(after.TotalAlloc-before.TotalAlloc) / float64(a.Len()+b.Len())
	}
	few, many := perCall(3_000), perCall(30_000)
	t.Logf("bytes allocated per call: %.0f for 3,000 calls, %.0f for 30,000 calls", few, many)
	if many > 1.5*few {
		t.Errorf("bytes allocated per call: %.0f for 30,000 calls, expected at most 1.5 times the %.0f for 3,000 calls", many, few)
	}
}
