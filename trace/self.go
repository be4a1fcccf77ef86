package trace

import (
	"cmp"
	"slices"
)

// SelfNs returns call i's own time in nanoseconds: the part of its duration in which
// none of its direct callees ran. The wait for a callee's callee that runs on after its
// own caller, such as etcd's wal.Save, counts as own time. For a leaf (see Call.Leaf)
// SelfNs returns 0. The leaf's time counts as its caller's own time.
func (t *Tree) SelfNs(i int) int64 {
	call := t.Call(i)
	from, until := call.StartNs, call.StartNs+call.DurationNs
	var spans [][2]int64
	for c := range t.Children(i) {
		child := t.Call(c)
		if start, end := max(child.StartNs, from), min(child.StartNs+child.DurationNs, until); start < end {
			spans = append(spans, [2]int64{start, end})
		}
	}
	slices.SortFunc(spans, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	self, reached := call.DurationNs, from
	for _, span := range spans { // children on other goroutines may overlap
		if start := max(span[0], reached); start < span[1] {
			self -= span[1] - start
			reached = span[1]
		}
	}
	return self
}

// Remote returns the other process that answers call i, or "". Then the call's own time is
// the time on the way there and back. The handling of an event (AttrHandoff) is no answer.
func (t *Tree) Remote(i int) string {
	for c := range t.Children(i) {
		if called := t.Call(c); called.Process != t.Call(i).Process && called.Attributes[AttrHandoff] == "" {
			return called.Process
		}
	}
	return ""
}
