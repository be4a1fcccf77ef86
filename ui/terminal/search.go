package terminal

import (
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubeapitrace/apitrace/view"
)

// An index has the texts that a search looks at, in lower case. It is built in
// the background, because a start of the server has 200,000 calls.
type index struct {
	forest *forest
	// functions has the names by their index in forest.functions, with the title of the
	// run of functions that the name belongs to. texts has the values and the error of each
	// call.
	functions []string
	texts     []string
	// lines has the headings, the sentences and the other lines.
	lines map[spot]string
}

// newIndex builds the index, but for the lines: these are read at once, because the language may
// change meanwhile.
func newIndex(f *forest, guide view.Guide, lines map[spot]string) *index {
	x := &index{forest: f, functions: make([]string, len(f.functions)), texts: make([]string, f.tree.Len()), lines: lines}
	for i, name := range f.functions {
		x.functions[i] = strings.ToLower(name + "\n" + guide.Group(name))
	}
	var text strings.Builder
	for i := range x.texts {
		call := f.tree.Call(i)
		if len(call.Attributes) == 0 && call.Error == "" {
			continue
		}
		text.Reset()
		for _, name := range slices.Sorted(maps.Keys(call.Attributes)) {
			text.WriteString(name + "=" + call.Attributes[name] + "\n")
		}
		text.WriteString(call.Error)
		x.texts[i] = strings.ToLower(text.String())
	}
	return x
}

// searchedLines returns the lines of the tree in lower case.
func (m *Model) searchedLines() map[spot]string {
	f, all := m.forest, map[spot]string{}
	add := func(call int, lines []line, first int) {
		for i, l := range lines {
			all[spot{call, first + i}] = strings.ToLower(l.Text)
		}
	}
	for s, section := range f.story.Sections {
		root, lines := section.Root.Calls[0], f.linesOf(s)
		all[spot{root, -len(lines) - 1}] = strings.ToLower(f.story.Title(section, m.guide, m.options.Lang))
		add(root, lines, -len(lines))
	}
	head := f.head()
	add(0, head, -len(head)-1-len(f.linesOf(0)))
	last := f.last()
	add(f.tree.Len(), last, -len(last))
	return all
}

// find returns the calls that have a text in their function's name, their attributes
// or their error, and the lines that have it. The text must be in lower case. find searches only
// the spots in the list of, or everything if of is nil.
func (x *index) find(text string, of []spot) []spot {
	var found []spot
	names := make([]bool, len(x.functions))
	for i, name := range x.functions {
		names[i] = strings.Contains(name, text)
	}
	look := func(s spot) {
		switch {
		case s.line < 0 && strings.Contains(x.lines[s], text),
			s.line == 0 && (names[x.forest.function[s.call]] || x.texts[s.call] != "" && strings.Contains(x.texts[s.call], text)):
			found = append(found, s)
		}
	}
	if of != nil {
		for _, s := range of {
			look(s)
		}
		return found
	}
	for i := range x.texts {
		look(spot{call: i})
	}
	for s := range x.lines {
		look(s)
	}
	slices.SortFunc(found, spot.compare)
	return found
}

// buildIndex returns the command that builds the index of the shown tree.
func (m *Model) buildIndex() tea.Cmd {
	f, guide, lines := m.forest, m.guide, m.searchedLines()
	return func() tea.Msg { return indexed{newIndex(f, guide, lines)} }
}

// startSearch lets the user type a search. Rows that a match opens are closed
// again at the next letter.
func (m *Model) startSearch() {
	m.mode, m.query, m.before, m.matches = modeSearch, "", m.selection(), nil
	m.opened = m.forest.openness.clone()
}

// selection returns the selected spot or, in the story, the selected item.
func (m *Model) selection() spot {
	if m.inStory {
		return spot{call: m.story.cursor}
	}
	return m.forest.spotOf(m.row())
}

// endSearch opens, closes and selects the rows as they were before the search.
func (m *Model) endSearch() {
	if m.inStory {
		m.story.cursor = m.before.call
		return
	}
	m.forest.openness = m.opened.clone()
	m.forest.layout()
	if m.before.line < 0 {
		m.cursor = max(0, m.forest.rowOf(m.before))
		return
	}
	m.near(m.before.call)
}

// startFilter lets the user type a filter.
func (m *Model) startFilter() {
	m.mode, m.query, m.before, m.matches = modeFilter, "", spot{call: m.call()}, nil
}

// typed edits the query of a search or a filter. The query takes effect at
// once.
func (m *Model) typed(key, text string) {
	before := m.query
	switch key {
	case "esc":
		if m.mode == modeSearch {
			m.endSearch()
		} else {
			m.unfilter()
		}
		m.matches, m.mode, m.status = nil, modeTree, ""
		return
	case "enter":
		m.mode = modeTree
		return
	}
	if m.query = typedInto(m.query, key, text); m.query != before {
		m.search(before)
	}
}

// typedInto returns a query after a key: backspace deletes the last character, and any other key
// adds its text.
func typedInto(query, key, text string) string {
	if runes := []rune(query); key == "backspace" && len(runes) > 0 {
		return string(runes[:len(runes)-1])
	}
	return query + text
}

// search finds the calls and lines or, in the story, the items that contain the query. A filter
// finds only calls. If the query
// contains the previous query, only the previous calls are searched.
func (m *Model) search(before string) {
	query := strings.ToLower(m.query)
	switch {
	case query == "":
		m.matches = nil
	case m.inStory:
		m.matches = m.story.find(query)
	case before != "" && strings.Contains(query, strings.ToLower(before)):
		m.matches = m.searchIndex().find(query, append([]spot{}, m.matches...))
	default:
		m.matches = m.searchIndex().find(query, nil)
	}
	if m.mode == modeFilter {
		m.matches = slices.DeleteFunc(m.matches, func(s spot) bool { return s.line < 0 })
		m.filter()
		return
	}
	m.endSearch()
	m.status = ""
	m.toFirstMatch(query)
}

// toFirstMatch goes to the next match, but prefers a line that begins with the query. A search that
// starts at the first row begins at the top of the tree, and prefers every line to a call: the
// reader sees the lines.
func (m *Model) toFirstMatch(query string) {
	if m.inStory || len(m.matches) == 0 {
		m.toMatch(1)
		return
	}
	atTop, from := m.cursor == m.firstRow(), m.selection()
	if atTop {
		from = spot{call: -1}
	}
	next, found := slices.BinarySearchFunc(m.matches, from, spot.compare)
	if found {
		next++
	}
	lines := m.searchIndex().lines
	for i := range m.matches {
		at := (next + i) % len(m.matches)
		if s := m.matches[at]; s.line < 0 && (atTop || strings.HasPrefix(lines[s], query)) {
			next = at
			break
		}
	}
	m.goToMatch(next)
}

// searchIndex returns the index of the shown tree. It builds the index if it is not ready.
func (m *Model) searchIndex() *index {
	if m.index == nil || m.index.forest != m.forest {
		m.index = newIndex(m.forest, m.guide, m.searchedLines())
	}
	return m.index
}

// filter shows only the matches.
func (m *Model) filter() {
	call := m.call()
	m.forest.only = nil
	if m.query != "" {
		m.forest.only = make([]bool, m.forest.tree.Len())
		for _, s := range m.matches {
			m.forest.only[s.call] = true
		}
	}
	m.forest.layout()
	m.near(call)
	m.status = ""
	m.reportMatches()
}

// unfilter shows the calls again that the filter has hidden.
func (m *Model) unfilter() {
	call := m.call()
	if len(m.matches) == 0 { // nothing could be selected
		call = m.before.call
	}
	m.forest.only = nil
	m.forest.layout()
	m.near(call)
}

// near selects a call or, if it has no row, the nearest call above that has
// one.
func (m *Model) near(call int) {
	at := func(call int) int32 {
		if first := m.forest.drawn[call]; first >= 0 {
			return m.forest.at[first]
		}
		return -1
	}
	for call > 0 && at(call) < 0 {
		call = m.forest.tree.Parent(call)
	}
	m.cursor = max(0, int(at(call)))
}

func (m *Model) reportMatches() {
	switch {
	case m.query == "":
	case len(m.matches) == 0:
		m.status = saysNoMatch.Format(m.options.Lang, m.query)
	case m.forest.only != nil:
		m.status = saysFiltered.Format(m.options.Lang, len(m.matches), m.forest.tree.Len())
	}
}

// toMatch goes to the next match in a direction, and wraps around the ends.
func (m *Model) toMatch(direction int) {
	if len(m.matches) == 0 {
		m.reportMatches()
		return
	}
	at, found := slices.BinarySearchFunc(m.matches, m.selection(), spot.compare)
	switch {
	case direction < 0:
		at--
	case found:
		at++
	}
	m.goToMatch(at)
}

// goToMatch selects a match and says which one it is.
func (m *Model) goToMatch(at int) {
	at = (at + len(m.matches)) % len(m.matches)
	if m.inStory {
		m.story.cursor = m.matches[at].call
	} else {
		m.goToSpot(m.matches[at])
	}
	m.status = saysMatches.Format(m.options.Lang, at+1, len(m.matches))
}
