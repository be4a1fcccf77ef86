package terminal

import (
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/view"
)

// A sign is a mark in the tree, as Unicode and as ASCII.
type sign struct {
	Drawn, ASCII string
	What         message.Message
}

// The signs before a row that can be opened or closed.
const (
	openSign, openASCII     = "▾", "-"
	closedSign, closedASCII = "▹", "+"
)

// saysSigns is the title of the list of signs.
var saysSigns = message.Of("Signs in the tree")

// signs explains the signs of the tree, for the help and the documentation.
func signs() []sign {
	unicode, ascii := view.SignsFor(false), view.SignsFor(true)
	var marks []string
	for _, kind := range []diff.Kind{diff.Added, diff.Removed, diff.Moved, diff.Renamed, diff.Repeated, diff.Reordered, diff.Valued, diff.Timed} {
		marks = append(marks, view.MarkOf(kind))
	}
	compared := strings.Join(marks, " ")
	return []sign{
		{openSign, openASCII, message.Of("open")},
		{closedSign, closedASCII, message.Of("closed: calls below are not shown")},
		{unicode.Into + " 5", ascii.Into + " 5", message.Of("goes on in section 5")},
		{unicode.Times + "20", ascii.Times + "20", message.Of("20 equal calls in a row: the time is that of all")},
		{unicode.Folded + "9", ascii.Folded + "9", message.Of("9 calls below that no row shows")},
		{unicode.Failed, ascii.Failed, message.Of("failed, or a step on the path of the error")},
		{">3.27s", ">3.27s", message.Of("had not returned when the trace was collected")},
		{"+3", "+3", message.Of("3 levels deeper than the screen can show")},
		{"go", "go", message.Of("on a new goroutine")},
		{"*", "*", message.Of("marked by you")},
		{compared, compared, message.Of("in a comparison: added, removed, with another caller, renamed, called more or less often, reordered, with other values, timing only")},
	}
}

// help lists the bindings and the signs. In the story, its bindings come first.
func (m *Model) help() []string {
	var lines []string
	shown := groups
	if m.inStory {
		shown = append([]bindingGroup{storyGroup}, groups...)
	}
	for _, group := range shown {
		lines = append(lines, m.palette.Key.Render(group.Title.In(m.options.Lang)))
		for _, b := range group.Bindings {
			lines = append(lines, helpLine(strings.Join(b.Keys, " "), b.What.In(m.options.Lang), m.width)...)
		}
	}
	lines = append(lines, m.palette.Key.Render(saysSigns.In(m.options.Lang)))
	for _, s := range signs() {
		lines = append(lines, helpLine(m.glyph(s.Drawn, s.ASCII), s.What.In(m.options.Lang), m.width)...)
	}
	return lines
}

// helpLine explains keys or a sign, in lines of at most width columns.
func helpLine(keys, what string, width int) []string {
	const indent, column = 2, 20 // the longest keys take 19 columns
	var lines []string
	for i, line := range text.Wrap(what, width-indent-column) {
		if i > 0 {
			keys = ""
		}
		lines = append(lines, strings.Repeat(" ", indent)+pad(keys, column)+line)
	}
	return lines
}
