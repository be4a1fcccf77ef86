package gates

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// found returns a gate, which must exist in some release.
func found(t *testing.T, name string) *Gate {
	t.Helper()
	g, err := Find(name)
	if err != nil || g == nil {
		t.Fatalf("Find(%s) = %v, %v, expected a gate", name, g, err)
	}
	return g
}

func TestDefaults(t *testing.T) {
	g := found(t, "ConsistentListFromCache")
	var got []string
	for _, of := range g.Of {
		if of.Program != "kube-apiserver" {
			continue
		}
		for _, s := range Spans(of.Defaults) {
			got = append(got, fmt.Sprintf("%s %s %t %t", s.First, s.Last, s.Known, s.On))
		}
	}
	want := []string{"v1.16.15 v1.27.4 false false", "v1.28.15 v1.30.4 true false", "v1.31.0 v1.36.3 true true", "v1.37.1 v1.37.1 false false"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("defaults, -want +got:\n%s", diff)
	}
	if g.Newest() != "v1.36.3" || !g.Has("v1.28.15") || g.Has("v1.37.1") {
		t.Errorf("Newest() = %s, expected v1.36.3; Has(v1.28.15) must be true, and Has(v1.37.1) false", g.Newest())
	}
	if none, err := Find("ConsistentList"); none != nil || err != nil {
		t.Errorf("Find of a part of a name = %v, %v, expected nil", none, err)
	}
}

// TestSummary reads the sentence about a gate that is gone, and about one that is there.
func TestSummary(t *testing.T) {
	for name, want := range map[string]string{
		"ConsistentListFromCache": "on by default from v1.31.0 to v1.36.3 (off before); v1.37.1 no longer has it",
		"WatchList":               "on by default from v1.34.1 to v1.37.1 (off before)",
	} {
		if got := found(t, name).Summary().String(); !strings.HasSuffix(got, want) {
			t.Errorf("%s: got %q, expected %q at its end", name, got, want)
		}
	}
}

// TestFindAnyCase looks up each gate in lower case. Two gates may differ only in case,
// such as CSIMigrationRBD.
func TestFindAnyCase(t *testing.T) {
	all, err := load()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range all {
		if found, err := FindAnyCase(strings.ToLower(g.Name)); err != nil || found == nil || !strings.EqualFold(found.Name, g.Name) {
			t.Errorf("FindAnyCase of %s in lower case = %+v, %v, expected a gate with this name", g.Name, found, err)
		}
	}
	if none, err := FindAnyCase("consistentlist"); none != nil || err != nil {
		t.Errorf("FindAnyCase of a part of a name = %v, %v, expected nil", none, err)
	}
}

func TestSearch(t *testing.T) {
	all, err := Search("Watch list")
	if err != nil {
		t.Fatal(err)
	}
	if none, err := Search(" "); err != nil || len(none) > 0 {
		t.Errorf("got %d gates for a space, and the error %v, expected none", len(none), err)
	}
	if len(all) < 2 || all[0].Name != "WatchList" {
		t.Errorf("got %d gates, expected at least 2, WatchList first", len(all))
	}
	for _, g := range all {
		if name := strings.ToLower(g.Name); !strings.Contains(name, "watch") || !strings.Contains(name, "list") {
			t.Errorf("got the gate %s, expected names with \"watch\" and \"list\"", g.Name)
		}
	}
}

// TestSearchFindsWords finds a gate by the words of its name, and by one word although
// functions have it in their names, too.
func TestSearchFindsWords(t *testing.T) {
	for query, means := range map[string]bool{"list from cache": true, "FromCache": true, "fromcache": false, "consistentlist": true} {
		all, err := Search(query)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(all, func(g *Gate) bool { return g.Name == "ConsistentListFromCache" })
		if at < 0 || all[at].Means(query) != means {
			t.Errorf("%q: got %d gates, expected ConsistentListFromCache among them, meant: %v", query, len(all), means)
		}
	}
}

// TestPlaces looks up a gate in the recordings of a release. GetList keeps in a local
// variable whether the gate is on, and makes a call that depends on the variable.
func TestPlaces(t *testing.T) {
	list, err := recordings.Load("v1.31.0", "list-nodes")
	if err != nil {
		t.Fatal(err)
	}
	node, err := recordings.Load("v1.31.0", "get-node-cached")
	if err != nil {
		t.Fatal(err)
	}
	places, err := Places("ConsistentListFromCache", "v1.31.0", []*trace.Recording{list, node})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range places {
		name := p.Function[strings.LastIndexByte(p.Function, '/')+1:]
		for _, line := range p.Asks {
			got = append(got, fmt.Sprintf("%s asks in line %d %v", name, p.Line+line, p.Scenarios))
		}
		for _, d := range p.Decides {
			if len(d.Scenarios) > 0 {
				got = append(got, fmt.Sprintf("%s calls %s %v", name, d.Name[strings.LastIndexByte(d.Name, '/')+1:], d.Scenarios))
			}
		}
	}
	for _, want := range []string{
		"cacher.shouldDelegateList asks in line 764 [list-nodes]",
		"cacher.(*Cacher).GetList calls storage.GetCurrentResourceVersionFromStorage [list-nodes]",
		"cacher.(*watchCache).WaitUntilFreshAndGet asks in line 566 [get-node-cached]",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("expected %q in\n%s", want, strings.Join(got, "\n"))
		}
	}
}

// TestPageWithAnUnknownLine writes a page with a function that no recording calls. Its
// line is not known, because its source is not on this machine.
func TestPageWithAnUnknownLine(t *testing.T) {
	called := &Place{Function: "x.io/p.F", File: "x.io/p/f.go", Line: 10, Asks: []int{2, 5}, Scenarios: []string{"get-node", "list-nodes"}, Decides: []Decision{
		{SourceCall: recordings.SourceCall{Name: "x.io/p.G", Line: 3}, Scenarios: []string{"get-node"}},
		{SourceCall: recordings.SourceCall{Name: "x.io/p.H", Line: 4}},
	}}
	other := &Place{Function: "x.io/p.Other", File: "x.io/p/o.go", Asks: []int{7}}
	page := &Page{Gate: found(t, "ConsistentListFromCache"), Release: "v1.31.0", Recorded: 52, Places: []*Place{called, other}}
	var b strings.Builder
	if err := page.Write(&b, message.Printer{}); err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(b.String(), "asked for")
	got, _, _ = strings.Cut("asked for"+got, "The index of")
	want := `asked for in v1.31.0 by
  p.F p/f.go:12,15
    on the way of 2 of 52 recorded scenarios: get-node, list-nodes
  p.Other p/o.go, line not known
    no recorded scenario calls it

calls that depend on it in v1.31.0
  p.F p/f.go:10
    calls p.G in line 13: in get-node; not in list-nodes
    and 1 more call

`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !strings.Contains(strings.Join(strings.Fields(b.String()), " "), "A line is not known if no recording calls the function and the source of v1.31.0 is not on this machine") {
		t.Errorf("expected a sentence that says why a line is not known:\n%s", b.String())
	}
}
