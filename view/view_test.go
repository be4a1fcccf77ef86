package view

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view/viewtest"
)

// outline makes a tree of calls. Each line is a call: two blanks for each level, then
// its name. Signs may follow the name in this order: "#" for a call in etcd, "@" for a
// new goroutine, "~" if only the entry was recorded, "!text" for an error.
func outline(t testing.TB, text string) *trace.Tree {
	t.Helper()
	r := &trace.Request{TraceID: strings.Repeat("a", 32), Method: "GET", Path: "/"}
	var above []string
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		name := strings.TrimLeft(strings.TrimRight(line, "\n"), " ")
		depth := (len(strings.TrimRight(line, "\n")) - len(name)) / 2
		c := trace.Call{ID: fmt.Sprintf("%016x", len(r.Calls)+1), Process: "kube-apiserver", StartNs: int64(len(r.Calls))}
		name, c.Error, _ = strings.Cut(name, "!")
		name, c.Leaf = strings.CutSuffix(name, "~")
		if name, c.NewGoroutine = strings.CutSuffix(name, "@"); strings.HasSuffix(name, "#") {
			c.Process = "etcd"
		}
		c.Function = "p." + strings.TrimSuffix(name, "#")
		if above = above[:depth]; depth > 0 {
			c.Parent = above[depth-1]
		}
		above = append(above, c.ID)
		r.Calls = append(r.Calls, c)
	}
	tree, err := trace.NewTree(r)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// describe writes a view with a line for each node: the name, the counts of collapsed
// and hidden calls, and some fields of the node. "on" stands for Node.Continues.
func describe(v *View) string {
	var out strings.Builder
	var write func(n *Node, depth int)
	write = func(n *Node, depth int) {
		fmt.Fprintf(&out, "%s%s", strings.Repeat("  ", depth), v.Tree.Call(n.Calls[0]).Function[2:])
		for _, mark := range []struct {
			name string
			n    int
		}{{"x", len(n.Calls)}, {"above", n.Above}, {"below", n.Below}, {"cut", n.Cut}} {
			if mark.n > 1 || mark.n == 1 && mark.name != "x" {
				fmt.Fprintf(&out, " %s%d", mark.name, mark.n)
			}
		}
		if n.NewGoroutine {
			out.WriteString(" go")
		}
		if n.Crossing {
			out.WriteString(" crossing")
		}
		if n.Origin {
			out.WriteString(" origin")
		}
		if n.Continues {
			out.WriteString(" on")
		}
		out.WriteByte('\n')
		for _, child := range n.Children {
			write(child, depth+1)
		}
	}
	write(v.Root, 0)
	return out.String()
}

// TestView uses viewtest.ByName: names that end in "plumbing" are not key steps, and
// names with "group" are collapsed as one group.
func TestView(t *testing.T) {
	for name, test := range map[string]struct {
		choice     Choice
		call, want string
	}{
		"plumbing is folded where it leads nowhere": {call: `
root
  plumbing
    plumbing
  a
`, want: `
root below2
  a
`},
		"plumbing on the way is counted once": {call: `
root
  plumbing
    plumbing
      a
      plumbing
    b
`, want: `
root below1
  a above2
  b
`},
		"a leaf is folded unless it is a key step": {call: `
root
  a
    plumbing~
    b~
  plumbing~
`, want: `
root below1
  a below1
    b
`},
		"a filter finds a leaf": {choice: Choice{Filter: Filter{Grep: regexp.MustCompile("plumbing")}}, call: `
root
  a
    plumbing~
`, want: `
root
  a
    plumbing
`},
		"the root and the first call in etcd are shown": {call: `
plumbing
  plumbing
    plumbing#
      plumbing#
`, want: `
plumbing
  plumbing above1 below1 crossing
`},
		"a goroutine started by plumbing": {call: `
root
  plumbing@
    a
  b
`, want: `
root
  a above1 go
  b
`},
		"an error is shown where it began": {call: `
root!wrapped: lost
  plumbing!wrapped: lost
    plumbing!lost
      plumbing
  plumbing!another
`, want: `
root
  plumbing above1 below1 origin
  plumbing origin
`},
		"equal siblings in a row": {call: `
root
  a
    b
  a
    b
    plumbing
  a
  c
  a
`, want: `
root
  a x2 below1
    b x2
  a
  c
  a
`},
		"calls with different failures are not equal": {call: `
root
  a!x
  a!y
  a!y
`, want: `
root
  a origin
  a x2 origin
`},
		"a group of functions": {call: `
root
  group1
  group2
    plumbing
      a
  group2
  x
  group1
    a
  x
`, want: `
root
  group1 x3 below2
  x
  group1
    a
  x
`},
		"failures and calls in other processes do not disappear in a group": {call: `
root
  group1
    a!lost
  group1
  group2
  group2
    a#
  group1@
`, want: `
root
  group1
    a origin
  group1 x2
  group2
    a crossing
  group1 go
`},
		"full": {choice: Choice{Full: true}, call: `
root
  a
  a
  plumbing
`, want: `
root
  a
  a
  plumbing
`},
		"a chain is drawn on one level": {call: `
root
  x
  a
    b
      y
      c
        d
          e
`, want: `
root
  x
  a on
    b on
      y
      c on
        d
          e
`},
		"collapsed calls are continued only by as many calls": {call: `
root
  a
    b
      c
        d
  a
    b
      c
        d
  x
`, want: `
root
  a x2
    b x2 on
      c x2
        d x2
  x
`},
		"a depth counts levels": {choice: Choice{Depth: 1}, call: `
root
  x
    plumbing
      z
  a
    b
      c
        d
          plumbing
  plumbing
`, want: `
root below1 cut3
  a on
    b cut3 on
`},
	} {
		got := describe(NewView(outline(t, test.call), viewtest.ByName{}, test.choice))
		if got != strings.TrimPrefix(test.want, "\n") {
			t.Errorf("%s: got\n%swant%s", name, got, test.want)
		}
	}
}

func TestPanicAndUnfinishedBeginBelow(t *testing.T) {
	tree := outline(t, "plumbing\n  plumbing\n    plumbing\n      plumbing\n  plumbing\n")
	for i := range 3 {
		tree.Call(i).Unfinished = true
	}
	tree.Call(0).Panic, tree.Call(4).Panic = "here", "here"
	got := describe(NewView(tree, viewtest.ByName{}, Choice{}))
	want := "plumbing\n  plumbing above1 below1 origin\n  plumbing origin\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestWhatAWriteCaused checks that a call that handles the event of a write begins a
// branch of its own, which has the time since the write.
func TestWhatAWriteCaused(t *testing.T) {
	tree := outline(t, `
serve
  put
  take
    a
    b
    c
    d`)
	r := tree.Request
	r.Calls[1].Attributes = map[string]string{"apitrace.etcd.txn.succeeded": "true", "apitrace.etcd.revision": "7"}
	r.Calls[2].SetHandoff(trace.HandoffWatch, 7)
	v := NewView(tree, viewtest.ByName{}, Choice{Full: true})
	take := v.Root.Children[1]
	if !take.Afterwards || take.AfterNs != 1 || take.Continues {
		t.Errorf("take is %+v, expected Afterwards, AfterNs 1 and no Continues", take)
	}
	if put := v.Root.Children[0]; put.Afterwards {
		t.Errorf("put is %+v, expected no Afterwards", put)
	}
}

// TestAStartShowsHowTheServerComesToBe checks that the view of a start only shows the
// layers that matter there. Goroutines in other layers continue, and retry after
// failures.
func TestAStartShowsHowTheServerComesToBe(t *testing.T) {
	tree := outline(t, `
main
  key server
    plumbing
    key installer
  key server
  key filters@!refused`)
	tree.Request.Method = trace.MethodStart
	for i := range tree.Request.Calls {
		tree.Request.Calls[i].Unfinished = true
	}
	got := describe(NewView(tree, starting{}, Choice{}))
	const want = "main below1\n  key server below1\n    key installer origin\n  key server origin\n"
	if got != want {
		t.Errorf("the view is\n%s\nexpected\n%s", got, want)
	}
}

// starting treats functions called "p.key LAYER" as key steps of that layer.
type starting struct{ viewtest.ByName }

func (starting) Key(function string) bool { return strings.HasPrefix(function, "p.key") }

func (starting) Layer(function string) string {
	_, layer, _ := strings.Cut(function, " ")
	return layer
}

// TestChosenCodeDisplacesNoOthers checks that a view shows steps of code that the user
// chose in addition to the steps that it shows without them, at most half as many.
func TestChosenCodeDisplacesNoOthers(t *testing.T) {
	usual, with := "main\n", "main\n"
	for i := range 8 {
		step := fmt.Sprintf("  key%d filters\n", i)
		usual += step
		with += step + fmt.Sprintf("    key%d own\n    key%d more\n", i, i)
	}
	shown := func(text string) (other, chosen []string) {
		v := NewView(outline(t, text), starting{}, Choice{Most: 6})
		for line := range strings.Lines(describe(v)) {
			name, _, _ := strings.Cut(strings.TrimSpace(line), " below")
			if strings.HasSuffix(name, " own") || strings.HasSuffix(name, " more") {
				chosen = append(chosen, name)
			} else {
				other = append(other, name)
			}
		}
		return other, chosen
	}
	want, none := shown(usual)
	got, chosen := shown(with)
	if len(want) != 6 || len(none) != 0 || !slices.Equal(got, want) || len(chosen) != 3 {
		t.Errorf("with chosen code: got %q and %q of chosen code; without: got %q; expected the same 6 steps, and 3 of chosen code", got, chosen, want)
	}
}

// TestHooksOfChosenCode checks that a layer has a section of its own if chosen code
// calls it, also if it calls hooks of the chosen code.
func TestHooksOfChosenCode(t *testing.T) {
	tree := outline(t, `
main
  key0 own
    key1 registry
      key2 own~
      key3 registry
      key4 registry
      key5 own~`)
	var got []string
	for _, s := range Tell(NewView(tree, starting{}, Choice{})).Sections {
		got = append(got, s.Layer)
	}
	if want := []string{"", "registry"}; !slices.Equal(got, want) {
		t.Errorf("the sections are %q, expected %q", got, want)
	}
}

// TestALeafNeedsNoSection checks that a leaf below the deepest level of a section does
// not begin a section.
func TestALeafNeedsNoSection(t *testing.T) {
	text := ""
	for depth := range maxLevel + 1 {
		text += strings.Repeat("  ", depth) + "a\n"
	}
	for mark, sections := range map[string]int{"": 2, "~": 1} {
		tree := outline(t, text+strings.Repeat("  ", maxLevel+1)+"b"+mark+"\n")
		if s := Tell(NewView(tree, viewtest.ByName{}, Choice{Full: true})); len(s.Sections) != sections {
			t.Errorf("with %q behind the deepest call: got %d sections, expected %d", mark, len(s.Sections), sections)
		}
	}
}

// TestPluginsThatOnlyLook checks that only calls of other code count as calls of a plugin:
// neither its own functions nor the accessors of the request's attributes.
func TestPluginsThatOnlyLook(t *testing.T) {
	tree := outline(t, `
root
  plugin
    Handles~
    Admit
      shouldIgnore
        GetKind~
        GetResource~
  plugin
    Handles~
    Admit
      GetKind~
      list
        read~
`)
	for i := range tree.Request.Calls {
		switch call := tree.Call(i); call.Function {
		case "p.GetKind", "p.GetResource":
			call.Function = attributes + call.Function[2:]
		case "p.list", "p.read":
			call.Function = "k8s.io/lister." + call.Function[2:]
		}
	}
	for i, name := range []string{"Looks", "Works"} {
		tree.Call(1 + 6*i).Attributes = map[string]string{trace.AttrAdmissionPlugin: name, trace.AttrAdmissionVerdict: "accepted"}
	}
	s := Tell(NewView(tree, viewtest.ByName{}, Choice{Full: true}))
	var calls []int
	for _, n := range s.Root.Children {
		for _, p := range s.Plugins(n) {
			calls = append(calls, p.Calls)
		}
	}
	if !slices.Equal(calls, []int{0, 2}) {
		t.Errorf("Plugin.Calls is %v, expected [0 2]", calls)
	}
}

// TestPluginsMayChange checks that a mutating phase says that changes by built-in plugins are
// not recorded, and that a validating phase does not.
func TestPluginsMayChange(t *testing.T) {
	for method, want := range map[string][]string{
		"Admit":    {"accepted, no call of other code recorded: Priority, TaintNodesByCondition", "which of the built-in plugins changed the object is not recorded"},
		"Validate": {"accepted, no call of other code recorded: Priority, TaintNodesByCondition"},
	} {
		tree := outline(t, "root\n  group1\n  group1\n")
		for i, name := range []string{"Priority", "TaintNodesByCondition"} {
			tree.Call(i + 1).Function = "k8s.io/p.group1." + method
			tree.Call(i + 1).Attributes = map[string]string{trace.AttrAdmissionPlugin: name, trace.AttrAdmissionVerdict: "accepted"}
		}
		made, err := NewTraces(&trace.Recording{Requests: []trace.Request{*tree.Request}}, viewtest.ByName{}, Options{Lang: "en"})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, section := range made[0].Sections {
			for _, step := range append(section.Root.Children, section.Root) {
				for _, line := range step.Plugins {
					got = append(got, line.Text)
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, expected %q", method, got, want)
		}
	}
}

// TestTimed checks that Timed returns false for a node if only the entry of its calls
// was recorded.
func TestTimed(t *testing.T) {
	tree := outline(t, "root\n  a~\n  a~\n")
	tree.Call(0).DurationNs = 100
	s := Tell(NewView(tree, viewtest.ByName{}, Choice{}))
	if leaves := s.Root.Children[0]; len(leaves.Calls) != 2 || s.Timed(leaves) || !s.Timed(s.Root) {
		t.Errorf("the node of the leaves is %+v, expected 2 calls, and a time only for the root", leaves)
	}
}
