package trace

import "testing"

func TestSelfNs(t *testing.T) {
	r := &Request{TraceID: "4387af42cebef2cf258386aeb9064159", Method: "GET", Path: "/", Calls: []Call{
		{ID: "0000000000000001", Function: "a.root", Process: "p", DurationNs: 100},
		{ID: "0000000000000002", Parent: "0000000000000001", Function: "a.first", Process: "p", StartNs: 10, DurationNs: 20},
		{ID: "0000000000000003", Parent: "0000000000000002", Function: "a.inner", Process: "p", StartNs: 12, DurationNs: 5},
		{ID: "0000000000000004", Parent: "0000000000000001", Function: "a.overlaps", Process: "w", Attributes: map[string]string{AttrHandoff: HandoffWatch}, StartNs: 25, DurationNs: 15, NewGoroutine: true},
		{ID: "0000000000000005", Parent: "0000000000000001", Function: "a.outlives", Process: "q", StartNs: 90, DurationNs: 50, NewGoroutine: true},
	}}
	tree, err := NewTree(r)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"q", "", "", "", ""} {
		if got := tree.Remote(i); got != want {
			t.Errorf("Remote of %s = %q, expected %q", tree.Call(i).Function, got, want)
		}
	}
	for i, want := range []int64{100 - 30 - 10, 20 - 5, 5, 15, 50} {
		if got := tree.SelfNs(i); got != want {
			t.Errorf("SelfNs of %s = %d ns, expected %d", tree.Call(i).Function, got, want)
		}
	}
}
