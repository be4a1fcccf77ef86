package terminal

import (
	"bytes"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/step"
	"github.com/kubeapitrace/apitrace/view"
)

func (m *Model) open() {
	r := m.row()
	if r.isText() {
		m.goTo(int(r.call))
		return
	}
	if r.kind == rowLink {
		m.forest.closedSection[r.section] = false
		m.forest.layout()
		m.goTo(int(r.call))
		return
	}
	m.forest.open(r)
	m.stay(r)
	m.showBelow()
}

// showBelow scrolls if fewer than four rows would be visible from the cursor on.
func (m *Model) showBelow() {
	if m.top+m.treeHeight()-m.cursor < 4 {
		m.top = m.cursor - m.treeHeight()/2
	}
}

func (m *Model) close() {
	r := m.row()
	if m.forest.close(r) {
		m.stay(r)
		return
	}
	m.toCaller()
}

// stay puts the cursor on a row again after the rows have changed.
func (m *Model) stay(r row) {
	for i := range m.forest.rows {
		if other := m.forest.rows[i]; other.kind == r.kind && other.call == r.call && other.section == r.section && other.line == r.line {
			m.cursor = i
			return
		}
	}
}

func (m *Model) toCaller() {
	r := m.row()
	call := int(r.call)
	for up := m.forest.tree.Parent(call); up >= 0; up = m.forest.tree.Parent(up) {
		if row := m.forest.drawn[up]; row >= 0 {
			m.goTo(int(row))
			return
		}
	}
	m.cursor = 0
}

// toSibling goes to the next row of the same level and section in a direction.
// From a heading, it goes to the next heading.
func (m *Model) toSibling(direction int) {
	r := m.row()
	for i := m.cursor + direction; i >= 0 && i < len(m.forest.rows); i += direction {
		switch other := m.forest.rows[i]; {
		case r.kind == rowHeading && other.kind == rowHeading:
			m.cursor = i
			return
		case r.kind != rowHeading && (other.kind == rowHeading || other.isText() || other.level < r.level):
			m.status = saysNone.In(m.options.Lang)
			return
		case r.kind != rowHeading && other.level == r.level:
			m.cursor = i
			return
		}
	}
	m.status = saysNone.In(m.options.Lang)
}

// toHeading goes to the next heading in a direction, and puts it at the top of the
// screen.
func (m *Model) toHeading(direction int) {
	for i := m.cursor + direction; i >= 0 && i < len(m.forest.rows); i += direction {
		if m.forest.rows[i].kind == rowHeading {
			m.cursor, m.top = i, i
			return
		}
	}
	m.status = saysNone.In(m.options.Lang)
}

// toNext goes to the next call that matches. It wraps around the end.
func (m *Model) toNext(matches func(call int) bool) { m.toNextIn(1, matches) }

func (m *Model) toNextIn(direction int, matches func(call int) bool) {
	n := m.forest.tree.Len()
	for i := 1; i <= n; i++ {
		if call := (m.call() + i*direction + n) % n; matches(call) {
			m.goTo(call)
			return
		}
	}
	m.status = saysNone.In(m.options.Lang)
}

func (m *Model) sameFunction(i int) bool {
	return i != m.call() && m.forest.function[i] == m.forest.function[m.call()]
}

// toError goes to the next error. It follows the path of the error that made the
// request fail, from the error's origin on. Then come the calls where other
// errors began. It wraps around the end.
func (m *Model) toError() {
	var stops []int
	if path := m.forest.story.ErrorPath; path != nil {
		for _, s := range path.Steps { // a call may occur in several steps
			stops = append(stops, s.Call)
		}
	}
	steps, others := len(stops), m.forest.story.OtherErrors()
	stops = append(stops, others...)
	if len(stops) == 0 {
		m.status = saysNone.In(m.options.Lang)
		return
	}
	at := m.errorAt
	if m.row().kind != rowStep {
		at = -1
	} else if at >= len(stops) || stops[at] != m.call() {
		at = slices.Index(stops, m.call())
	}
	at = (at + 1) % len(stops)
	m.goTo(stops[at])
	m.errorAt = at
	switch {
	case at < steps:
		m.status = saysPathStep.Format(m.options.Lang, at+1, steps)
	case m.maybeFatal(others):
		m.status = saysError.Format(m.options.Lang, at-steps+1, len(others))
	default:
		m.status = saysHandledError.Format(m.options.Lang, at-steps+1, len(others))
	}
}

// maybeFatal reports whether one of the errors may have made the request fail.
// For the start of a program, it returns true.
func (m *Model) maybeFatal(errors []int) bool {
	tree, path := m.forest.tree, m.forest.story.ErrorPath
	return tree.Request.OfProgram() || slices.ContainsFunc(errors, func(i int) bool { return view.Fatal(tree, path, i) })
}

func (m *Model) keyStep(i int) bool {
	return i != m.call() && m.forest.isKey(i, m.guide) && !view.Upstream(m.forest.tree.Call(i))
}

func (m *Model) toLongest() {
	longest, duration := -1, int64(-1)
	for child := range m.forest.tree.Children(m.call()) {
		if c := m.forest.tree.Call(child); !c.Leaf && c.DurationNs > duration {
			longest, duration = child, c.DurationNs
		}
	}
	if longest < 0 {
		m.status = saysNone.In(m.options.Lang)
		return
	}
	m.goTo(longest)
}

// showLayers shows the table of the layers of the request. A comparison mixes the times of both
// sides, and has no table.
func (m *Model) showLayers() {
	if m.compared != nil {
		m.status = saysNoTable.In(m.options.Lang)
		return
	}
	one, options := *m.rec, view.Options{ASCII: m.options.ASCII, Lang: m.options.Lang}
	one.Requests = m.rec.Requests[m.request : m.request+1]
	tops, err := view.NewTops(&one, m.guide, options, view.TopLayer)
	var out bytes.Buffer
	if err == nil {
		err = render.WriteTop(&out, tops, 0, render.Options{Options: options, Layout: render.Layout{Width: m.width}})
	}
	if err != nil {
		m.status = m.errorText(err)
		return
	}
	m.mode, m.text, m.scroll = modeText, out.String(), 0
}

func (m *Model) toggleSections() {
	r := m.row()
	closed := m.forest.closedSection
	closeAll := false
	for _, c := range closed {
		closeAll = closeAll || !c
	}
	for i := range closed {
		closed[i] = closeAll
	}
	if closeAll && m.compared == nil {
		m.status = saysSectionTimes.In(m.options.Lang)
	}
	m.forest.layout()
	for i, other := range m.forest.rows {
		if other.kind == rowHeading && other.section == r.section {
			m.cursor = i
		}
	}
}

func (m *Model) toggleEverything() {
	call := m.call()
	m.forest.everything, m.forest.only = !m.forest.everything, nil
	m.forest.layout()
	m.near(call)
}

// step steps through the recording. If the user has selected another call since
// the last step, it begins at that call, else at the last position.
func (m *Model) step(action step.Action, direction step.Direction) {
	if m.compared != nil {
		m.status = saysNoSteps.In(m.options.Lang)
		return
	}
	if !m.stepped || m.at.Call != m.call() && m.at.Next != m.call() {
		m.at = step.Position{Call: m.call()}
	}
	at, ok := m.walker.Step(m.at, action, direction)
	m.at, m.stepped = at, true
	if !ok {
		m.status = saysNone.In(m.options.Lang)
	}
	m.goTo(at.Call)
}

func (m *Model) setPane(p pane) {
	if m.pane == p {
		p = paneNone
	}
	m.pane, m.scroll = p, 0
}

func (m *Model) nextRequest() {
	if m.compared != nil {
		m.take(m.drafter().nextPair(m.compared, m.compared.pair))
		return
	}
	m.take(m.drafter().requestTree(m.rec, (m.request+1)%len(m.rec.Requests)))
}

// toggleLanguage changes the language of all texts. Nothing else changes.
func (m *Model) toggleLanguage() {
	if m.options.Lang == "zh" {
		m.options.Lang = "en"
	} else {
		m.options.Lang = "zh"
	}
	recs := []*trace.Recording{m.rec}
	if m.compared != nil {
		recs = []*trace.Recording{m.compared.A, m.compared.B}
	}
	guide, err := m.lib.Guide(m.options.Lang, recs...)
	if err != nil {
		m.status = m.errorText(err)
		return
	}
	m.guide, m.index = guide, nil
	if m.story != nil {
		selected := m.story.cursor
		m.story = newStoryList(m.rec, guide, m.options.Lang)
		m.story.cursor = selected
	}
	if m.compared != nil {
		m.compared.comparer = m.compared.comparer.In(m.options.Lang, guide)
		m.compared.view = m.compared.comparer.Pair(m.compared.pair).MergedTree()
		return
	}
	r := m.row()
	m.forest.texts = m.drafter().texts(m.rec, m.forest.story, guide)
	m.forest.layout()
	m.stay(r)
}

// escape cancels the running job. Without a job it leaves the filter, without
// a filter the comparison, and without a comparison it goes back to the story.
func (m *Model) escape() {
	switch {
	case m.cancel():
		m.status = saysCancelled.In(m.options.Lang)
	case m.inStory:
	case m.forest.only != nil:
		m.unfilter()
	case m.compared != nil:
		m.leaveComparison()
	case m.story != nil:
		m.toStory()
	}
}

func (m *Model) edit() tea.Cmd {
	call, line := m.calledFrom()
	rec, _, _ := m.side()
	command, err := m.lib.Editor(rec, call, line)
	if err != nil {
		m.status = m.errorText(err)
		return nil
	}
	return tea.ExecProcess(command, func(err error) tea.Msg { return edited{err} })
}

func (m *Model) copyName() tea.Cmd { return m.copy(m.forest.tree.Call(m.call()).Function) }

func (m *Model) copyLink() tea.Cmd {
	rec, tree, call := m.side()
	return m.copy(rec.SourceURL(tree.Call(call)))
}

func (m *Model) copy(text string) tea.Cmd {
	if text == "" {
		m.status = saysNone.In(m.options.Lang)
		return nil
	}
	m.status = saysCopied.Format(m.options.Lang, text)
	return tea.SetClipboard(text)
}

func (m *Model) wheel(msg tea.MouseWheelMsg) {
	delta := 3
	if msg.Button == tea.MouseWheelUp {
		delta = -3
	}
	switch {
	case m.mode == modePick:
		m.picker.move(delta)
	case m.mode == modeHelp, m.mode == modeText, !m.inStory && m.pane != paneNone && msg.X >= m.treeWidth() && msg.Y <= m.treeHeight():
		m.scroll += delta
	case m.belowHeight() > 0 && msg.Y > m.treeHeight():
		m.belowScroll += delta
	case m.inStory:
		m.story.move(delta)
	default:
		m.cursor += delta
	}
}

// click selects the row under the mouse. If the row is already selected, click
// opens or closes it.
func (m *Model) click(msg tea.MouseClickMsg) {
	if msg.Button != tea.MouseLeft {
		return
	}
	if m.inStory && m.mode == modeTree {
		m.clickStory(msg.Y)
		return
	}
	at := m.top + msg.Y - 1
	if m.mode != modeTree || msg.X >= m.treeWidth() || msg.Y < 1 || msg.Y > m.treeHeight() || at >= len(m.forest.rows) {
		return
	}
	if at != m.cursor {
		m.cursor, m.scroll, m.belowScroll = at, 0, 0
		return
	}
	if r := m.row(); m.forest.close(r) {
		m.stay(r)
		return
	}
	m.open()
}
