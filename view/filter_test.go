package view

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/view/viewtest"
)

// contains matches functions with a name that contains the text.
type contains string

func (c contains) Match(function string) bool { return strings.Contains(function, string(c)) }

func TestFilter(t *testing.T) {
	const calls = `
root
  key1
    plumbing
      key2#
  key1!lost
    plumbing
  group1
`
	for name, test := range map[string]struct {
		filter Filter
		want   string
	}{
		"nothing":           {Filter{}, "root key1 key2 key1 group1"},
		"a layer":           {Filter{Layers: []string{"key2"}}, "root key2"},
		"two layers":        {Filter{Layers: []string{"key2", "group1"}}, "root key2 group1"},
		"a function":        {Filter{Functions: []Matcher{contains("plumb")}}, "root plumbing plumbing"},
		"two functions":     {Filter{Functions: []Matcher{contains("plumb"), contains("group")}}, "root plumbing plumbing group1"},
		"not a function":    {Filter{NotFunctions: []Matcher{contains("key1")}}, "root key2 group1"},
		"one, not another":  {Filter{Functions: []Matcher{contains("1")}, NotFunctions: []Matcher{contains("key")}}, "root group1"},
		"errors":            {Filter{Errors: true}, "root key1"},
		"etcd":              {Filter{Etcd: true}, "root key1 key2"},
		"etcd, of a layer":  {Filter{Etcd: true, Layers: []string{"key1"}}, "root key1"},
		"a time":            {Filter{MinDuration: time.Microsecond}, "root key1 group1"},
		"a name":            {Filter{Grep: regexp.MustCompile("^k8s.*ing$")}, "root key1 plumbing key1 plumbing"},
		"a value":           {Filter{Grep: regexp.MustCompile("name=n.$")}, "root group1"},
		"an error's text":   {Filter{Grep: regexp.MustCompile("lost")}, "root key1"},
		"a place":           {Filter{Grep: regexp.MustCompile("p/f.go:7$")}, "root group1"},
		"a name and a time": {Filter{Grep: regexp.MustCompile("key"), MinDuration: time.Microsecond}, "root key1"},
	} {
		tree := outline(t, calls)
		for i := range tree.Len() {
			tree.Call(i).Function = strings.Replace(tree.Call(i).Function, "p.", "k8s.io/p.f", 1)
		}
		tree.Call(4).DurationNs, tree.Call(6).DurationNs = 1000, 1001
		last := tree.Call(6)
		last.Attributes, last.File, last.Line = map[string]string{"apitrace.object.name": "n1"}, "p/f.go", 7
		view := NewView(tree, viewtest.ByName{}, Choice{Filter: test.filter})
		var got []string
		var collect func(n *Node)
		collect = func(n *Node) {
			for range n.Calls {
				got = append(got, strings.TrimPrefix(tree.Call(n.Calls[0]).Function, "k8s.io/p.f"))
			}
			for _, child := range n.Children {
				collect(child)
			}
		}
		collect(view.Root)
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: the view shows %q, want %q", name, got, test.want)
		}
		if shown, wanted := view.Shown, len(strings.Fields(test.want)); shown != wanted {
			t.Errorf("%s: View.Shown is %d, want %d", name, shown, wanted)
		}
		if active := test.filter.Active(); active != (name != "nothing") || active != (len(test.filter.Flags()) > 0) {
			t.Errorf("%s: Active returned %v and Flags %q, expected true and some flags, or false and none for the empty filter", name, active, test.filter.Flags())
		}
	}
}

// TestCallersOfMatches checks which callers of a matching call are shown, and that
// Node.Leads is set for them. They are in brackets.
func TestCallersOfMatches(t *testing.T) {
	grep := regexp.MustCompile("found$")
	for name, test := range map[string]struct {
		choice Choice
		want   string
	}{
		"key steps":                {Choice{Filter: Filter{Grep: grep}}, "(root) (key1) found found"},
		"in the full view":         {Choice{Full: true, Filter: Filter{Grep: grep}}, "(root) (key1) found found"},
		"not a caller":             {Choice{Filter: Filter{Grep: grep, NotFunctions: []Matcher{contains("key1")}}}, "(root) found found"},
		"a caller that matches":    {Choice{Filter: Filter{Grep: regexp.MustCompile("found$|key1")}}, "(root) key1 found found"},
		"no callers without Grep":  {Choice{Filter: Filter{Functions: []Matcher{contains("found")}}}, "root found found"},
		"callers not in Functions": {Choice{Filter: Filter{Grep: grep, Functions: []Matcher{contains("found")}}}, "(root) found found"},
	} {
		tree := outline(t, `
root
  key2
  key1
    plumbing
      found
  found
`)
		view := NewView(tree, viewtest.ByName{}, test.choice)
		var got []string
		leading := 0
		var collect func(n *Node)
		collect = func(n *Node) {
			for _, i := range n.Calls {
				called := strings.TrimPrefix(tree.Call(i).Function, "p.")
				if n.Leads {
					called = "(" + called + ")"
					leading++
				}
				got = append(got, called)
			}
			for _, child := range n.Children {
				collect(child)
			}
		}
		collect(view.Root)
		if strings.Join(got, " ") != test.want || view.Leading != leading {
			t.Errorf("%s: got %q and View.Leading %d, want %q, with the callers counted in View.Leading", name, got, view.Leading, test.want)
		}
	}
}
