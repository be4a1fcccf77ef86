package terminal

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/render/view"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// A comparison is two recordings in one tree. The tree that the model shows is then the merged one
// of the pair of requests that is shown.
type comparison struct {
	*diff.Comparison
	// nameA and nameB are what the sides are called.
	nameA, nameB string
	view         *render.DiffView
}

// newComparison compares two recordings. It can take seconds, so it runs in a command.
func newComparison(a, b *trace.Recording, nameA, nameB string) *comparison {
	return &comparison{Comparison: diff.CompareRecordings(a, b, diff.Options{}), nameA: nameA, nameB: nameB}
}

// pickOther lets the release be chosen with which the recording is compared.
func (m *Model) pickOther() {
	rec, now := m.rec, m.rec.K8sVersion
	if m.compared != nil {
		now = m.compared.A.K8sVersion
	}
	m.pick(m.lib.Releases(), now, func(m *Model, chosen string) tea.Cmd {
		return m.start(saysComparing, rec.Scenario+" "+chosen, func(context.Context) tea.Msg {
			other, err := m.lib.Load(rec.Scenario, chosen)
			if err != nil {
				return comparing{err: err}
			}
			return comparing{comparison: newComparison(other, rec, other.K8sVersion, m.nameOf(rec))}
		})
	})
}

// compare shows a comparison, from the request that is shown now.
func (m *Model) compare(c *comparison) error {
	for i := range c.Requests {
		if b := c.Requests[i].B; b == &c.B.Requests[min(m.request, len(c.B.Requests)-1)] && c.Requests[i].Diff != nil {
			return m.showPair(c, i)
		}
	}
	return m.nextPair(c, -1)
}

// nextPair shows the next pair of requests that both sides have.
func (m *Model) nextPair(c *comparison, after int) error {
	for n := range c.Requests {
		if i := (after + 1 + n) % len(c.Requests); c.Requests[i].Diff != nil {
			return m.showPair(c, i)
		}
	}
	return errors.New(saysNoPair.In(m.options.Lang))
}

// showPair shows a pair of requests of a comparison as one tree.
func (m *Model) showPair(c *comparison, pair int) error {
	guide, err := m.lib.Guide(m.options.Lang, c.A, c.B)
	if err != nil {
		return err
	}
	selected, open := m.selectedFunction(), m.compared == nil
	m.compared, m.rec, m.guide, m.request = c, c.B, guide, pair
	c.draw(m, guide)
	m.display(view.Tell(c.view.View()))
	if m.selectFunction(selected); open {
		m.below = true
	}
	m.status = saysChanges.Format(m.options.Lang, len(c.view.Differences().Changes))
	return nil
}

// draw prepares the view of the pair that the model shows, in its language.
func (c *comparison) draw(m *Model, guide render.Guide) {
	c.view = render.NewDiffView(c.Comparison, &c.Requests[m.request], guide, render.DiffOptions{
		Options: render.Options{Palette: m.palette, ASCII: m.options.ASCII, Lang: m.options.Lang}, Lang: m.options.Lang, NameA: c.nameA, NameB: c.nameB,
	})
}

// leaveComparison shows side B on its own again.
func (m *Model) leaveComparison() {
	c := m.compared
	request := 0
	for i := range c.B.Requests {
		if &c.B.Requests[i] == c.Requests[m.request].B {
			request = i
		}
	}
	_, _, call := m.side()
	ofB := c.view.Differences().Merged.B[m.call()] != diff.None
	m.compared, m.below = nil, false
	if err := m.show(c.B, request); err != nil {
		m.status = err.Error()
	} else if ofB {
		m.goTo(call)
	}
}

// side returns the recording and the tree that the selected call is from, and its index there: those of
// side B if that has the call.
func (m *Model) side() (rec *trace.Recording, tree *trace.Tree, call int) {
	if m.compared == nil {
		return m.rec, m.forest.tree, m.call()
	}
	d := m.compared.view.Differences()
	if b := d.Merged.B[m.call()]; b != diff.None {
		return m.compared.B, d.Diff.B, b
	}
	return m.compared.A, d.Diff.A, d.Merged.A[m.call()]
}

// changed reports whether something differs at a call of the merged tree.
func (m *Model) changed(call int) bool {
	return m.compared != nil && len(m.compared.view.Differences().Merged.Changes[call]) > 0
}

// toChange goes to the next change in a direction.
func (m *Model) toChange(direction int) {
	if m.compared == nil {
		m.status = saysNotCompared.In(m.options.Lang)
		return
	}
	m.toNextIn(direction, func(i int) bool { return i != m.call() && m.changed(i) })
}

// selectedFunction returns the name of the selected call's function, "" before there is a tree.
func (m *Model) selectedFunction() string {
	if m.forest == nil || m.call() == 0 {
		return ""
	}
	return m.forest.tree.Call(m.call()).Function
}

// selectFunction selects the first call of a function that has a row, so that whoever switches to
// another release keeps their place.
func (m *Model) selectFunction(name string) {
	for at, r := range m.forest.rows {
		if r.kind == rowStep && name != "" && m.forest.tree.Call(int(r.call)).Function == name {
			m.cursor = at
			return
		}
	}
}
