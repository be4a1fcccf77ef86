package terminal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// A picker lets the user choose one of several names.
type picker struct {
	all    []string
	query  string
	cursor int
	then   func(m *Model, chosen int) tea.Cmd // chosen is an index of all
}

// list returns the indexes of the names that contain the typed text.
func (p *picker) list() []int {
	var found []int
	for i, name := range p.all {
		if holds(name, strings.ToLower(p.query)) {
			found = append(found, i)
		}
	}
	return found
}

func (p *picker) move(by int) { p.cursor = max(0, min(len(p.list())-1, p.cursor+by)) }

// pick lets the user choose one of several names. The cursor begins at the name with the
// index now, or at the first name if now is -1.
func (m *Model) pick(all []string, now int, then func(*Model, int) tea.Cmd) {
	m.mode, m.picker = modePick, picker{all: all, cursor: max(0, now), then: then}
}

func (m *Model) pickScenario() {
	all := m.lib.Scenarios()
	m.pick(all, slices.Index(all, m.rec.Scenario), func(m *Model, chosen int) tea.Cmd { return m.load(all[chosen], m.rec.K8sVersion) })
}

func (m *Model) pickRelease() {
	all := m.lib.Releases()
	m.pick(all, slices.Index(all, m.rec.K8sVersion), func(m *Model, chosen int) tea.Cmd { return m.load(m.rec.Scenario, all[chosen]) })
}

// pickRequest lets the user choose a request or event of the recording. Several may have the
// same title.
func (m *Model) pickRequest() {
	all := make([]string, len(m.rec.Requests))
	for i := range all {
		r := &m.rec.Requests[i]
		status := "-"
		if r.Status > 0 {
			status = strconv.Itoa(r.Status)
		}
		all[i] = fmt.Sprintf("%4d %3s  %s %s", i+1, status, r.Method, r.Path)
	}
	m.pick(all, m.shownRequest(), func(m *Model, chosen int) tea.Cmd {
		m.take(m.drafter().requestTree(m.rec, chosen))
		return nil
	})
}

func (m *Model) picked(key, text string) tea.Cmd {
	p := &m.picker
	list := p.list()
	switch key {
	case "esc":
		m.mode = modeTree
	case "enter":
		if m.mode = modeTree; p.cursor < len(list) {
			return p.then(m, list[p.cursor])
		}
	case "up":
		p.move(-1)
	case "down":
		p.move(1)
	default:
		if query := typedInto(p.query, key, text); query != p.query {
			p.query, p.cursor = query, 0
		}
	}
	return nil
}
