package terminal

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/step"
	"github.com/kubeapitrace/apitrace/view"
)

// A pane is the kind of content beside the tree.
type pane int

const (
	paneNone pane = iota
	paneSource
	paneValues
	paneNotes
	paneJSON
)

// The limits for the size of a pane or of the lower part, in percent of the
// screen.
const leastShare, mostShare = 20, 80

// A mode says which part of the screen gets the keys.
type mode int

const (
	modeTree mode = iota // the tree or, with Model.inStory, the story
	modeSearch
	modeFilter
	modeFind
	modeHelp
	modeText // Model.text
	modePick
)

// Options set the initial state of a Model.
type Options struct {
	Lang string
	// Colour is set if the terminal shows colours.
	Colour bool
	ASCII  bool
	// Steps is the maximum number of steps of a request at first,
	// as in view.Choice.Most.
	Steps int
	// Now is the clock. nil is the clock of the machine.
	Now func() time.Time
}

// A Model is the state of the full-screen view. Update returns the next state.
type Model struct {
	lib     Library
	options Options
	palette render.Palette

	rec     *trace.Recording
	guide   view.Guide
	request int // index of rec.Requests or, in a comparison, of compared.Requests
	forest  *forest
	cursor  int // index of forest.rows
	top     int // the first row on the screen
	// untouched is set until the user presses a key or uses the mouse,
	// or goTo selects a call.
	untouched bool
	walker    step.Walker
	at        step.Position
	stepped   bool // whether at is the result of a step
	marks     map[int]bool
	errorAt   int // the index of the error that toError went to last

	story   *storyList // of rec; nil if it has none
	inStory bool       // whether the story is shown, not the tree

	width, height int
	mode          mode
	pane          pane
	share         int // of the pane in the width, in percent
	belowShare    int // of the part below the tree in the height, in percent
	below         bool
	belowScroll   int
	scroll        int // of the pane, the help or the text
	shift         int // columns that the source is scrolled to the right
	mouse         bool
	status        string

	wanted   string // the text of a search in everything
	query    string
	matches  []spot   // in the story, the calls are items
	before   spot     // the selection before the search
	opened   openness // the opened and closed rows before the search
	index    *index   // nil until it is built
	indexing *forest  // the forest of the last index that was begun

	picker picker
	text   string // the lines of modeText
	job    *job   // nil if none is running

	compared   *comparison // nil for a tree of one recording
	sideBySide bool
	hunks      map[hunkKey]hunkText

	sources sourceCache

	// nested is set if the request was opened from a list. left is set when the
	// user goes back to the list.
	nested, left bool
	live         *trace.Recording // the recording of the last replay
}

// New returns a model that shows the story of a recording or, without a story, the first
// request. It is an error if the recording has no request.
func New(lib Library, rec *trace.Recording, o Options) (*Model, error) {
	m := &Model{lib: lib, options: o, width: 80, height: 24, share: 50, belowShare: 40, mouse: true, marks: map[int]bool{}, sources: sourceCache{}, hunks: map[hunkKey]hunkText{}}
	if o.Now == nil {
		m.options.Now = time.Now
	}
	if o.Colour {
		m.palette = render.Colours()
	}
	d, err := m.drafter().requestTree(rec, 0)
	if err != nil {
		return nil, err
	}
	m.show(d)
	return m, nil
}

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd { return m.background() }

// The messages of two commands: the editor has ended, and an index is built.
type (
	edited  struct{ err error }
	indexed struct{ index *index }
)

// Update implements tea.Model.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	if done, ok := msg.(finished); ok {
		if done.job != m.job {
			return m, nil // the job was cancelled or replaced
		}
		m.job = nil
		msg = done.result
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		if m.untouched {
			m.begin()
		}
		m.top = min(m.top, m.cursor-m.treeHeight()/2) // a larger screen shows more rows above, too
	case tea.KeyPressMsg:
		m.untouched = false
		cmd = m.key(msg)
	case tea.MouseWheelMsg:
		m.untouched = false
		m.wheel(msg)
	case tea.MouseClickMsg:
		m.untouched = false
		m.click(msg)
	case ticked:
		if msg.job == m.job {
			cmd = m.job.tick()
		}
	case drafted:
		m.status = ""
		m.take(msg.draft, msg.err)
	case searched:
		if m.status = ""; msg.err != nil {
			m.status = m.errorText(msg.err)
		} else {
			m.pickFound(msg.found)
		}
	case printed:
		if m.status = ""; msg.err != nil {
			m.status = m.errorText(msg.err)
		} else {
			m.mode, m.text, m.scroll = modeText, msg.text, 0
		}
	case located:
		m.showLocated(msg)
	case hunked:
		m.hunks[msg.key] = msg.text
	case indexed:
		if msg.index.forest == m.forest && m.index == nil {
			m.index = msg.index
		}
	case edited:
		if msg.err != nil {
			m.status = m.errorText(msg.err)
		}
	}
	m.follow()
	return m, tea.Batch(cmd, m.background())
}

// background returns the commands that prepare data for the screen or the next
// keys: the search index of a new tree, and the diff of a function.
func (m *Model) background() tea.Cmd {
	var index tea.Cmd
	if m.indexing != m.forest {
		m.indexing = m.forest
		index = m.buildIndex()
	}
	return tea.Batch(index, m.compareSource())
}

// nameOf returns the name of a recording: its release, and whether it was just replayed.
func (m *Model) nameOf(rec *trace.Recording) string {
	if rec == m.live {
		return saysNowOf.Format(m.options.Lang, rec.K8sVersion)
	}
	return rec.K8sVersion
}

// row returns the row under the cursor.
func (m *Model) row() row { return m.forest.rows[max(0, min(m.cursor, len(m.forest.rows)-1))] }

// call returns the selected call.
func (m *Model) call() int { return int(m.row().call) }

// goTo selects a call. A call without a row of its own gets one.
func (m *Model) goTo(call int) {
	if at := m.forest.at[call]; at >= 0 {
		m.cursor = int(at)
	} else {
		m.cursor = m.forest.reveal(call)
	}
	m.scroll, m.belowScroll, m.untouched = 0, 0, false
}

// goToSpot selects a call or a line.
func (m *Model) goToSpot(s spot) {
	if s.line == 0 {
		m.goTo(s.call)
		return
	}
	f := m.forest
	at := f.rowOf(s)
	if at < 0 { // hidden by a filter, or in a closed section
		f.only = nil
		f.closedSection[f.roots[s.call]] = false
		f.layout()
		at = f.rowOf(s)
	}
	m.cursor = max(0, at)
	m.scroll, m.belowScroll, m.untouched = 0, 0, false
	m.showBelow()
}

// follow scrolls to the cursor. If the cursor is more than a screen away, it comes to
// the middle of the screen.
func (m *Model) follow() {
	if m.inStory {
		m.story.draw(m.options, m.palette, m.width)
		m.story.follow(m.storyHeight())
	}
	if r := m.row(); m.forest.setWidth(m.textWidth()) {
		m.stay(r)
	}
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

// treeHeight returns the height of the tree in lines.
func (m *Model) treeHeight() int { return max(1, m.height-3-m.belowHeight()) }

// belowHeight returns the height of the part below the tree in lines, including the
// separator line. It returns 0 if the part is not shown.
func (m *Model) belowHeight() int {
	if !m.below || m.compared == nil || m.mode != modeTree && m.mode != modeSearch && m.mode != modeFilter {
		return 0
	}
	return max(3, (m.height-3)*m.belowShare/100)
}
