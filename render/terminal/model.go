package terminal

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/render/view"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/step"
)

// A pane is what stands beside the tree.
type pane int

const (
	paneNone pane = iota
	paneSource
	paneValues
	paneNotes
	paneJSON
)

// A mode says where keys go.
type mode int

const (
	modeTree mode = iota
	modeSearch
	modeFilter
	modeHelp
	modePick
	modeText // a text that can be scrolled
)

// Options say how a Model begins.
type Options struct {
	Lang string
	// Colour is set where the terminal shows colours.
	Colour bool
	ASCII  bool
	// Steps is how many steps a request shows at first, as render's text does.
	Steps int
}

// A Model is the state of the full-screen view. Update returns the next one.
type Model struct {
	lib     Library
	options Options
	palette render.Palette

	rec     *trace.Recording
	guide   view.Guide
	request int // index of rec.Requests
	forest  *forest
	cursor  int // index of forest.rows
	top     int // the first row on the screen
	walker  step.Walker
	at      step.Position
	stepped bool // whether at is where the cursor is
	marks   map[int]bool

	width, height int
	mode          mode
	pane          pane
	share         int // of the width that the pane has, in percent
	scroll        int // of the pane, the help or the text
	mouse         bool
	status        string

	query   string
	matches []int
	before  int      // the call that was selected before the search
	opened  openness // what was open before it
	index   *index   // nil until it is built

	picker picker
	text   []string
	other  *trace.Recording // that was compared last
	side   bool

	sources sourceCache
}

// New returns the model of a recording.
func New(lib Library, rec *trace.Recording, o Options) (*Model, error) {
	m := &Model{lib: lib, options: o, width: 80, height: 24, share: 50, mouse: true, marks: map[int]bool{}, sources: sourceCache{}}
	if o.Colour {
		m.palette = render.Colours()
	}
	return m, m.show(rec, 0)
}

// show takes another recording, or another request of it.
func (m *Model) show(rec *trace.Recording, request int) error {
	guide, err := m.lib.Guide(rec, m.options.Lang)
	if err != nil {
		return err
	}
	if request >= len(rec.Requests) {
		return fmt.Errorf("the recording has no request %d", request+1)
	}
	tree := trace.TreeOfValid(&rec.Requests[request])
	story := view.Tell(view.NewView(tree, guide, view.Choice{Most: m.options.Steps}))
	m.rec, m.guide, m.request, m.forest = rec, guide, request, newForest(story)
	m.walker, m.at, m.stepped = step.Walker{Tree: tree}, step.Position{}, false
	m.cursor, m.top, m.scroll, m.matches, m.marks = min(1, len(m.forest.rows)-1), 0, 0, nil, map[int]bool{}
	m.index = nil
	return nil
}

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd { return m.buildIndex() }

// messages of commands
type (
	loaded struct {
		rec      *trace.Recording
		err      error
		replayed bool
	}
	compared struct {
		text  []string
		other *trace.Recording
		err   error
	}
	edited  struct{ err error }
	indexed struct{ index *index }
)

// Update implements tea.Model.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		return m, m.key(msg)
	case tea.MouseWheelMsg:
		m.wheel(msg)
	case tea.MouseClickMsg:
		m.click(msg.X, msg.Y)
	case loaded:
		m.take(msg)
	case compared:
		if m.status = ""; msg.err != nil {
			m.status = msg.err.Error()
		} else {
			m.mode, m.text, m.other, m.scroll = modeText, msg.text, msg.other, 0
		}
	case indexed:
		if msg.index.forest == m.forest && m.index == nil {
			m.index = msg.index
		}
	case edited:
		if msg.err != nil {
			m.status = msg.err.Error()
		}
	}
	m.follow()
	return m, nil
}

func (m *Model) take(msg loaded) {
	before := m.forest.tree.Len()
	m.status = ""
	err := msg.err
	if err == nil {
		err = m.show(msg.rec, min(m.request, len(msg.rec.Requests)-1))
	}
	switch {
	case err != nil:
		m.status = err.Error()
	case msg.replayed:
		m.status = saysReplayed.Format(m.options.Lang, m.forest.tree.Len(), before)
	}
}

func (m *Model) load(scenario, release string) tea.Cmd {
	m.status = saysLoading.Format(m.options.Lang, scenario+" "+release)
	return func() tea.Msg {
		rec, err := m.lib.Load(scenario, release)
		return loaded{rec: rec, err: err}
	}
}

func (m *Model) replay() tea.Cmd {
	scenario, release := m.rec.Scenario, m.rec.K8sVersion
	m.status = saysReplaying.Format(m.options.Lang, scenario)
	return func() tea.Msg {
		rec, err := m.lib.Replay(context.Background(), scenario, release)
		return loaded{rec: rec, err: err, replayed: true}
	}
}

// row returns the row under the cursor.
func (m *Model) row() row { return m.forest.rows[m.cursor] }

// call returns the call that is selected.
func (m *Model) call() int { return int(m.row().call) }

// goTo selects a call, and gives it a row if it has none.
func (m *Model) goTo(call int) {
	if at := m.forest.at[call]; at >= 0 {
		m.cursor = int(at)
	} else {
		m.cursor = m.forest.reveal(call)
	}
	m.scroll = 0
}

// follow keeps the cursor on the screen, in the middle if it jumped.
func (m *Model) follow() {
	m.cursor = max(0, min(m.cursor, len(m.forest.rows)-1))
	height := m.treeHeight()
	switch {
	case m.cursor < m.top-height || m.cursor >= m.top+2*height:
		m.top = m.cursor - height/2
	case m.cursor < m.top:
		m.top = m.cursor
	case m.cursor >= m.top+height:
		m.top = m.cursor - height + 1
	}
	m.top = max(0, min(m.top, len(m.forest.rows)-height))
}

func (m *Model) treeHeight() int { return max(1, m.height-3) }
