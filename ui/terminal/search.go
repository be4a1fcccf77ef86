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
}

func newIndex(f *forest, guide view.Guide) *index {
	x := &index{forest: f, functions: make([]string, len(f.functions)), texts: make([]string, f.tree.Len())}
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

// find returns the calls that have a text in their function's name, their attributes
// or their error. The text must be in lower case. find searches only the calls in the
// list of, or all calls if of is nil.
func (x *index) find(text string, of []int) []int {
	var found []int
	names := make([]bool, len(x.functions))
	for i, name := range x.functions {
		names[i] = strings.Contains(name, text)
	}
	look := func(i int) {
		if names[x.forest.function[i]] || x.texts[i] != "" && strings.Contains(x.texts[i], text) {
			found = append(found, i)
		}
	}
	if of != nil {
		for _, i := range of {
			look(i)
		}
		return found
	}
	for i := range x.texts {
		look(i)
	}
	return found
}

// buildIndex returns the command that builds the index of the shown tree.
func (m *Model) buildIndex() tea.Cmd {
	f, guide := m.forest, m.guide
	return func() tea.Msg { return indexed{newIndex(f, guide)} }
}

// startSearch lets the user type a search. Rows that a match opens are closed
// again at the next letter.
func (m *Model) startSearch() {
	m.mode, m.query, m.before, m.matches = modeSearch, "", m.selection(), nil
	m.opened = m.forest.openness.clone()
}

// selection returns the selected call or, in the story, the selected item.
func (m *Model) selection() int {
	if m.inStory {
		return m.story.cursor
	}
	return m.call()
}

// endSearch opens, closes and selects the rows as they were before the search.
func (m *Model) endSearch() {
	if m.inStory {
		m.story.cursor = m.before
		return
	}
	m.forest.openness = m.opened.clone()
	m.forest.layout()
	m.near(m.before)
}

// startFilter lets the user type a filter.
func (m *Model) startFilter() { m.mode, m.query, m.before, m.matches = modeFilter, "", m.call(), nil }

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

// search finds the calls or, in the story, the items that contain the query. If the query
// contains the previous query, only the previous calls are searched.
func (m *Model) search(before string) {
	query := strings.ToLower(m.query)
	switch {
	case query == "":
		m.matches = nil
	case m.inStory:
		m.matches = m.story.find(query)
	case before != "" && strings.Contains(query, strings.ToLower(before)):
		m.matches = m.searchIndex().find(query, append([]int{}, m.matches...))
	default:
		m.matches = m.searchIndex().find(query, nil)
	}
	if m.mode == modeFilter {
		m.filter()
		return
	}
	m.endSearch()
	m.status = ""
	m.toMatch(1)
}

// searchIndex returns the index of the shown tree. It builds the index if it is not ready.
func (m *Model) searchIndex() *index {
	if m.index == nil || m.index.forest != m.forest {
		m.index = newIndex(m.forest, m.guide)
	}
	return m.index
}

// filter shows only the matches.
func (m *Model) filter() {
	call := m.call()
	m.forest.only = nil
	if m.query != "" {
		m.forest.only = make([]bool, m.forest.tree.Len())
		for _, i := range m.matches {
			m.forest.only[i] = true
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
		call = m.before
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
	at, found := slices.BinarySearch(m.matches, m.selection())
	switch {
	case direction < 0:
		at--
	case found:
		at++
	}
	at = (at + len(m.matches)) % len(m.matches)
	if m.inStory {
		m.story.cursor = m.matches[at]
	} else {
		m.goTo(m.matches[at])
	}
	m.status = saysMatches.Format(m.options.Lang, at+1, len(m.matches))
}
