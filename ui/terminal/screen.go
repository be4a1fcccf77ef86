package terminal

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/step"
	"github.com/kubeapitrace/apitrace/view"
)

// View implements tea.Model. It draws only the visible rows.
func (m *Model) View() tea.View {
	v := tea.NewView(text.Harmless(m.screen()))
	v.AltScreen = true
	v.WindowTitle = "apitrace " + text.Escape(m.rec.Scenario) // escaped, because it may come from a file
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// screen returns the text of the screen.
func (m *Model) screen() string {
	if m.width < 40 || m.height < 8 {
		return saysTooSmall.In(m.options.Lang)
	}
	lines := []string{m.titleLine()}
	switch {
	case m.mode == modeHelp:
		lines = append(lines, m.window(m.help())...)
	case m.mode == modeText:
		lines = append(lines, m.window(m.textLines())...)
	case m.mode == modePick:
		lines = append(lines, m.pickerLines()...)
	case m.inStory:
		lines = append(lines, m.storyLines()...)
	default:
		lines = append(lines, m.treeAndPane()...)
		if height := m.belowHeight(); height > 0 {
			lines = append(lines, m.palette.Guide.Render(strings.Repeat(m.glyph("─", "-"), m.width)))
			lines = append(lines, m.belowLines(m.width, height-1)...)
		}
	}
	lines = append(lines, m.timeLine(), m.statusLine())
	if long := m.longStatus(); len(long) > 1 { // it covers lines of the tree if necessary, but not the title
		lines = append(lines[:max(1, len(lines)-len(long))], long...)
		lines = lines[:m.height]
	}
	for i, line := range lines {
		lines[i] = ansi.Truncate(line, m.width, "")
	}
	return strings.Join(lines, "\n")
}

func (m *Model) titleLine() string {
	if m.inStory {
		return m.storyTitle()
	}
	r := m.forest.tree.Request
	release := m.nameOf(m.rec)
	requests := len(m.rec.Requests)
	if c := m.compared; c != nil {
		release = fmt.Sprintf("%s %s %s", c.nameA, m.glyph("→", "->"), c.nameB)
		requests = len(c.Requests)
	}
	scenario, before, path, after := text.Escape(m.rec.Scenario), text.Escape(fmt.Sprintf(" %s  %s ", release, r.Method)), text.Escape(r.Path), ""
	if r.Status > 0 {
		after = fmt.Sprintf(" %s %d", m.glyph("→", "->"), r.Status)
	}
	if requests > 1 {
		after += fmt.Sprintf("  (%d/%d)", m.request+1, requests)
	}
	const enough = 8 // columns of a path
	scenario = ansi.Truncate(scenario, max(enough, m.width-lipgloss.Width(before+after)-enough), m.glyph("…", ".."))
	before = scenario + before
	path = ansi.Truncate(path, max(1, m.width-lipgloss.Width(before+after)), m.glyph("…", "..")) // the status is never cut
	return m.palette.Request.Render(pad(before+path+after, m.width))
}

// window returns the visible part of a scrolled text.
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

// textLines wraps the lines of the text that are too long. A line goes on with its own indentation.
func (m *Model) textLines() []string {
	var lines []string
	for i, line := range strings.Split(strings.TrimRight(m.text, "\n"), "\n") {
		if i == 0 {
			line = m.palette.Key.Render(line)
		}
		if lipgloss.Width(line) <= m.width {
			lines = append(lines, line)
			continue
		}
		said := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(said)]
		for _, wrapped := range text.Wrap(said, m.width-len(indent)) {
			lines = append(lines, indent+wrapped)
		}
	}
	return lines
}

func (m *Model) pickerLines() []string {
	height := m.treeHeight()
	list := m.picker.list()
	lines := []string{message.For(m.options.Lang).Sprintf("%s: %s", saysPick, m.picker.query)}
	first := max(0, m.picker.cursor-height+2)
	for i := first; i < len(list) && len(lines) < height; i++ {
		line := "  " + text.Escape(m.picker.all[list[i]])
		if i == m.picker.cursor {
			line = ">" + line[1:]
			line = m.selected(pad(line, max(40, lipgloss.Width(line))))
		}
		lines = append(lines, line)
	}
	return filled(lines, height)
}

// treeWidth returns the width of the tree in columns.
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
		if m.pane != paneSource { // sourceLines scrolls in its file
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

// rowLine draws a row. For a step, it draws the time, the name and the number
// of folded calls.
func (m *Model) rowLine(at, width int) string {
	r := m.forest.rows[at]
	section := m.forest.story.Sections[r.section]
	var line string
	switch r.kind {
	case rowText, rowRole, rowFailure, rowStored, rowLast:
		line = strings.Repeat(" ", textIndent) + r.text
	case rowHeading:
		line = m.headingLine(r, width)
	case rowLink:
		line = m.indent(r) + fmt.Sprintf("%s %d  %s", view.SignsFor(m.options.ASCII).Into, section.Number, m.forest.story.Title(section, m.guide, m.options.Lang))
	default:
		if line = m.stepLine(r, width); m.compared != nil && m.sideBySide {
			line = m.sidesLine(r, width)
		}
	}
	if at == m.cursor {
		return m.selected(pad(ansi.Strip(line), width))
	}
	switch r.kind {
	case rowText:
		return m.palette.Decisive.Render(fit(line, width))
	case rowRole:
		return m.palette.Note.Render(fit(line, width))
	case rowFailure:
		return m.palette.Error.Render(fit(line, width))
	case rowStored, rowLast:
		return m.palette.Facts.Render(fit(line, width))
	}
	if r.kind != rowStep && m.palette.Layer != nil {
		return m.palette.Layer(section.Layer).Bold(true).Render(fit(line, width))
	}
	if m.compared != nil && r.kind == rowStep && (m.sideBySide || m.compared.view.Mark(int(r.call)) != "") {
		return m.changeStyle(int(r.call)).Render(fit(ansi.Strip(line), width))
	}
	return line
}

// headingLine draws the heading of a section. A closed section has its time behind the title, in
// the same column as the other closed sections.
func (m *Model) headingLine(r row, width int) string {
	title := func(r row) string {
		section := m.forest.story.Sections[r.section]
		return fmt.Sprintf("%s %d  %s", m.opener(r.folded > 0, r.folded == 0), section.Number, m.forest.story.Title(section, m.guide, m.options.Lang))
	}
	line := title(r)
	if r.folded == 0 {
		return line
	}
	const times = 20 // columns
	column := 0
	for _, other := range m.forest.rows {
		if other.kind == rowHeading && other.folded > 0 {
			column = max(column, lipgloss.Width(title(other)))
		}
	}
	column = min(column, width-times)
	return line + strings.Repeat(" ", max(0, column-lipgloss.Width(line))) + m.sectionTime(m.forest.story.Sections[r.section])
}

// sectionTime returns how long a section took, with all calls below it.
func (m *Model) sectionTime(section *view.Section) string {
	if took := m.forest.story.Time(section.Root, m.signs()); took != "" {
		return fmt.Sprintf("  %8s", took)
	}
	return ""
}

// textIndent is the indentation of a sentence: the width of the sign and
// the number in a heading.
const textIndent = 5

// textWidth returns the maximum width of a sentence in columns.
func (m *Model) textWidth() int { return m.treeWidth() - textIndent }

// changeStyle returns the style of a row in a comparison.
func (m *Model) changeStyle(call int) lipgloss.Style {
	if style, ok := m.palette.StyleOf(m.compared.view.ChangeAt(call)); ok {
		return style
	}
	return m.palette.Plumbing
}

// sidesLine draws the call of a row as side A and side B name
// it, next to each other.
func (m *Model) sidesLine(r row, width int) string {
	d := m.compared.view
	column := (width - 3) / 2
	side := func(tree *trace.Tree, call int) string {
		if call == diff.None {
			return strings.Repeat(" ", column)
		}
		name, plugin := tree.Call(call).ShortName(), view.PurposeOf(tree.Call(call))
		if tree == d.Diff.B { // the story names only calls of side B
			name = m.forest.story.Names.Of(tree.Call(call))
		}
		if plugin != "" && len(m.forest.callsOf(r.call)) == 1 {
			plugin = " " + plugin
		} else {
			plugin = ""
		}
		before, after := strings.Repeat(" ", min(int(r.level), column/8))+m.opener(r.folded > 0, m.forest.opened(r))+" ", ""
		if calls := m.callsOn(tree, r); calls > 1 {
			after = fmt.Sprintf(" %s%d", view.SignsFor(m.options.ASCII).Times, calls)
		}
		if r.folded > 0 {
			after += m.folds(r)
		}
		after = plugin + after
		return fit(before+m.fitName(name, max(1, column-lipgloss.Width(before)-lipgloss.Width(after)))+after, column)
	}
	mark := m.compared.view.Mark(int(r.call))
	if mark == "" {
		mark = m.glyph("│", "|")
	}
	return side(d.Diff.A, d.Merged.A[r.call]) + " " + firstRune(mark) + " " + side(d.Diff.B, d.Merged.B[r.call])
}

// callsOn returns how many calls of a row one side makes.
func (m *Model) callsOn(tree *trace.Tree, r row) (n int) {
	d := m.compared.view
	calls := d.Merged.A
	if tree == d.Diff.B {
		calls = d.Merged.B
	}
	for _, i := range m.forest.callsOf(r.call) {
		if calls[i] != diff.None {
			n++
		}
	}
	return n
}

func firstRune(s string) string {
	for _, r := range s {
		return string(r)
	}
	return ""
}

// folds returns the sign for folded calls with their number.
func (m *Model) folds(r row) string {
	return fmt.Sprintf(" %s%d", view.SignsFor(m.options.ASCII).Folded, r.folded)
}

func (m *Model) stepLine(r row, width int) string {
	call := m.forest.tree.Call(int(r.call))
	before := m.indent(r) + m.opener(r.folded > 0, m.forest.opened(r)) + " "
	if m.marks[int(r.call)] {
		before += "* "
	}
	if call.NewGoroutine {
		before += "go "
	}
	if m.compared != nil {
		if mark := m.compared.view.Mark(int(r.call)); mark != "" {
			before += mark + " "
		}
	}
	after := ""
	if calls := len(m.forest.callsOf(r.call)); calls > 1 {
		after += fmt.Sprintf(" %s%d", view.SignsFor(m.options.ASCII).Times, calls)
	}
	if r.folded > 0 {
		after += m.palette.Count.Render(m.folds(r))
	}
	if call.Unfinished && !m.forest.tree.Request.OfProgram() { // many calls of a program never return
		after += " " + m.palette.Warning.Render(saysRunning.In(m.options.Lang))
	}
	if m.forest.failed(int(r.call)) {
		after += " " + m.palette.Error.Render(m.glyph("✗", "!"))
	}
	const enough = 8 // columns of a name or of values
	name, room := m.forest.story.Names.Of(call), width-lipgloss.Width(before)-lipgloss.Width(after)
	if text := m.forest.textOf(r.call); text != nil {
		name = text.Name
	}
	plugin, values := m.rowValues(r)
	if plugin != "" { // many rows have the same function, so the plugin's name needs its columns more
		after = " " + m.palette.Key.Render(plugin) + after
		room -= lipgloss.Width(plugin) + 1
	}
	name = m.fitName(name, max(enough, room))
	if room -= lipgloss.Width(name); room >= enough {
		after += ansi.Truncate(values, room, m.glyph("…", ".."))
	}
	if m.palette.Layer != nil && m.forest.isKey(int(r.call), m.guide) {
		name = m.palette.Layer(m.guide.Layer(call.Function)).Render(name)
	}
	return before + name + after
}

// rowValues returns the admission plugin of a row of one call, or "", and the other values of the
// row, with blanks before each. In a comparison, the part below the tree has the values.
func (m *Model) rowValues(r row) (plugin, line string) {
	alone, call := len(m.forest.callsOf(r.call)) == 1, m.forest.tree.Call(int(r.call))
	text := m.forest.textOf(r.call)
	switch {
	case text == nil && alone:
		return view.PurposeOf(call), ""
	case text == nil:
		return "", ""
	case alone && len(text.Values) > 0 && text.Values[0].Name == trace.AttrAdmissionPlugin:
		plugin = view.PurposeOf(call)
	}
	add := func(text string, decides bool) {
		style := m.palette.Value
		if decides {
			style = m.palette.Decisive
		}
		line += "  " + style.Render(text)
	}
	for _, v := range text.Values {
		if plugin == "" || v.Name != trace.AttrAdmissionPlugin {
			add(v.Text, v.Decides)
		}
	}
	for _, p := range text.Plugins {
		add(p.Text, p.Decides)
	}
	return plugin, line
}

// fitName shortens the name of a function to a number of columns. It removes
// the package, then the receiver. It cuts the name only if it is still too
// long.
func (m *Model) fitName(name string, columns int) string {
	ellipsis := m.glyph("…", "..")
	at := strings.LastIndex(name, "/") + 1
	for _, cut := range []string{".", ")."} {
		if lipgloss.Width(name) <= columns {
			break
		}
		if i := strings.Index(name[at:], cut); i >= 0 {
			name, at = ellipsis+name[at+i+len(cut)-1:], len(ellipsis)
		}
	}
	if lipgloss.Width(name) <= columns {
		return name
	}
	return ansi.Truncate(name, max(1, columns), ellipsis)
}

// opener returns the sign before a row that can be opened or closed.
func (m *Model) opener(folded, open bool) string {
	switch {
	case open:
		return m.glyph(openSign, openASCII)
	case folded:
		return m.glyph(closedSign, closedASCII)
	}
	return " "
}

// time returns how long the calls of a row took, as package view writes it.
func (m *Model) time(r row) string {
	return m.forest.story.Time(&view.Node{Calls: m.forest.callsOf(r.call)}, m.signs())
}

// signs returns the signs for the times of the tree.
func (m *Model) signs() view.Signs {
	signs := view.SignsFor(m.options.ASCII)
	signs.TickNs = m.forest.tickNs
	return signs
}

// indent returns the time of a row's calls and the indentation of its level. A
// row that is too deep for the screen gets the deepest possible level, with the
// number of further levels. A narrow tree shows no times, because names are more
// important. timeLine has the time of the selected row.
func (m *Model) indent(r row) string {
	const perLevel, narrow = 2, 50
	most := max(2, (m.treeWidth()-40)/perLevel)
	time := fmt.Sprintf("%8s ", m.time(r))
	if m.treeWidth() < narrow {
		time = " "
		if m.forest.tree.Call(int(r.call)).Unfinished {
			time = ">"
		}
	}
	if level := int(r.level); level > most {
		return m.palette.Duration.Render(time) + strings.Repeat(" ", perLevel*most) + fmt.Sprintf("+%d ", level-most)
	}
	return m.palette.Duration.Render(time) + strings.Repeat(" ", perLevel*int(r.level))
}

func (m *Model) selected(line string) string { return lipgloss.NewStyle().Reverse(true).Render(line) }

// timeLine shows when the selected calls ran within the request,
// as a bar and in numbers.
func (m *Model) timeLine() string {
	if m.inStory {
		return m.storyTime()
	}
	_, tree, selected := m.side()
	root, call := tree.Call(0), tree.Call(selected)
	end, signs := call.StartNs+call.DurationNs, view.SignsFor(m.options.ASCII)
	took := signs.Took(call)
	if m.compared == nil { // in a comparison, callsOf has indexes of the merged tree
		for _, i := range m.forest.callsOf(m.row().call) {
			end = max(end, tree.Call(i).StartNs+tree.Call(i).DurationNs)
		}
		took = m.time(m.row())
	}
	return m.bar(call.StartNs-root.StartNs, end-root.StartNs, root.DurationNs, signs.Duration(call.StartNs), took)
}

// bar draws a part of a whole as a bar, with the time of its start and how long it took, or
// "". All numbers are in nanoseconds since the start of the whole.
func (m *Model) bar(start, end, whole int64, since, took string) string {
	columns := m.width - 30
	if columns < 10 || whole <= 0 {
		return ""
	}
	scale := func(ns int64) int { return int(max(0, min(int64(columns), ns*int64(columns)/whole))) }
	from, to := scale(start), scale(end)
	to = max(to, min(from+1, columns))
	from = min(from, to)
	bar := strings.Repeat(m.glyph("─", "-"), from) + m.palette.Mark.Render(strings.Repeat(m.glyph("█", "#"), to-from)) + strings.Repeat(m.glyph("─", "-"), columns-to)
	line := fmt.Sprintf("%s +%s", bar, since)
	if took == "" {
		return line
	}
	return line + ", " + took
}

func (m *Model) statusLine() string {
	switch {
	case m.job != nil:
		return m.progress()
	case m.mode == modeSearch:
		return "/" + m.query + "  " + m.status
	case m.mode == modeFilter:
		return "&" + m.query + "  " + m.status
	case m.mode == modeFind:
		return saysFind.Format(m.options.Lang, m.wanted)
	case m.mode == modeText:
		return saysTextKeys.In(m.options.Lang)
	case m.status != "":
		return text.Escape(m.status)
	case m.inStory:
		return m.storyStatus()
	}
	call := m.forest.tree.Call(m.call())
	place := m.forest.story.Names.Of(call) + " " + m.forest.story.Names.Place(call)
	if m.stepping() {
		place = m.control()
	}
	if m.forest.only != nil {
		place = "&" + m.query + "  " + place
	}
	hints := []string{saysKeys.In(m.options.Lang), saysHelpKey.In(m.options.Lang)}
	if m.story != nil {
		back := saysStoryKey.In(m.options.Lang)
		hints = []string{back + "  " + hints[0], back + "  " + hints[1], back}
	}
	return m.withHint(place, hints)
}

// withHint writes the longest hint that fits to the right of a text. If the recording has a
// story, the text is shortened for the last hint, which names the key of the story.
func (m *Model) withHint(left string, hints []string) string {
	for i, hint := range hints {
		room := m.width - lipgloss.Width(hint) - 2
		if lipgloss.Width(left) <= room || m.story != nil && i == len(hints)-1 {
			return pad(ansi.Truncate(left, room, m.glyph("…", "..")), room) + "  " + hint
		}
	}
	return fit(left, m.width)
}

// longStatus returns the lines of a status, such as an error. It returns nil if the
// status line shows something else.
func (m *Model) longStatus() []string {
	if m.status == "" || m.job != nil || m.mode == modeSearch || m.mode == modeFilter || m.mode == modeFind {
		return nil
	}
	return text.Wrap(text.Escape(m.status), m.width)
}

// control describes the position after the last step.
func (m *Model) control() string {
	name := func(call int) string { return m.forest.story.Names.Of(m.forest.tree.Call(call)) }
	switch m.at.Kind {
	case step.Calling:
		if m.forest.tree.Call(m.at.Next).Afterwards() {
			return saysTakesEvent.Format(m.options.Lang, name(m.at.Next), name(m.at.Call))
		}
		return saysCallsNext.Format(m.options.Lang, name(m.at.Call), name(m.at.Next))
	case step.Returning:
		return saysReturns.Format(m.options.Lang, name(m.at.Call))
	}
	return saysEntered.Format(m.options.Lang, name(m.at.Call))
}

// pad fills a plain text with blanks, or cuts it, to a number of columns. fit
// does the same with a text that may have colours.
func pad(s string, columns int) string { return fit(s, columns) }

func fit(s string, columns int) string {
	width := lipgloss.Width(s)
	if width > columns {
		return ansi.Truncate(s, columns, "…")
	}
	return s + strings.Repeat(" ", max(0, columns-width))
}
