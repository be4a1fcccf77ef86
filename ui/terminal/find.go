package terminal

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/search"
)

// A Found is a result of Library.Find.
type Found struct {
	// Title describes the result in a line.
	Title string
	// Places are the recordings with calls that are the result, older releases first. Is
	// reports whether a call is one of them.
	Places []search.Place
	Is     func(*trace.Call) bool
	// Command shows a result that is in no recording. Text returns what it prints; without Text,
	// the model only names the command.
	Command string
	Text    func(lang string) (string, error)
}

type (
	// searched is the message that a search in everything has ended.
	searched struct {
		found []Found
		err   error
	}
	// located is the message that a draft is ready. The call is selected in it.
	located struct {
		drafted
		call int
	}
	// printed is the message that the text of a result is ready.
	printed struct {
		text string
		err  error
	}
)

// startFind lets the user type a search in everything.
func (m *Model) startFind() { m.mode, m.wanted = modeFind, "" }

// typedFind edits the query of a search in everything. Enter searches.
func (m *Model) typedFind(key, text string) tea.Cmd {
	switch key {
	case "esc":
		m.mode = modeTree
	case "enter":
		if m.mode = modeTree; m.wanted != "" {
			query, lib, lang := m.wanted, m.lib, m.options.Lang
			return m.start(saysFinding, query, func(context.Context) tea.Msg {
				found, err := lib.Find(query, lang)
				return searched{found, err}
			})
		}
	default:
		m.wanted = typedInto(m.wanted, key, text)
	}
	return nil
}

// pickFound lets the user choose a result. It opens the recording at the first call that is
// the result, shows the text of the result, or names the command that shows it.
func (m *Model) pickFound(found []Found) {
	all := make([]string, len(found))
	for i, f := range found {
		if all[i] = f.Title; len(f.Places) > 0 {
			p := m.nearest(f.Places)
			all[i] += "  " + p.Scenario + " " + p.Release
		}
	}
	m.pick(all, -1, func(m *Model, chosen int) tea.Cmd {
		f := found[chosen]
		if f.Text != nil {
			lang := m.options.Lang
			return m.start(saysLoading, f.Title, func(context.Context) tea.Msg {
				text, err := f.Text(lang)
				return printed{text, err}
			})
		}
		if len(f.Places) == 0 {
			m.status = saysCommand.Format(m.options.Lang, f.Command)
			return nil
		}
		return m.locate(m.nearest(f.Places), f.Is)
	})
}

// nearest returns the shown recording if it is one of the places. Otherwise it returns a place
// of the shown release, or else one of the newest release.
func (m *Model) nearest(places []search.Place) search.Place {
	here := search.Place{Release: m.rec.K8sVersion, Scenario: m.rec.Scenario}
	if slices.Contains(places, here) {
		return here
	}
	if i := slices.IndexFunc(places, func(p search.Place) bool { return p.Release == here.Release }); i >= 0 {
		return places[i]
	}
	return places[len(places)-1]
}

// locate opens a recording at the first call that is wanted.
func (m *Model) locate(place search.Place, is func(*trace.Call) bool) tea.Cmd {
	d, shown := m.drafter(), m.rec
	return m.start(saysLoading, place.Scenario+" "+place.Release, func(context.Context) tea.Msg {
		rec := shown
		if rec.Scenario != place.Scenario || rec.K8sVersion != place.Release {
			var err error
			if rec, err = d.lib.Load(place.Scenario, place.Release); err != nil {
				return drafted{err: err}
			}
		}
		for i := range rec.Requests {
			calls := rec.Requests[i].Calls
			if call := slices.IndexFunc(calls, func(c trace.Call) bool { return is(&c) }); call >= 0 {
				tree, err := d.requestTree(rec, i)
				return located{drafted{tree, err}, call}
			}
		}
		tree, err := d.requestTree(rec, 0)
		tree.status = saysNone.In(d.options.Lang)
		return drafted{tree, err}
	})
}

// showLocated shows a draft, and selects its call.
func (m *Model) showLocated(l located) {
	if m.take(l.draft, l.err); l.err == nil {
		m.inStory = false
		m.goTo(l.call)
		m.showBelow()
	}
}
