package terminal

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"maps"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
)

// A sourceCache keeps the lines of the shown files, by release and file.
type sourceCache map[string]sourceFile

type sourceFile struct {
	lines []string
	err   error
}

// calledFrom returns the place that the source pane shows: a call, and a line of the
// call's file. Usually it is the line of the caller that makes the selected call.
// After a step to the selected call, it is the line in that call where control is. In the call
// that made the error of the request, it is the line that made the error.
// If no such line is recorded, it is the first line of the selected call.
func (m *Model) calledFrom() (*trace.Call, int) {
	_, tree, i := m.side()
	call := tree.Call(i)
	switch parent := tree.Parent(i); {
	case m.stepping() && m.walker.Line(m.at) > 0:
		return call, m.walker.Line(m.at)
	case m.stepping():
		return call, call.Line
	case m.born() > 0:
		return call, m.born()
	case parent >= 0 && call.CallerLine > 0:
		return tree.Call(parent), call.CallerLine
	}
	return call, call.Line
}

// born returns the line at which the selected call made the error of the request. It returns 0
// for other calls, and if the line is not known.
func (m *Model) born() int {
	if m.compared != nil {
		return 0
	}
	if at := m.forest.story.ErrorPath.At(m.call()); at != nil {
		return at.Line
	}
	return 0
}

// stepping reports whether the last step led to the selected call.
func (m *Model) stepping() bool { return m.stepped && m.at.Call == m.call() }

// paneLines returns the content of the pane. It wraps values and notes to width
// columns, and returns at most height lines of source.
func (m *Model) paneLines(width, height int) []string {
	_, tree, selected := m.side()
	call := tree.Call(selected)
	switch m.pane {
	case paneSource:
		return m.sourceLines(width, height)
	case paneValues:
		values := m.valueLines(call, width)
		if calls := m.forest.callsOf(m.row().call); len(calls) > 1 && m.forest.texts != nil {
			values = m.valuesOfAll(calls, width)
		}
		return slices.Concat(values, []string{""}, m.stackLines(width))
	case paneNotes:
		note := m.guide.Note(call.Function)
		if note == "" {
			note = saysNoNote.In(m.options.Lang)
		}
		return text.Wrap(text.Escape(note), width)
	case paneJSON:
		data, err := json.MarshalIndent(call, "", "  ")
		if err != nil {
			return []string{m.errorText(err)}
		}
		var lines []string
		for line := range strings.Lines(string(data)) {
			lines = append(lines, text.Escape(strings.TrimRight(line, "\n")))
		}
		return lines
	}
	return nil
}

// sourceHeading returns the heading of the source pane for a place.
func (m *Model) sourceHeading(place string) string {
	_, tree, i := m.side()
	switch {
	case m.stepping():
		return saysControlAt.Format(m.options.Lang, place)
	case m.born() > 0:
		return saysBornAt.Format(m.options.Lang, place)
	case tree.Parent(i) < 0, tree.Call(i).Afterwards():
		return message.For(m.options.Lang).Sprintf("begins at %s", place)
	}
	return saysCalledAt.Format(m.options.Lang, place)
}

// sourceLines shows the source around the place that calledFrom returns, with the
// place's line in the middle.
func (m *Model) sourceLines(width, height int) []string {
	call, at := m.calledFrom()
	lines := text.Wrap(m.sourceHeading(fmt.Sprintf("%s:%d", call.File, at)), width)
	rec, _, _ := m.side()
	key := rec.K8sVersion + " " + call.File
	file, known := m.sources[key]
	if !known {
		content, err := m.lib.Source(rec, call)
		file = sourceFile{strings.Split(content, "\n"), err}
		m.sources[key] = file
	}
	if file.err != nil {
		return append(lines, text.Wrap(saysNoSource.Format(m.options.Lang, call.File, file.err), width)...)
	}
	middle := max(0, at-1-(height-len(lines))/2)
	first := max(0, min(middle+m.scroll, len(file.lines)-1))
	m.scroll = first - middle
	last := min(len(file.lines), first+height-len(lines))
	var palette source.Palette
	if m.options.Colour {
		palette = source.Colours()
	}
	for i, line := range palette.Highlight(strings.Join(file.lines[first:last], "\n") + "\n") {
		number, mark := first+i+1, " "
		if number == at {
			mark = m.glyph("▶", ">")
		}
		lines = append(lines, fmt.Sprintf("%s %s%s", palette.LineNumber.Render(fmt.Sprintf("%5d", number)), palette.Mark.Render(mark), ansi.TruncateLeft(strings.ReplaceAll(line, "\t", "    "), m.shift, "")))
	}
	return lines
}

// valuesOfAll lists the values of several calls that are drawn as one row.
func (m *Model) valuesOfAll(calls []int, width int) []string {
	var lines []string
	add := func(line string, decides bool) {
		style := m.palette.Value
		if decides {
			style = m.palette.Decisive
		}
		for _, line := range text.Wrap(line, width) {
			lines = append(lines, style.Render(line))
		}
	}
	all := m.forest.texts.Step(calls, nil)
	for _, v := range all.Values {
		add(v.Text, v.Decides)
	}
	for _, p := range all.Plugins {
		add(p.Text, p.Decides)
	}
	if len(lines) == 0 {
		return text.Wrap(saysNoValues.In(m.options.Lang), width)
	}
	return lines
}

func (m *Model) valueLines(call *trace.Call, width int) []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(call.Attributes)) {
		value := name + "=" + view.InWords(name, call.Attributes[name])
		style := m.palette.Value
		if view.Decides(name) {
			style = m.palette.Decisive
		}
		for _, line := range text.Wrap(text.Escape(value), width) {
			lines = append(lines, style.Render(line))
		}
	}
	if len(lines) == 0 {
		lines = text.Wrap(saysNoValues.In(m.options.Lang), width)
	}
	if call.Error != "" {
		for _, line := range text.Wrap(text.Escape("error="+call.Error), width) {
			lines = append(lines, m.palette.Error.Render(line))
		}
	}
	return lines
}

// stackLines lists the selected call and its callers, the nearest first. A caller has the line
// where it made the call or, if that is not known, the line where it begins.
// The list ends at a call that took up the event of a write, because no caller
// waits for it.
func (m *Model) stackLines(width int) []string {
	lines := []string{m.palette.Key.Render(saysStack.In(m.options.Lang))}
	names, at := m.forest.story.Names, 0 // at is the line where control is, or 0
	if m.stepping() {
		at = m.walker.Line(m.at)
	}
	_, tree, selected := m.side()
	for i := selected; i >= 0; i = tree.Parent(i) {
		call := tree.Call(i)
		place := names.Place(call)
		if at > 0 && place != "" {
			place = names.PlaceIn(call, at)
		}
		at = call.CallerLine
		if line := "  " + names.Of(call) + " " + place; lipgloss.Width(line) <= width {
			lines = append(lines, "  "+names.Of(call)+" "+m.palette.Place.Render(place))
		} else {
			for _, wrapped := range text.Wrap(names.Of(call), width-2) {
				lines = append(lines, "  "+wrapped)
			}
			for _, wrapped := range text.Wrap(place, width-4) {
				lines = append(lines, "    "+m.palette.Place.Render(wrapped))
			}
		}
		if call.Afterwards() {
			return append(lines, text.Wrap("  "+saysEventTaken.In(m.options.Lang), width)...)
		}
	}
	return lines
}

func (m *Model) glyph(unicode, ascii string) string {
	if m.options.ASCII {
		return ascii
	}
	return unicode
}
