package terminal

import (
	"github.com/charmbracelet/x/ansi"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
)

// A storyList shows what the requests of a recording caused. Its items are the lines of the
// story and, after them, the remarks.
type storyList struct {
	*view.CausalStory
	// names are the texts of the items, for a search.
	names   []string
	heading string
	rows    []storyRow
	starts  []int // the index of each item's first row, and at the end len(rows)
	width   int   // of the rows, in columns; 0 before they are drawn

	cursor int // the selected item
	top    int // the first row on the screen
}

// A storyRow is a row of text of an item.
type storyRow struct {
	item int
	text string
}

// newStoryList returns the story of a recording in a language, or nil if the recording has
// none.
func newStoryList(rec *trace.Recording, guide view.Guide, lang string) *storyList {
	s := &storyList{CausalStory: view.NewCausalStory(rec, guide, lang)}
	if len(s.Lines) == 0 {
		return nil
	}
	colon := message.For(lang).Sprintf(": ")
	for _, l := range s.Lines {
		s.names = append(s.names, text.Escape(l.Actor)+colon+text.Escape(l.Text))
	}
	for _, remark := range s.Remarks {
		s.names = append(s.names, text.Escape(remark))
	}
	return s
}

// line returns the selected line, or nil if a remark is selected.
func (s *storyList) line() *view.CausalLine {
	if s.cursor >= len(s.Lines) {
		return nil
	}
	return &s.Lines[s.cursor]
}

// draw draws the rows again if the width has changed.
func (s *storyList) draw(o Options, palette render.Palette, width int) {
	if s.width == width {
		return
	}
	s.width, s.rows, s.starts = width, nil, nil
	heading, items := render.StoryRows(s.CausalStory, render.Options{
		Options: view.Options{ASCII: o.ASCII, Lang: o.Lang}, Layout: render.Layout{Width: width, Palette: palette},
	})
	s.heading = heading[0]
	for _, remark := range s.names[len(s.Lines):] {
		lines := text.Wrap(remark, width)
		for i, line := range lines {
			lines[i] = palette.Facts.Render(line)
		}
		items = append(items, lines)
	}
	for item, rows := range items {
		s.starts = append(s.starts, len(s.rows))
		for _, row := range rows {
			s.rows = append(s.rows, storyRow{item, row})
		}
	}
	s.starts = append(s.starts, len(s.rows))
}

// move moves the cursor by a number of items.
func (s *storyList) move(items int) { s.cursor = max(0, min(len(s.names)-1, s.cursor+items)) }

// page scrolls by a screen in a direction, and selects the first item on it. If there is nothing
// to scroll, page selects the first or the last item.
func (s *storyList) page(direction, height int) {
	before := s.top
	s.top = max(0, min(before+direction*height, len(s.rows)-height))
	if s.top == before {
		s.move(direction * len(s.names))
		return
	}
	s.cursor = s.rows[s.top].item
	if next := s.starts[s.cursor+1]; s.starts[s.cursor] < s.top && next < s.top+height {
		s.cursor++ // the first item that begins on the screen
	}
}

// follow scrolls to the selected item. If the item is higher than the screen, a part of it is
// enough.
func (s *storyList) follow(height int) {
	first, last := s.starts[s.cursor], s.starts[s.cursor+1]-height
	s.top = max(min(first, last), min(s.top, max(first, last)))
	s.top = max(0, min(s.top, len(s.rows)-height))
}

// find returns the items that contain a text. The text must be in lower case.
func (s *storyList) find(query string) []spot {
	var found []spot
	for item, name := range s.names {
		if query != "" && holds(name, query) {
			found = append(found, spot{call: item})
		}
	}
	return found
}

// toFailed goes to the next refused request. It wraps around the end.
func (m *Model) toFailed() {
	s := m.story
	for i := 1; i <= len(s.Lines); i++ {
		if at := (s.cursor + i) % len(s.Lines); s.Lines[at].Failed {
			s.cursor = at
			return
		}
	}
	m.status = saysNone.In(m.options.Lang)
}

// openLine opens the request of the selected line, and selects the call that proves the line.
func (m *Model) openLine() {
	l := m.story.line()
	if l == nil {
		m.status = saysRemark.In(m.options.Lang)
		return
	}
	d, err := m.drafter().requestTree(m.rec, l.Request-1)
	if m.take(d, err); err == nil {
		m.goTo(l.Call)
		m.showBelow()
	}
}

// toStory goes back to the story, at the line where the user left it.
func (m *Model) toStory() {
	if m.story == nil {
		m.status = saysNoStory.In(m.options.Lang)
		return
	}
	if m.compared != nil {
		m.leaveComparison()
	}
	if m.compared == nil { // otherwise the status has the error
		m.inStory, m.matches = true, nil
	}
}

// storyHeight returns the height of the story in lines, without its heading.
func (m *Model) storyHeight() int { return max(1, m.treeHeight()-1) }

// storyLines draws the visible rows of the story below its heading.
func (m *Model) storyLines() []string {
	s := m.story
	lines := []string{ansi.Truncate(s.heading, m.width, m.glyph("…", ".."))}
	for i := s.top; i < len(s.rows) && len(lines) <= m.storyHeight(); i++ {
		line := s.rows[i].text
		if s.rows[i].item == s.cursor {
			line = m.selected(pad(ansi.Strip(line), m.width))
		}
		lines = append(lines, line)
	}
	return filled(lines, m.treeHeight())
}

// storyTitle is the title of the story, with the number of the selected item.
func (m *Model) storyTitle() string {
	title := text.Escape(m.rec.Scenario+" "+m.nameOf(m.rec)) + "  " + saysStory.Format(m.options.Lang, m.story.cursor+1, len(m.story.names))
	return m.palette.Request.Render(pad(title, m.width))
}

// storyTime shows when the decision or the request of the selected line ran within the story. It
// returns "" for a remark.
func (m *Model) storyTime() string {
	l := m.story.line()
	if l == nil {
		return ""
	}
	call, last := m.timed(l), m.story.Lines[0].SinceNs
	for i := range m.story.Lines {
		last = max(last, m.story.Lines[i].SinceNs+m.timed(&m.story.Lines[i]).DurationNs)
	}
	signs := view.SignsFor(m.options.ASCII)
	return m.bar(l.SinceNs, l.SinceNs+call.DurationNs, last, signs.Duration(l.SinceNs), signs.Took(call))
}

// timed returns the call whose time a line shows: the decision, or all of a request.
func (m *Model) timed(l *view.CausalLine) *trace.Call {
	calls := m.rec.Requests[l.Request-1].Calls
	if l.Decided {
		return &calls[l.Call]
	}
	return &calls[0]
}

// storyStatus names the request or the decision of the selected line, and the most important
// keys.
func (m *Model) storyStatus() string {
	proof := ""
	switch l := m.story.line(); {
	case l == nil:
	case l.Decided:
		call := m.timed(l)
		proof = call.Process + " " + call.ShortName()
	default:
		r := &m.rec.Requests[l.Request-1]
		proof = r.Method + " " + r.Path
	}
	return m.withHint(text.Escape(proof), []string{saysStoryKeys.In(m.options.Lang), saysStoryHelpKey.In(m.options.Lang)})
}

// clickStory selects the line under the mouse. If it is already selected, clickStory opens it.
func (m *Model) clickStory(y int) {
	at := m.story.top + y - 2
	if y < 2 || y >= 2+m.storyHeight() || at >= len(m.story.rows) {
		return
	}
	if item := m.story.rows[at].item; item != m.story.cursor {
		m.story.cursor = item
		return
	}
	m.openLine()
}
