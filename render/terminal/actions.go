package terminal

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kubeapitrace/apitrace/render/view"
	"github.com/kubeapitrace/apitrace/trace/step"
)

func (m *Model) open() {
	r := m.row()
	if r.kind == rowLink {
		m.forest.closedSection[r.section] = false
		m.forest.layout()
		m.goTo(int(r.call))
		return
	}
	m.forest.open(r)
	m.stay(r)
}

func (m *Model) close() {
	r := m.row()
	if m.forest.close(r) {
		m.stay(r)
		return
	}
	m.toCaller()
}

// stay puts the cursor onto a row after the rows have changed.
func (m *Model) stay(r row) {
	for i := range m.forest.rows {
		if other := m.forest.rows[i]; other.kind == r.kind && other.call == r.call {
			m.cursor = i
			return
		}
	}
}

func (m *Model) toCaller() {
	r := m.row()
	call := int(r.call)
	for up := m.forest.tree.Parent(call); up >= 0; up = m.forest.tree.Parent(up) {
		if m.forest.has(up) {
			m.goTo(up)
			return
		}
	}
	m.cursor = 0
}

// toSibling goes to the next row of the same level in a direction, in the same section.
func (m *Model) toSibling(direction int) {
	r := m.row()
	for i := m.cursor + direction; i >= 0 && i < len(m.forest.rows); i += direction {
		switch other := m.forest.rows[i]; {
		case r.kind == rowHeading && other.kind == rowHeading:
			m.cursor = i
			return
		case r.kind != rowHeading && (other.kind == rowHeading || other.level < r.level):
			m.status = saysNone.In(m.options.Lang)
			return
		case r.kind != rowHeading && other.level == r.level:
			m.cursor = i
			return
		}
	}
	m.status = saysNone.In(m.options.Lang)
}

func (m *Model) toHeading(direction int) {
	for i := m.cursor + direction; i >= 0 && i < len(m.forest.rows); i += direction {
		if m.forest.rows[i].kind == rowHeading {
			m.cursor = i
			return
		}
	}
	m.status = saysNone.In(m.options.Lang)
}

// toNext goes to the next call of which something is true, from the selected one on and around.
func (m *Model) toNext(is func(call int) bool) {
	n := m.forest.tree.Len()
	for i := 1; i <= n; i++ {
		if call := (m.call() + i) % n; is(call) {
			m.goTo(call)
			return
		}
	}
	m.status = saysNone.In(m.options.Lang)
}

func (m *Model) sameFunction(i int) bool {
	return i != m.call() && m.forest.function[i] == m.forest.function[m.call()]
}

func (m *Model) failed(i int) bool { return i != m.call() && m.forest.failed(i) }

func (m *Model) keyStep(i int) bool {
	return i != m.call() && m.forest.isKey(i, m.guide) && !view.Upstream(m.forest.tree.Call(i))
}

func (m *Model) toLongest() {
	longest, duration := -1, int64(-1)
	for child := range m.forest.tree.Children(m.call()) {
		if d := m.forest.tree.Call(child).DurationNs; d > duration {
			longest, duration = child, d
		}
	}
	if longest < 0 {
		m.status = saysNone.In(m.options.Lang)
		return
	}
	m.goTo(longest)
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

// step steps through what was recorded, from the selected call if that was chosen by hand.
func (m *Model) step(action step.Action, direction step.Direction) {
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
	if err := m.show(m.rec, (m.request+1)%len(m.rec.Requests)); err != nil {
		m.status = err.Error()
	}
}

func (m *Model) toggleLanguage() {
	if m.options.Lang == "zh" {
		m.options.Lang = "en"
	} else {
		m.options.Lang = "zh"
	}
	guide, err := m.lib.Guide(m.rec, m.options.Lang)
	if err != nil {
		m.status = err.Error()
		return
	}
	m.guide = guide
}

func (m *Model) edit() tea.Cmd {
	call, line := m.calledFrom()
	command, err := m.lib.Editor(m.rec, call, line)
	if err != nil {
		m.status = err.Error()
		return nil
	}
	return tea.ExecProcess(command, func(err error) tea.Msg { return edited{err} })
}

func (m *Model) copyName() tea.Cmd { return m.copy(m.forest.tree.Call(m.call()).Function) }

func (m *Model) copyLink() tea.Cmd {
	return m.copy(view.SourceURL(m.rec, m.forest.tree.Call(m.call())))
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
	if m.mode != modeTree || m.pane != paneNone && msg.X > m.treeWidth() {
		m.scroll = max(0, m.scroll+delta)
		return
	}
	m.cursor += delta
}

func (m *Model) click(x, y int) {
	at := m.top + y - 1
	if m.mode != modeTree || x >= m.treeWidth() || y < 1 || at >= len(m.forest.rows) {
		return
	}
	if at == m.cursor {
		m.open()
		return
	}
	m.cursor = at
}
