package diff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/kubeapitrace/apitrace/trace"
)

// drawn writes a merged tree. Calls that only A has are marked "-", calls that
// only B has "+".
func drawn(m *Merged) string {
	var lines []string
	for i := range m.Tree.Len() {
		mark := " "
		if m.A[i] == None {
			mark = "+"
		} else if m.B[i] == None {
			mark = "-"
		}
		lines = append(lines, mark+strings.Repeat(" ", m.Tree.Depth(i))+m.Tree.Call(i).Function)
	}
	return strings.Join(lines, "\n")
}

func TestMerge(t *testing.T) {
	tests := []struct{ name, a, b, want string }{
		{"a removed call is in its old place", "p.A\n p.B\n p.Gone\n  p.X\n p.C", "p.A\n p.B\n p.C\n p.D", " p.A\n  p.B\n- p.Gone\n-  p.X\n  p.C\n+ p.D"},
		{"a removed wrapper is before the calls that it wrapped", "p.A\n p.Z\n p.Wrap\n  p.B\n   p.C", "p.A\n p.Z\n p.B\n  p.C", " p.A\n  p.Z\n- p.Wrap\n  p.B\n   p.C"},
		{"line numbers do not order calls of different sides", "p.A\n p.Gone line=50\n p.G go=1 line=60", "p.A\n p.G go=1 line=10", " p.A\n- p.Gone\n  p.G"},
		{"a removed wrapper of everything is above everything", "p.Wrap\n p.A\n  p.B", "p.A\n p.B", "-p.Wrap\n  p.A\n   p.B"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := compare(treeOf(t, test.a), treeOf(t, test.b), Options{}).Merge()
			if diff := cmp.Diff(test.want, drawn(m)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestMergeHasAll checks that the merged tree has every call of both sides once,
// at the positions in AtA and AtB, and every change once.
func TestMergeHasAll(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := drawTree(rt, "a")
		d := compare(treeOf(t, text), treeOf(t, mutate(rt, text)), Options{})
		m := d.Merge()
		if err := m.Tree.Request.Validate(); err != nil {
			rt.Fatal(err)
		}
		seenA, seenB, changes := map[int]int{}, map[int]int{}, 0
		for i := range m.Tree.Len() {
			seenA[m.A[i]]++
			seenB[m.B[i]]++
			changes += len(m.Changes[i])
			if x, y := m.A[i], m.B[i]; x != None && m.AtA[x] != i || y != None && m.AtB[y] != i {
				rt.Fatalf("merged call %d is call %d of a and %d of b, but AtA or AtB has another merged call for them", i, x, y)
			}
		}
		delete(seenA, None)
		delete(seenB, None)
		if len(seenA) != d.A.Len() || len(seenB) != d.B.Len() || m.Tree.Len() > d.A.Len()+d.B.Len() || changes != len(d.Changes) {
			rt.Fatalf("the merged tree has %d of %d calls of a, %d of %d calls of b, and %d of %d changes, expected all, and at most the calls of both", len(seenA), d.A.Len(), len(seenB), d.B.Len(), changes, len(d.Changes))
		}
	})
}

func TestCompareRecordings(t *testing.T) {
	request := func(method, path, text string) trace.Request {
		r := *treeOf(t, text).Request
		r.Method, r.Path = method, path
		return r
	}
	a := &trace.Recording{Requests: []trace.Request{request("GET", "/a", "p.A"), request("PUT", "/b", "p.A\n p.B"), request("GET", "/c", "p.A")}}
	b := &trace.Recording{Requests: []trace.Request{request("PUT", "/b", "p.A"), request("GET", "/c", "p.A")}}
	c := CompareRecordings(a, b, Options{})
	var got []string
	for _, r := range c.Requests {
		switch {
		case r.B == nil:
			got = append(got, "- "+r.A.Path)
		case r.A == nil:
			got = append(got, "+ "+r.B.Path)
		default:
			got = append(got, fmt.Sprintf("%s %v", r.A.Path, r.Same()))
		}
	}
	if diff := cmp.Diff([]string{"- /a", "/b false", "/c true"}, got); diff != "" {
		t.Error(diff)
	}
	if c.Same() {
		t.Error("Same() = true although a request is missing, expected false")
	}
	if !CompareRecordings(a, a, Options{}).Same() {
		t.Error("comparing a recording with itself: Same() = false, expected true")
	}
}
