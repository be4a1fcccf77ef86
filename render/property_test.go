package render

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"pgregory.net/rapid"

	"github.com/kubeapitrace/apitrace/trace"
)

// anyRecording draws a tree of calls with names of any width and texts that try
// to break out of their line.
func anyRecording(t *rapid.T) *trace.Recording {
	text := rapid.OneOf(rapid.Just(""), rapid.String(), rapid.SampledFrom([]string{
		"not found", "wrapped: not found", "二进制对象太大了" + strings.Repeat("长", 60), "a\nb\r\x1b[44mc\x1b]8;;http://x\x07", strings.Repeat("x", 300),
	}))
	r := trace.Request{
		TraceID: strings.Repeat("a", 32), Method: "GET", Status: rapid.SampledFrom([]int{200, 404, 0}).Draw(t, "status"),
		Path:       "/" + strings.Repeat("长n", rapid.IntRange(0, 90).Draw(t, "path")),
		Incomplete: rapid.SliceOfN(text, 0, 2).Draw(t, "incomplete"),
	}
	for range rapid.IntRange(0, 1).Draw(t, "stored") {
		r.Stored = append(r.Stored, trace.StoredKey{Op: "PUT", Key: text.Draw(t, "key"), Size: 5, Kind: text.Draw(t, "kind")})
	}
	uneventful := rapid.Bool().Draw(t, "uneventful") // then many siblings are equal
	for i := range rapid.IntRange(1, 60).Draw(t, "calls") {
		c := trace.Call{
			ID: fmt.Sprintf("%016x", i+1), Line: i, CallerLine: i,
			Function: "k8s.io/p.f" + rapid.SampledFrom([]string{"key1", "key2", "group1", "group2", "plumbing", "数据" + strings.Repeat("长", 60)}).Draw(t, "function"),
			File:     "k8s.io/p/" + strings.Repeat("文f", rapid.IntRange(0, 30).Draw(t, "file")) + ".go",
			Process:  rapid.SampledFrom([]string{"kube-apiserver", "kube-apiserver", "etcd"}).Draw(t, "process"),
			Error:    text.Draw(t, "error"), Panic: text.Draw(t, "panic"),
			Unfinished: rapid.Bool().Draw(t, "unfinished"), NewGoroutine: rapid.Bool().Draw(t, "goroutine"),
			DurationNs: rapid.Int64Range(0, 1<<50).Draw(t, "duration"),
		}
		if uneventful {
			c.Process, c.Error, c.Panic, c.Unfinished, c.NewGoroutine = "kube-apiserver", "", "", false, false
		}
		if value := text.Draw(t, "value"); value != "" {
			name := rapid.SampledFrom([]string{"apitrace.value", attrError, attrReason, attrSpan, attrEvent, upstreamPrefix + "end"}).Draw(t, "name")
			c.Attributes = map[string]string{name: value, "k8s.namespace.name": value}
		}
		if i > 0 { // often a chain, so that the tree gets deep
			c.Parent = fmt.Sprintf("%016x", rapid.OneOf(rapid.Just(i), rapid.IntRange(1, i)).Draw(t, "parent"))
		}
		r.Calls = append(r.Calls, c)
	}
	if err := r.Sort(); err != nil {
		t.Fatal(err)
	}
	return &trace.Recording{Scenario: text.Draw(t, "scenario"), K8sVersion: "v1.37.1", Requests: []trace.Request{r}}
}

// byName is a Guide that goes by the name alone.
type byName struct{ fewWords }

func (byName) Layer(function string) string {
	if layer, ok := strings.CutPrefix(function, "k8s.io/p.f"); ok {
		return layer
	}
	layer, _, ok := strings.Cut(function, "/")
	if !ok {
		return ""
	}
	return layer
}
func (byName) Key(function string) bool         { return !strings.HasSuffix(function, "plumbing") }
func (byName) Minor(function string) bool       { return strings.Contains(function, "minor") }
func (byName) Constructor(function string) bool { return strings.HasPrefix(function, "p.New") }
func (byName) Group(function string) string {
	if strings.Contains(function, "group") {
		return "one of a group"
	}
	return ""
}

// errorsOf is the error path that a view's filter goes by.
func errorsOf(view *View, choice Choice) *ErrorPath {
	if choice.Full {
		return nil
	}
	return view.ErrorPath
}

func anyChoice(t *rapid.T) Choice {
	choice := Choice{
		Full: rapid.Bool().Draw(t, "full"), Depth: rapid.IntRange(0, 4).Draw(t, "depth"),
		Most: rapid.IntRange(0, 5).Draw(t, "most"), Upstream: rapid.Bool().Draw(t, "upstream"),
	}
	if rapid.Bool().Draw(t, "filter") {
		choice.Filter = Filter{
			Errors: rapid.Bool().Draw(t, "errors"), Etcd: rapid.Bool().Draw(t, "etcd"),
			MinDuration: time.Duration(rapid.SampledFrom([]int{0, 1 << 40}).Draw(t, "min-duration")),
			Layers:      rapid.SampledFrom([][]string{nil, {"key1", "group1"}}).Draw(t, "layers"),
			Grep:        rapid.SampledFrom([]*regexp.Regexp{nil, regexp.MustCompile("key|长")}).Draw(t, "grep"),
		}
	}
	return choice
}

// Every call is in exactly one place of a view, and the totals say so.
func TestEveryCallIsShownOrCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := anyRecording(t)
		tree, err := trace.NewTree(&rec.Requests[0])
		if err != nil {
			t.Fatal(err)
		}
		choice := anyChoice(t)
		view := NewView(tree, byName{}, choice)
		if sum := view.Shown + view.Folded + view.Cut; sum != tree.Len() {
			t.Fatalf("%d shown + %d folded + %d cut of %d calls", view.Shown, view.Folded, view.Cut, tree.Len())
		}
		shown := map[int]*Node{}
		checkNode(t, view, view.Root, shown)
		if len(shown) != view.Shown {
			t.Fatalf("%d calls in nodes, Shown is %d", len(shown), view.Shown)
		}
		for _, part := range []int{view.Plumbing, view.Handled, view.LessTelling, view.Upstream} {
			if choice.Depth == 0 && part > view.Folded {
				t.Fatalf("%d are plumbing, %d handled, %d less telling, %d upstream's of %d folded", view.Plumbing, view.Handled, view.LessTelling, view.Upstream, view.Folded)
			}
		}
		if choice.Depth == 0 && view.Cut != 0 {
			t.Fatalf("%d calls cut without a depth", view.Cut)
		}
		if choice.Depth == 0 && (choice.Full || choice.Most == 0) {
			checkWanted(t, view, choice, shown)
		}
	})
}

// checkWanted demands that every call that the choice asks for is shown, unless it
// disappeared in a group.
func checkWanted(t *rapid.T, view *View, choice Choice, shown map[int]*Node) {
	filter := newFiltering(&choice.Filter, view.Tree, byName{}, errorsOf(view, choice))
	for i := range view.Tree.Len() {
		call := view.Tree.Call(i)
		wanted := choice.Full || choice.Filter.finds() || (byName{}).Key(call.Function) && (choice.Upstream || !upstream(call))
		if i == 0 || !wanted || choice.Filter.Active() && !filter.lets(i) {
			if i > 0 && choice.Filter.Active() && !filter.lets(i) && shown[i] != nil {
				t.Fatalf("call %d is shown in spite of the filter", i)
			}
			continue
		}
		above := i
		for shown[above] == nil {
			above = view.Tree.Parent(above)
		}
		if group := shown[above]; above != i && (choice.Full || group.Group == "" || len(group.Calls) == 1 || group.Origin && group.Fatal) {
			t.Fatalf("call %d (%s) is not shown, and not in a group", i, call.Function)
		}
	}
}

// checkNode demands that each call of a node is new and below a call of its parent.
func checkNode(t *rapid.T, view *View, n *Node, shown map[int]*Node) {
	for _, i := range n.Calls {
		if shown[i] != nil {
			t.Fatalf("call %d is in two nodes", i)
		}
		shown[i] = n
	}
	for _, child := range n.Children {
		for _, i := range child.Calls {
			p := view.Tree.Parent(i)
			for p >= 0 && shown[p] == nil {
				p = view.Tree.Parent(p)
			}
			if !slices.Contains(n.Calls, p) {
				t.Fatalf("call %d is drawn below %v, the nearest shown call above it is %d", i, n.Calls, p)
			}
		}
		checkNode(t, view, child, shown)
	}
}

// No line is wider than the width, whatever a trace holds, and no recorded text
// reaches the terminal as a command.
func TestLinesFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := anyRecording(t)
		o := Options{
			Choice: anyChoice(t), Width: rapid.IntRange(40, 130).Draw(t, "width"),
			ASCII: rapid.Bool().Draw(t, "ascii"), Hyperlinks: rapid.Bool().Draw(t, "links"),
			Notes: rapid.Bool().Draw(t, "notes"), Lines: rapid.IntRange(-1, 70).Draw(t, "lines"),
		}
		if rapid.Bool().Draw(t, "colour") {
			o.Palette = Colours()
		}
		var out strings.Builder
		if err := WriteTree(&out, rec, byName{}, o); err != nil {
			t.Fatal(err)
		}
		if err := WriteOutline(&out, rec, byName{}, o); err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(out.String(), "\n") {
			if width := lipgloss.Width(line); width > o.Width {
				t.Fatalf("%d columns of %d: %q", width, o.Width, line)
			}
			if strings.Contains(line, "\r") || strings.Contains(line, "\x1b[44mc") || strings.Contains(line, "\x1b]8;;http://x") || !utf8.ValidString(line) {
				t.Fatalf("a recorded text got through: %q", line)
			}
			if !o.Hyperlinks && !o.Palette.Key.GetBold() && strings.Contains(line, "\x1b") {
				t.Fatalf("an escape sequence in plain text: %q", line)
			}
		}
	})
}

// A view that is limited keeps to its lines, unless it shows the first call alone.
func TestLinesAreEnough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := anyRecording(t)
		tree, err := trace.NewTree(&rec.Requests[0])
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Lines: rapid.IntRange(1, 60).Draw(t, "lines"), Choice: Choice{Depth: rapid.IntRange(0, 4).Draw(t, "depth")}}
		d := fitting(rec, tree, byName{}, o)
		if lines := d.height(); lines > o.Lines && d.view.Root.nodes() > 1 {
			t.Fatalf("%d lines of %d", lines, o.Lines)
		}
	})
}

// Each call is in one stage of an outline, and no more time than was spent.
func TestOutlineHoldsEveryCall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := anyRecording(t)
		tree, err := trace.NewTree(&rec.Requests[0])
		if err != nil {
			t.Fatal(err)
		}
		most := rapid.IntRange(1, 4).Draw(t, "most")
		stages := NewOutline(tree, byName{}, Filter{}, most)
		calls, layers := 0, map[string]bool{}
		for _, s := range stages {
			calls += s.Calls
			for _, layer := range s.Layers {
				if layers[layer] {
					t.Fatalf("layer %q is in two stages", layer)
				}
				layers[layer] = true
			}
		}
		if calls != tree.Len() || len(stages) > most {
			t.Fatalf("%d calls of %d in %d stages of %d", calls, tree.Len(), len(stages), most)
		}
	})
}
