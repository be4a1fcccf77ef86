package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// marks has the mark of each kind of change. A mark stands before a name.
var marks = map[diff.Kind]string{
	diff.Added: "+", diff.Removed: "-", diff.Moved: ">", diff.Renamed: "~",
	diff.Repeated: "#", diff.Reordered: "^", diff.Valued: "=", diff.Timed: "%",
}

// kinds lists the kinds of changes in display order.
var kinds = []diff.Kind{diff.Added, diff.Removed, diff.Moved, diff.Renamed, diff.Repeated, diff.Reordered, diff.Valued, diff.Timed}

// MarkOf returns the mark of a kind of change.
func MarkOf(kind diff.Kind) string { return marks[kind] }

// A ChangeKind says how a step of a merged tree differs between the sides.
type ChangeKind string

// The kinds of steps of a merged tree.
const (
	StepSame    ChangeKind = ""
	StepAdded   ChangeKind = "added"   // side B alone makes the call
	StepRemoved ChangeKind = "removed" // side A alone makes the call
	StepChanged ChangeKind = "changed" // both make it, and something else differs
)

// A MergedTree is the tree of both requests of a pair, with the calls that a reader
// sees: changes, their callers, and key steps of one side. Calls are indices of
// Merged.Tree.
type MergedTree struct {
	*Differences
	Story *Story

	words comparisonWords
	// nodes maps a call to the node that shows it.
	nodes map[int]*Node
}

// MergedTree merges the requests of the pair. Both sides must have the request.
func (p *Pair) MergedTree() *MergedTree {
	return newMergedTree(p.differences, p.words, p.guide, p.options.Choice)
}

// newMergedTree selects the calls to show. The differences must be merged.
func newMergedTree(d *Differences, words comparisonWords, guide Guide, choice Choice) *MergedTree {
	m := &MergedTree{Differences: d, words: words, nodes: map[int]*Node{}}
	choice.Marked, choice.Marks = d.marked(guide, choice), d.Mark
	choice.Full = false
	m.Story = Tell(NewView(d.Merged.Tree, guide, choice))
	m.note(m.Story.Root)
	return m
}

// note fills nodes for n and the nodes below it.
func (m *MergedTree) note(n *Node) {
	for _, call := range n.Calls {
		m.nodes[call] = n
	}
	for _, child := range n.Children {
		m.note(child)
	}
}

// Shows reports whether the tree shows a change.
func (m *MergedTree) Shows(c ShownChange) bool { return m.nodes[c.At] != nil }

// fewChanges is the greatest number of changes that every view shows in full. If a
// developer has just changed upstream's source, the change is mostly not at a key step.
const fewChanges = 10

// marked returns a function that reports whether the tree shows a call of the merged
// tree. A call is shown if it has a telling change. In the full view, and with a
// filter, any change counts. If there are few changes, any change counts, except
// changes of upstream's own tracing. Choice.Upstream adds those.
//
// The caller of a shown change and the nearest key step above are shown too. So each
// change has the same place in the tree as in the view of one request. A key step that
// only one side makes is shown too. If such a key step only repeats a call of the
// other side (diff.Repeated), it has no change of its own and is not shown.
func (c *Differences) marked(classifier Classifier, choice Choice) func(int) bool {
	tree := c.Merged.Tree
	shown := make([]bool, tree.Len())
	changed := make([]bool, tree.Len()) // for a call of one side: whether the outermost such call at or above it has a change
	for i := range shown {
		if !c.onOneSide(i) {
			continue
		}
		changed[i] = len(c.Merged.Changes[i]) > 0
		if parent := tree.Parent(i); parent >= 0 && c.onOneSide(parent) {
			changed[i] = changed[parent]
		}
		call := tree.Call(i)
		shown[i] = changed[i] && classifier.Key(call.Function) && !Upstream(call)
	}
	for _, change := range c.Changes {
		upstream := Upstream(tree.Call(change.At))
		asked := choice.Full || choice.Filter.Active() || choice.Upstream && upstream || len(c.Changes) <= fewChanges && !upstream
		if !change.Telling && !asked {
			continue
		}
		shown[change.At] = true
		if above := tree.Parent(change.At); above >= 0 {
			shown[above] = true
			for above > 0 && !classifier.Key(tree.Call(above).Function) {
				above = tree.Parent(above)
			}
			shown[above] = true
		}
	}
	return func(i int) bool { return shown[i] }
}

// onOneSide reports whether only one side makes call i of the merged tree.
func (c *Differences) onOneSide(i int) bool {
	return c.Merged.A[i] == diff.None || c.Merged.B[i] == diff.None
}

// Mark returns the marks of the changes at call i of the merged tree, or "".
func (c *Differences) Mark(i int) string {
	var all []string
	switch {
	case c.Merged.A[i] == diff.None:
		all = append(all, marks[diff.Added])
	case c.Merged.B[i] == diff.None:
		all = append(all, marks[diff.Removed])
	}
	for _, n := range c.Merged.Changes[i] {
		if m := marks[c.Changes[n].Kind]; !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	return strings.Join(all, "")
}

// ChangeAt returns the kind of difference at call i of the merged tree.
func (c *Differences) ChangeAt(i int) ChangeKind {
	switch {
	case c.Merged.A[i] == diff.None:
		return StepAdded
	case c.Merged.B[i] == diff.None:
		return StepRemoved
	case len(c.Merged.Changes[i]) > 0:
		return StepChanged
	}
	return StepSame
}

// A Detail is a mark and the sentence that explains it.
type Detail struct{ Mark, Text string }

// Details describe the changes of a call of the merged tree.
func (m *MergedTree) Details(call int) []Detail {
	var all []Detail
	switch m.ChangeAt(call) {
	case StepAdded:
		all = append(all, Detail{m.Mark(call), m.words.onlyIn(m.words.nameB)})
	case StepRemoved:
		all = append(all, Detail{m.Mark(call), m.words.onlyIn(m.words.nameA)})
	}
	for _, n := range m.Merged.Changes[call] {
		c := m.Changes[n]
		if c.Kind == diff.Added || c.Kind == diff.Removed {
			continue // already said
		}
		for _, text := range m.details(c) {
			all = append(all, Detail{marks[c.Kind], text})
		}
	}
	return all
}

// details says how a call differs, with its place on side A if that differs. It returns
// nil for an addition or removal.
func (m *MergedTree) details(c ShownChange) []string {
	var lines []string
	add := func(text, place string) { lines = append(lines, strings.TrimSpace(text+" "+place)) }
	w := &m.words
	switch c.Kind {
	case diff.Renamed:
		add(w.Sprintf("was")+" "+m.Diff.A.Call(c.A).ShortName(), m.placeOf(m.Diff.A.Call(c.A)))
	case diff.Moved:
		if parent := m.Diff.A.Parent(c.A); parent >= 0 {
			add(w.Sprintf("was called by")+" "+m.Diff.A.Call(parent).ShortName(), m.placeOf(m.Diff.A.Call(c.A)))
		}
	case diff.Repeated:
		add(fmt.Sprintf("%s%d %s %s%d", w.Times, c.CountA, w.Arrow, w.Times, c.CountB), m.otherPlace(c))
	case diff.Reordered:
		add(w.kind(c.Kind), m.otherPlace(c))
	case diff.Timed:
		add(w.Sprintf("%s: %s %s %s", w.kind(c.Kind), w.Duration(c.OwnNsA), w.Arrow, w.Duration(c.OwnNsB)), m.otherPlace(c))
	case diff.Valued:
		for _, v := range c.Values {
			was, is := InWordsApart(v)
			add(fmt.Sprintf("%s: %s %s %s", valueLabel(v.Name, false), QuoteEmpty(oneLine(was)), w.Arrow, QuoteEmpty(oneLine(is))), m.otherPlace(c))
		}
	}
	return lines
}

// placeOf returns the place of a call's function, as the tree shows it.
func (m *MergedTree) placeOf(call *trace.Call) string { return m.Story.Names.Place(call) }

// otherPlace returns a changed function's place on side A. It returns "" if the place
// on side B is the same, because the step's line shows it.
func (m *MergedTree) otherPlace(c ShownChange) string {
	was := m.placeOf(m.Diff.A.Call(c.A))
	if was == m.placeOf(m.Diff.B.Call(c.B)) {
		return ""
	}
	return was
}

// groupNames names the admission plugins of a node's calls. It returns "" if the node
// has no group, or if its first call has no change.
func (m *MergedTree) groupNames(n *Node) string {
	if n.Group == "" || m.Mark(n.Calls[0]) == "" {
		return ""
	}
	var names []string
	for _, i := range n.Calls {
		if purpose := PurposeOf(m.Merged.Tree.Call(i)); purpose != "" {
			names = append(names, purpose)
		}
	}
	return message.List(names).Localize(m.words.Printer)
}

// entryOnA says how the section with this first step is entered on side A. ok is false
// if side A does not make the call of root, or if no step is above it.
func (m *MergedTree) entryOnA(root *Node) (e entry, ok bool) {
	first := m.Merged.A[root.Calls[0]]
	if first == diff.None {
		return e, false
	}
	a := m.Diff.A
	for call := first; a.Parent(call) >= 0; call = a.Parent(call) {
		e.newGoroutine = e.newGoroutine || a.Call(call).NewGoroutine
		e.sameGoroutine = e.newGoroutine && root.SameGoroutine
		e.handoff = cmp.Or(e.handoff, a.Call(call).Attributes[trace.AttrHandoff])
		above := a.Parent(call)
		if e.by = m.nodes[m.Merged.AtA[above]]; e.by == nil {
			continue
		}
		e.in, e.indirect = m.Story.SectionOf(e.by.Calls[0]), call != first
		if process := a.Call(first).Process; process != a.Call(above).Process {
			e.process = process
		}
		return e, true
	}
	return e, false
}
