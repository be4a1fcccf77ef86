package terminal

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/step"
	"github.com/kubeapitrace/apitrace/view"
)

// A drafter prepares trees. It copies the fields of a Model that it needs, so
// it can work in the background while keys change the model.
type drafter struct {
	lib     Library
	options Options
	palette render.Palette
}

func (m *Model) drafter() drafter { return drafter{m.lib, m.options, m.palette} }

// A draft is a tree that is ready to be shown.
type draft struct {
	rec      *trace.Recording
	guide    view.Guide
	request  int
	compared *comparison
	forest   *forest
	// live is set if rec was replayed just now.
	live bool
	// status is a message about the draft for the status line.
	status string
}

// drafted is the message that a draft is ready, or could not be prepared.
type drafted struct {
	draft draft
	err   error
}

// requestTree prepares the tree of a request.
func (d drafter) requestTree(rec *trace.Recording, request int) (draft, error) {
	if request >= len(rec.Requests) {
		return draft{}, message.Errorf("the recording has no request %d", request+1)
	}
	guide, err := d.lib.Guide(d.options.Lang, rec)
	if err != nil {
		return draft{}, err
	}
	tree := trace.TreeOfValid(&rec.Requests[request])
	story := view.Tell(view.NewView(tree, guide, view.Choice{Most: d.options.Steps}))
	return draft{rec: rec, guide: guide, request: request, forest: newForest(story, d.texts(rec, story, guide))}, nil
}

func (d drafter) texts(rec *trace.Recording, story *view.Story, guide view.Guide) *view.StoryTexts {
	texts := view.NewStoryTexts(rec, story, guide, view.Options{ASCII: d.options.ASCII, Lang: d.options.Lang})
	for i, role := range texts.Roles {
		if role != "" {
			texts.Roles[i] = saysRole.Format(d.options.Lang, role)
		}
	}
	return texts
}

// comparison compares two recordings, of which one is shown. It prepares the pair with the
// given request of the shown one. If the other side lacks the request, it prepares the
// first pair that both sides have.
func (d drafter) comparison(a, b *trace.Recording, nameA, nameB string, shown *trace.Recording, request int) (draft, error) {
	c := &comparison{Comparison: diff.CompareRecordings(a, b, diff.Options{}), nameA: nameA, nameB: nameB, shown: shown}
	guide, err := d.lib.Guide(d.options.Lang, a, b)
	if err != nil {
		return draft{}, err
	}
	c.comparer, err = view.NewComparer(c.Comparison, guide, view.ComparisonOptions{
		Options: view.Options{ASCII: d.options.ASCII, Lang: d.options.Lang}, NameA: nameA, NameB: nameB,
	})
	if err != nil {
		return draft{}, err
	}
	for i := range c.Requests {
		if pair := &c.Requests[i]; pair.Diff != nil && requestIn(shown, pair) == request {
			return d.pair(c, i)
		}
	}
	return d.nextPair(c, -1)
}

// nextPair prepares the next pair of requests that both sides have, after the
// given pair. It wraps around the end.
func (d drafter) nextPair(c *comparison, after int) (draft, error) {
	for n := range c.Requests {
		if i := (after + 1 + n) % len(c.Requests); c.Requests[i].Diff != nil {
			return d.pair(c, i)
		}
	}
	return draft{}, errors.New(saysNoPair.In(d.options.Lang))
}

// pair prepares a pair of requests of a comparison as one tree.
func (d drafter) pair(c *comparison, pair int) (draft, error) {
	guide, err := d.lib.Guide(d.options.Lang, c.A, c.B)
	if err != nil {
		return draft{}, err
	}
	shown := *c
	shown.pair = pair
	shown.view = c.comparer.Pair(pair).MergedTree()
	return draft{
		rec: c.shown, guide: guide, request: pair, compared: &shown, forest: newForest(shown.view.Story, nil),
		status: saysChanges.Format(d.options.Lang, len(shown.view.Changes)),
	}, nil
}

// show shows a draft. If the scenario stays the same, the selected
// function stays selected. Another recording begins with its story, unless the
// user has left the story of the same scenario.
func (m *Model) show(d draft) {
	selected, entered := "", d.compared != nil && m.compared == nil
	begins := true // with the story, if there is one
	if m.rec != nil && m.rec.Scenario == d.rec.Scenario {
		selected, begins = m.selectedFunction(), m.inStory
	}
	if m.inStory = false; d.rec != m.rec {
		m.story = newStoryList(d.rec, d.guide, m.options.Lang)
		m.inStory = begins && m.story != nil && d.compared == nil
	}
	if d.live {
		m.live = d.rec
	}
	m.rec, m.guide, m.request, m.compared, m.forest, m.status = d.rec, d.guide, d.request, d.compared, d.forest, d.status
	m.below = m.compared != nil && (m.below || entered)
	m.walker, m.at, m.stepped = step.Walker{Tree: m.forest.tree}, step.Position{}, false
	m.scroll, m.belowScroll, m.query, m.matches, m.marks, m.index = 0, 0, "", nil, map[int]bool{}, nil
	m.begin()
	if selected != "" {
		m.selectFunction(selected)
		m.untouched = false
	}
}

// begin shows the tree from its first row on.
func (m *Model) begin() {
	m.forest.setWidth(m.textWidth())
	m.top, m.cursor, m.untouched = 0, m.firstRow(), true
}

// firstRow returns the row to select at first: the first row of the error path or,
// without an error path, the first step. If the first screen has no such row, it
// returns 0, the top row. In a comparison, it returns the first change.
func (m *Model) firstRow() int {
	if m.compared != nil {
		if at := m.firstChange(); at >= 0 {
			return at
		}
	}
	for i, r := range m.forest.rows[:min(len(m.forest.rows), m.treeHeight())] {
		if r.kind == rowStep || r.kind == rowFailure {
			return i
		}
	}
	return 0
}

// take shows a draft or, if err is not nil, the text of the error.
func (m *Model) take(d draft, err error) {
	if err != nil {
		m.status = m.errorText(err)
		return
	}
	m.show(d)
}

// load loads another recording. It shows the first request or, if a tree of the same
// scenario was shown, the request with the same index.
func (m *Model) load(scenario, release string) tea.Cmd {
	d, request := m.drafter(), 0
	if scenario == m.rec.Scenario && m.compared == nil {
		request = m.request
	}
	return m.start(saysLoading, scenario+" "+release, func(context.Context) tea.Msg {
		rec, err := d.lib.Load(scenario, release)
		if err != nil {
			return drafted{err: err}
		}
		shown, err := d.requestTree(rec, min(request, len(rec.Requests)-1))
		return drafted{shown, err}
	})
}

// compareWith compares the shown recording with the recording of another release. The
// newer release is side B.
func (m *Model) compareWith(release string) tea.Cmd {
	d, rec, name, request := m.drafter(), m.rec, m.nameOf(m.rec), m.shownRequest()
	all := m.lib.Releases() // the newest first
	newer := slices.Index(all, release) < slices.Index(all, rec.K8sVersion)
	return m.start(saysComparing, rec.Scenario+" "+release, func(context.Context) tea.Msg {
		other, err := d.lib.Load(rec.Scenario, release)
		if err != nil {
			return drafted{err: err}
		}
		var shown draft
		if newer {
			shown, err = d.comparison(rec, other, name, other.K8sVersion, rec, request)
		} else {
			shown, err = d.comparison(other, rec, other.K8sVersion, name, rec, request)
		}
		return drafted{shown, err}
	})
}

// replay replays the scenario on the running server. It shows the differences or,
// if the path is the same, the new tree.
func (m *Model) replay() tea.Cmd {
	d, was, request := m.drafter(), m.rec, m.shownRequest()
	return m.start(saysReplaying, was.Scenario, func(ctx context.Context) tea.Msg {
		rec, err := d.lib.Replay(ctx, was.Scenario, was.K8sVersion)
		if err != nil {
			return drafted{err: err}
		}
		shown, err := d.comparison(was, rec, saysShown.In(d.options.Lang), saysNow.In(d.options.Lang), rec, request)
		if err == nil && shown.compared.Same() {
			if shown, err = d.requestTree(rec, min(request, len(rec.Requests)-1)); err == nil {
				shown.status = saysSamePath.Format(d.options.Lang, shown.forest.tree.Len())
			}
		}
		shown.live = true
		return drafted{shown, err}
	})
}
