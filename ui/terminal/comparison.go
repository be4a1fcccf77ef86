package terminal

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/view"
)

// A comparison compares two recordings. The model shows the merged tree of
// one pair of their requests.
type comparison struct {
	*diff.Comparison
	// nameA and nameB are the names of sides A and B.
	nameA, nameB string
	// shown is the recording that the user compares: A or B.
	shown    *trace.Recording
	comparer *view.Comparer
	// pair is the index of the shown pair in Requests. view is its merged tree.
	pair int
	view *view.MergedTree
}

// pickOther lets the user choose the release to compare with. The cursor begins at
// the release before the shown one. In a comparison, it begins at the other side's release.
func (m *Model) pickOther() {
	all := m.lib.Releases() // the newest first
	choose := func(now string) {
		m.pick(all, slices.Index(all, now), func(m *Model, chosen int) tea.Cmd { return m.compareWith(all[chosen]) })
	}
	if m.compared != nil {
		choose(m.compared.other().K8sVersion)
		return
	}
	choose(m.rec.K8sVersion)
	if m.picker.cursor+1 < len(all) {
		m.picker.cursor++
	}
}

// other returns the side that the shown recording is compared with.
func (c *comparison) other() *trace.Recording {
	if c.shown == c.A {
		return c.B
	}
	return c.A
}

// calls returns the calls of the shown recording, by the calls of the merged tree.
func (c *comparison) calls() []int {
	if c.shown == c.A {
		return c.view.Merged.A
	}
	return c.view.Merged.B
}

// requestIn returns the index of a pair's request in a recording, or -1 if the recording
// has none.
func requestIn(rec *trace.Recording, pair *diff.RequestPair) int {
	for i := range rec.Requests {
		if r := &rec.Requests[i]; r == pair.A || r == pair.B {
			return i
		}
	}
	return -1
}

// shownRequest returns the index of the shown request. In a comparison, it is the
// index of the pair's request in the shown recording, or 0 if that one has none.
func (m *Model) shownRequest() int {
	if m.compared == nil {
		return m.request
	}
	return max(0, requestIn(m.rec, &m.compared.Requests[m.compared.pair]))
}

// leaveComparison shows the recording on its own again.
func (m *Model) leaveComparison() {
	call := m.compared.calls()[m.call()]
	d, err := m.drafter().requestTree(m.rec, m.shownRequest())
	if m.take(d, err); err == nil && call != diff.None {
		m.goTo(call)
	}
}

// side returns the recording and the tree of the selected call, and the
// call's index in that tree. In a comparison, they are of side B if side B has
// the call, else of side A.
func (m *Model) side() (rec *trace.Recording, tree *trace.Tree, call int) {
	if m.compared == nil {
		return m.rec, m.forest.tree, m.call()
	}
	d := m.compared.view
	if b := d.Merged.B[m.call()]; b != diff.None {
		return m.compared.B, d.Diff.B, b
	}
	return m.compared.A, d.Diff.A, d.Merged.A[m.call()]
}

// changed reports whether the sides differ at a call of the merged tree.
func (m *Model) changed(call int) bool {
	return m.compared != nil && len(m.compared.view.Merged.Changes[call]) > 0
}

// firstChange returns the first row with a change of behaviour at a key step or, without one, the
// first row with any change. It returns -1 if there is none.
func (m *Model) firstChange() int {
	d, any := m.compared.view, -1
	for at, r := range m.forest.rows {
		if r.kind != rowStep {
			continue
		}
		for _, n := range d.Merged.Changes[r.call] {
			switch c := &d.Changes[n]; c.Kind {
			case diff.Added, diff.Removed, diff.Repeated, diff.Reordered, diff.Valued:
				if c.Telling {
					return at
				}
			}
			if any < 0 {
				any = at
			}
		}
	}
	return any
}

// said returns the sentences about the selected change or, on a heading, about the changes of
// its layer.
func (m *Model) said() (said []view.ComparedSentence, ofLayer bool) {
	r, pair := m.row(), m.compared.comparer.Pair(m.compared.pair)
	if r.kind == rowHeading {
		if said = pair.AboutSection(m.forest.story.Sections[r.section]); len(said) > 0 {
			return said, true
		}
	}
	return pair.About(m.forest.callsOf(r.call)), false
}

// toChange goes to the next change in a direction.
func (m *Model) toChange(direction int) {
	if m.compared == nil {
		m.status = saysNotCompared.In(m.options.Lang)
		return
	}
	m.toNextIn(direction, func(i int) bool { return i != m.call() && m.changed(i) })
}

// selectedFunction returns the name of the selected call's function. It returns
// "" for the first call, in the story, and before there is a tree.
func (m *Model) selectedFunction() string {
	if m.forest == nil || m.inStory || m.call() == 0 {
		return ""
	}
	return m.forest.tree.Call(m.call()).Function
}

// selectFunction selects the first step row of a function. If there is none, it gives
// the first call of the function a row. This keeps the user's place in another release.
func (m *Model) selectFunction(name string) {
	if name == "" {
		return
	}
	for at, r := range m.forest.rows {
		if r.kind == rowStep && m.forest.tree.Call(int(r.call)).Function == name {
			m.cursor = at
			return
		}
	}
	for i := range m.forest.tree.Len() {
		if m.forest.tree.Call(i).Function == name {
			m.goTo(i)
			return
		}
	}
}
