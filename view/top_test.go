package view

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view/viewtest"
)

// TestTop checks the own and total times of functions, in each order, with a recursive
// function, a leaf and a filter.
func TestTop(t *testing.T) {
	tree := outline(t, `
root
  recursive
    recursive
      leaf~
  once
    twice
    twice
`)
	for i, times := range [][2]int64{{0, 100}, {10, 40}, {20, 20}, {25, 0}, {60, 30}, {62, 10}, {75, 10}} {
		tree.Call(i).StartNs, tree.Call(i).DurationNs = times[0], times[1]
	}
	for _, test := range []struct {
		by     TopOrder
		filter Filter
		want   string
	}{
		{TopOwn, Filter{}, "recursive 2 40 40, root 1 30 100, twice 2 20 20, once 1 10 30"},
		{TopTotal, Filter{}, "root 1 30 100, recursive 2 40 40, once 1 10 30, twice 2 20 20"},
		{TopCalls, Filter{}, "recursive 2 40 40, twice 2 20 20, root 1 30 100, once 1 10 30"},
		{TopOwn, Filter{Functions: []Matcher{contains("twice")}}, "twice 2 20 20"},
	} {
		all, err := NewTops(&trace.Recording{Requests: []trace.Request{*tree.Request}}, viewtest.ByName{}, Options{Choice: Choice{Filter: test.filter}}, test.by)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range all[0].Functions {
			got = append(got, fmt.Sprintf("%s %d %d %d", strings.TrimPrefix(f.Name, "p."), f.Calls, f.OwnNs, f.TotalNs))
		}
		if said := strings.Join(got, ", "); said != test.want || all[0].OwnNs != 100 {
			t.Errorf("by %s: got %s, and %dns in all, expected %s, and 100ns", test.by, said, all[0].OwnNs, test.want)
		}
	}
	if _, err := NewTops(&trace.Recording{Requests: []trace.Request{*tree.Request}}, viewtest.ByName{}, Options{Choice: Choice{Filter: Filter{Functions: []Matcher{contains("none")}}}}, TopOwn); err == nil {
		t.Error("a filter without a match gave no error")
	}
}

// TestTopOfLayers checks the times of layers: a call below another call of its layer is part
// of that call's total time.
func TestTopOfLayers(t *testing.T) {
	tree := outline(t, `
a/root
  b/mid
    b/below
  b/mid
    a/again
`)
	for i, times := range [][2]int64{{0, 100}, {10, 40}, {20, 10}, {60, 30}, {70, 10}} {
		tree.Call(i).StartNs, tree.Call(i).DurationNs = times[0], times[1]
	}
	tree.Call(3).Process = "etcd"
	tree.Call(4).Process = "etcd"
	top := NewTop(tree, viewtest.ByName{}, &Filter{}, TopLayer)
	var got []string
	for _, f := range top.Functions {
		got = append(got, fmt.Sprintf("%s of %s %d %d %d", strings.TrimPrefix(f.Layer, "p."), f.Place, f.Calls, f.OwnNs, f.TotalNs))
	}
	programs := top.Programs
	if said, want := strings.Join(got, ", "), "b of kube-apiserver 2 40 40, a of kube-apiserver 1 30 100, b of etcd 1 20 30, a of etcd 1 10 10"; said != want || len(programs) != 2 || programs[0].TotalNs != 100 || programs[1] != (ProgramTime{"etcd", 2, 30}) {
		t.Errorf("got %s, and the programs %v, expected %s, with 100 and 30 ns", said, programs, want)
	}
}
