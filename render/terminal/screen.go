package terminal

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/render"
)

// View implements tea.Model. It draws only the rows that are on the screen.
func (m *Model) View() tea.View {
	v := tea.NewView(m.Screen())
	v.AltScreen = true
	v.WindowTitle = "apitrace " + m.rec.Scenario
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// Screen returns what is on the screen, line by line.
func (m *Model) Screen() string {
	if m.width < 40 || m.height < 8 {
		return saysTooSmall.In(m.options.Lang)
	}
	lines := []string{m.titleLine()}
	switch m.mode {
	case modeHelp:
		lines = append(lines, m.window(m.help())...)
	case modeText:
		lines = append(lines, m.window(m.text)...)
	case modePick:
		lines = append(lines, m.pickerLines()...)
	default:
		lines = append(lines, m.treeAndPane()...)
	}
	lines = append(lines, m.timeLine(), m.statusLine())
	for i, line := range lines {
		lines[i] = ansi.Truncate(line, m.width, "")
	}
	return strings.Join(lines, "\n")
}

func (m *Model) titleLine() string {
	r := m.forest.tree.Request
	title := fmt.Sprintf("%s %s  %s %s", m.rec.Scenario, m.rec.K8sVersion, r.Method, r.Path)
	if r.Status > 0 {
		title += fmt.Sprintf(" %s %d", m.glyph("→", "->"), r.Status)
	}
	if n := len(m.rec.Requests); n > 1 {
		title += fmt.Sprintf("  (%d/%d)", m.request+1, n)
	}
	return m.palette.Request.Render(pad(text.Escape(title), m.width))
}

// window returns the part of a text that is scrolled to.
func (m *Model) window(all []string) []string {
	height := m.treeHeight()
	m.scroll = max(0, min(m.scroll, len(all)-height))
	return filled(all[m.scroll:min(len(all), m.scroll+height)], height)
}

func filled(lines []string, height int) []string {
	all := append([]string{}, lines...)
	for len(all) < height {
		all = append(all, "")
	}
	return all[:height]
}

func (m *Model) pickerLines() []string {
	height := m.treeHeight()
	list := m.picker.list()
	lines := []string{saysPick.In(m.options.Lang) + ": " + m.picker.query}
	first := max(0, m.picker.cursor-height+2)
	for i := first; i < len(list) && len(lines) < height; i++ {
		line := "  " + list[i]
		if i == m.picker.cursor {
			line = m.selected(pad("> "+list[i], 40))
		}
		lines = append(lines, line)
	}
	return filled(lines, height)
}

// treeWidth is how many columns the tree has.
func (m *Model) treeWidth() int {
	if m.pane == paneNone {
		return m.width
	}
	return m.width - m.width*m.share/100 - 1
}

func (m *Model) treeAndPane() []string {
	height, width := m.treeHeight(), m.treeWidth()
	lines := make([]string, height)
	var beside []string
	if m.pane != paneNone {
		columns := m.width - width - 2
		all := m.paneLines(columns, height-1)
		if m.pane != paneSource { // which scrolls in its file
			m.scroll = max(0, min(m.scroll, len(all)-1))
			all = all[m.scroll:]
		}
		beside = filled(append([]string{m.palette.Key.Render(paneTitles[m.pane].In(m.options.Lang))}, all...), height)
	}
	for i := range lines {
		if at := m.top + i; at < len(m.forest.rows) {
			lines[i] = m.rowLine(at, width)
		}
		if beside != nil {
			lines[i] = fit(lines[i], width) + m.palette.Guide.Render(m.glyph("│", "|")) + " " + beside[i]
		}
	}
	return lines
}

// rowLine draws a row: of a step its time, its name and how much is folded.
func (m *Model) rowLine(at, width int) string {
	r := m.forest.rows[at]
	section := m.forest.story.Sections[r.section]
	var line string
	switch r.kind {
	case rowHeading:
		line = fmt.Sprintf("%s %d  %s", m.opener(r.folded > 0, true), section.Number, m.guide.Title(section.Layer))
	case rowLink:
		line = m.indent(r) + fmt.Sprintf("%s %d  %s", m.glyph("▸", ">"), section.Number, m.guide.Title(section.Layer))
	default:
		line = m.stepLine(r)
	}
	if at == m.cursor {
		return m.selected(pad(ansi.Strip(line), width))
	}
	if r.kind != rowStep && m.palette.Layer != nil {
		return m.palette.Layer(section.Layer).Bold(true).Render(fit(line, width))
	}
	return line
}

func (m *Model) stepLine(r row) string {
	call := m.forest.tree.Call(int(r.call))
	name := m.forest.story.Names.Of(call)
	if m.palette.Layer != nil && m.guide.Key(call.Function) {
		name = m.palette.Layer(m.guide.Layer(call.Function)).Render(name)
	}
	var marks []string
	if m.marks[int(r.call)] {
		marks = append(marks, "*")
	}
	if call.NewGoroutine {
		marks = append(marks, "go")
	}
	line := m.indent(r) + m.opener(r.folded > 0, m.forest.opened(r)) + " " + strings.Join(append(marks, name), " ")
	if r.equal > 1 && !m.forest.everything {
		line += fmt.Sprintf(" %s%d", m.glyph("×", "x"), r.equal)
	}
	if r.folded > 0 {
		line += m.palette.Count.Render(fmt.Sprintf(" %s%d", m.glyph("⋯", ".."), r.folded))
	}
	if m.forest.failed(int(r.call)) {
		line += " " + m.palette.Error.Render(m.glyph("✗", "!"))
	}
	return line
}

// opener is the sign before a row that can be opened or closed.
func (m *Model) opener(folded, open bool) string {
	switch {
	case open:
		return m.glyph("▾", "-")
	case folded:
		return m.glyph("▹", "+")
	}
	return " "
}

// indent is the time of a row's call and the blanks of its level. What is too deep for the screen stands
// at the last level that there is, with its number.
func (m *Model) indent(r row) string {
	const perLevel = 2
	most := max(2, (m.treeWidth()-40)/perLevel)
	time := fmt.Sprintf("%8s ", render.Duration(m.forest.tree.Call(int(r.call)).DurationNs, m.options.ASCII))
	if level := int(r.level); level > most {
		return m.palette.Duration.Render(time) + strings.Repeat(" ", perLevel*most) + fmt.Sprintf("+%d ", level-most)
	}
	return m.palette.Duration.Render(time) + strings.Repeat(" ", perLevel*int(r.level))
}

func (m *Model) selected(line string) string { return lipgloss.NewStyle().Reverse(true).Render(line) }

// timeLine shows where in the time of the request the selected call runs.
func (m *Model) timeLine() string {
	root, call := m.forest.tree.Call(0), m.forest.tree.Call(m.call())
	columns := m.width - 30
	if columns < 10 || root.DurationNs <= 0 {
		return ""
	}
	scale := func(ns int64) int {
		return int(max(0, min(int64(columns), (ns-root.StartNs)*int64(columns)/root.DurationNs)))
	}
	from, to := scale(call.StartNs), scale(call.StartNs+call.DurationNs)
	to = max(to, min(from+1, columns))
	from = min(from, to)
	bar := strings.Repeat(m.glyph("─", "-"), from) + m.palette.Mark.Render(strings.Repeat(m.glyph("█", "#"), to-from)) + strings.Repeat(m.glyph("─", "-"), columns-to)
	return fmt.Sprintf("%s +%s, %s", bar, render.Duration(call.StartNs, m.options.ASCII), render.Duration(call.DurationNs, m.options.ASCII))
}

func (m *Model) statusLine() string {
	switch {
	case m.mode == modeSearch:
		return "/" + m.query + "  " + m.status
	case m.mode == modeFilter:
		return "&" + m.query + "  " + m.status
	case m.status != "":
		return text.Escape(m.status)
	}
	call := m.forest.tree.Call(m.call())
	place := m.forest.story.Names.Place(call)
	if m.stepped && m.at.Call == m.call() {
		place = m.at.Kind.String() + " " + place
	}
	return fit(place, m.width-lipgloss.Width(saysKeys.In(m.options.Lang))-2) + "  " + saysKeys.In(m.options.Lang)
}

// pad fills a plain text with blanks, or cuts it, to a number of columns; fit does it with
// a text that may have colours.
func pad(s string, columns int) string { return fit(s, columns) }

func fit(s string, columns int) string {
	width := lipgloss.Width(s)
	if width > columns {
		return ansi.Truncate(s, columns, "…")
	}
	return s + strings.Repeat(" ", max(0, columns-width))
}
