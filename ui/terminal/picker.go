package terminal

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// A picker lets the user choose one of several names.
type picker struct {
	all    []string
	query  string
	cursor int
	then   func(m *Model, chosen string) tea.Cmd
}

// list returns the names that contain the typed text.
func (p *picker) list() []string {
	var all []string
	for _, name := range p.all {
		if strings.Contains(strings.ToLower(name), strings.ToLower(p.query)) {
			all = append(all, name)
		}
	}
	return all
}

func (p *picker) move(by int) { p.cursor = max(0, min(len(p.list())-1, p.cursor+by)) }

func (m *Model) pick(all []string, now string, then func(*Model, string) tea.Cmd) {
	m.mode, m.picker = modePick, picker{all: all, then: then}
	for i, name := range all {
		if name == now {
			m.picker.cursor = i
		}
	}
}

func (m *Model) pickScenario() {
	m.pick(m.lib.Scenarios(), m.rec.Scenario, func(m *Model, chosen string) tea.Cmd {
		return m.load(chosen, m.rec.K8sVersion)
	})
}

func (m *Model) pickRelease() {
	m.pick(m.lib.Releases(), m.rec.K8sVersion, func(m *Model, chosen string) tea.Cmd { return m.load(m.rec.Scenario, chosen) })
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
	case "backspace":
		if runes := []rune(p.query); len(runes) > 0 {
			p.query, p.cursor = string(runes[:len(runes)-1]), 0
		}
	default:
		if text != "" {
			p.query, p.cursor = p.query+text, 0
		}
	}
	return nil
}
