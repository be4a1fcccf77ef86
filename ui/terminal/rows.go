package terminal

import (
	"cmp"
	"slices"

	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
)

// A rowKind is the kind of content of a row.
type rowKind uint8

const (
	rowHeading rowKind = iota // the heading of a section
	rowStep
	rowLink    // leads to another section, which begins with a call made in this section
	rowText    // a line of a sentence below a heading
	rowRole    // a line of the role of a section without sentences
	rowFailure // a line of the error path, above the first heading
	rowStored  // a line about a change in etcd, above the first heading
	rowLast    // such a line at the end
)

// A row is a line of the tree.
type row struct {
	kind    rowKind
	section int32 // index of Story.Sections: the row's section or, for a link, its target
	call    int32 // the step's call; for a heading or a link, the first call of the section
	level   int32
	line    int32  // of the row's spot
	text    string // of a rowText, rowRole or rowFailure
	// folded counts the calls below that no row shows. For a closed heading, it
	// counts the hidden rows.
	folded int32
}

// isText reports whether the row is a line of a sentence.
func (r row) isText() bool {
	return r.kind == rowText || r.kind == rowRole || r.kind == rowFailure || r.kind == rowStored || r.kind == rowLast
}

// A spot is a call or, if line is negative, a line of text before the call. A search finds spots.
// The heading, the sentences and the role of a section are lines before its first call, and the
// last of them has the number -1. The lines above the first heading come before them. The lines
// at the end stand before the call with the number of all calls. Spots are sorted by call, so
// their order may differ from the order of the rows.
type spot struct{ call, line int }

func (s spot) compare(other spot) int {
	return cmp.Or(cmp.Compare(s.call, other.call), cmp.Compare(s.line, other.line))
}

// spotOf returns the spot that a row shows. The rows of a wrapped sentence have the same spot.
func (f *forest) spotOf(r row) spot {
	switch {
	case r.kind == rowLast:
		return spot{f.tree.Len(), int(r.line)}
	case r.line < 0:
		return spot{f.story.Sections[r.section].Root.Calls[0], int(r.line)}
	}
	return spot{call: int(r.call)}
}

// A line is a text before the first call of a section.
type line struct {
	kind rowKind
	view.TraceSentence
}

// linesOf returns the lines between the heading of a section and its first call.
func (f *forest) linesOf(section int) (lines []line) {
	if f.texts == nil {
		return nil
	}
	lines = linesAs(rowText, f.texts.Sections[section])
	if role := f.texts.Roles[section]; role != "" {
		lines = append(lines, line{rowRole, view.TraceSentence{Call: f.story.Sections[section].Root.Calls[0], Text: role}})
	}
	return lines
}

// head returns the lines above the first heading.
func (f *forest) head() (lines []line) {
	if f.texts == nil {
		return nil
	}
	lines = linesAs(rowFailure, f.texts.Failure)
	const few = 2 // changes that leave room for the tree
	if len(f.texts.Stored) <= few {
		lines = append(lines, linesAs(rowStored, f.texts.Stored)...)
	}
	return lines
}

// last returns the lines below the last section.
func (f *forest) last() []line {
	if f.texts == nil {
		return nil
	}
	return linesAs(rowLast, f.texts.Stored)
}

// linesAs returns sentences as lines of a kind.
func linesAs(kind rowKind, sentences []view.TraceSentence) (lines []line) {
	for _, s := range sentences {
		lines = append(lines, line{kind, s})
	}
	return lines
}

// A forest shows the calls of one request as rows. layout makes the rows in one pass
// over the calls, after rows are opened or closed. Moving the cursor only reads rows.
type forest struct {
	tree *trace.Tree
	// tickNs is the tick of the clock; see view.Signs.
	tickNs int64
	story  *view.Story
	// roots has, for each call, the section that begins with it, or -1.
	roots []int32
	// equal maps a call to the first of the equal calls that the view draws as
	// one step.
	equal map[int32]int32
	// functions are the names of the functions, each once. function has, for
	// each call, the index of its function.
	functions []string
	function  []int32
	key       []keyState // by function; unknown until isKey needs it
	openness
	only       []bool // the selected calls of a filter; nil without a filter
	everything bool

	texts *view.StoryTexts // nil in a comparison
	width int              // of the rows of texts, in columns

	rows []row
	at   []int32 // the row of a call, -1 if it has none
	// drawn maps a call to the first call of its row, even if the row is in a
	// closed part. It is -1 if no row shows the call.
	drawn []int32
	// together has the calls of each row with several calls,
	// by the row's first call.
	together map[int32][]int

	// described has the results of textOf, by the first call of the row.
	described map[int32]*view.StepText

	// Buffers of layout. They are kept to be used again.
	first     map[equalCalls]int32
	places    []place
	folded    []int32
	bySection [][]row
}

// An openness is the set of open rows of a forest.
type openness struct {
	// shown marks the calls of the view, and the calls that open and reveal have
	// added.
	shown []bool
	// apart marks the calls that the user has separated from equal calls.
	apart         []bool
	closed        []bool // by call: its steps are hidden
	closedSection []bool
}

func (o openness) clone() openness {
	return openness{slices.Clone(o.shown), slices.Clone(o.apart), slices.Clone(o.closed), slices.Clone(o.closedSection)}
}

// equalCalls identifies a row of equal calls: by the first call of the step in
// the view, and by the call above the row.
type equalCalls struct{ first, above int32 }

// A place is the position of a call in the tree, even if the call has no row.
type place struct {
	section, level, above int32 // above is the first call of the nearest row above
	hidden                bool
}

func newForest(story *view.Story, texts *view.StoryTexts) *forest {
	n := story.Tree.Len()
	f := &forest{tree: story.Tree, tickNs: story.Tree.Request.TickNs(), story: story, texts: texts, roots: make([]int32, n), equal: map[int32]int32{},
		function: make([]int32, n), at: make([]int32, n), drawn: make([]int32, n), together: map[int32][]int{}, described: map[int32]*view.StepText{}, first: map[equalCalls]int32{},
		openness: openness{make([]bool, n), make([]bool, n), make([]bool, n), make([]bool, len(story.Sections))}}
	known := map[string]int32{}
	for i := range n {
		f.roots[i] = -1
		name := f.tree.Call(i).Function
		number, ok := known[name]
		if !ok {
			number = int32(len(f.functions))
			known[name] = number
			f.functions = append(f.functions, name)
		}
		f.function[i] = number
	}
	f.key = make([]keyState, len(f.functions))
	for s, section := range story.Sections {
		f.roots[section.Root.Calls[0]] = int32(s)
	}
	f.choose(story.Root)
	f.layout()
	return f
}

func (f *forest) choose(n *view.Node) {
	for _, call := range n.Calls {
		f.shown[call] = true
		if len(n.Calls) > 1 {
			f.equal[int32(call)] = int32(n.Calls[0])
		}
	}
	for _, child := range n.Children {
		f.choose(child)
	}
}

// keyState caches whether a function is a key step.
type keyState uint8

const (
	keyUnknown keyState = iota
	keyYes
	keyNo
)

// isKey reports whether the function of call i is a key step. It keeps the
// answer, because the guides of all languages agree on it.
func (f *forest) isKey(i int, guide view.Guide) bool {
	known := &f.key[f.function[i]]
	if *known == keyUnknown {
		if *known = keyNo; guide.Key(f.functions[f.function[i]]) {
			*known = keyYes
		}
	}
	return *known == keyYes
}

// failed reports whether call i has an error or a panic, or is a step of the
// request's error path.
func (f *forest) failed(i int) bool {
	call := f.tree.Call(i)
	return call.Error != "" || call.Panic != "" || f.story.ErrorPath.At(i) != nil
}

// drawnIn returns the first call of the row that shows call i, or -1 if no row
// shows it. above is the first call of the nearest row above. If the row has
// several calls, drawnIn adds i to together.
func (f *forest) drawnIn(i, above int32) int32 {
	switch {
	case i == 0:
		return i
	case f.only != nil:
		if !f.only[i] {
			return -1
		}
		return i
	case f.everything:
		return i
	case !f.shown[i]:
		return -1
	}
	equal, ok := f.equal[i]
	if !ok {
		return i
	}
	calls := equalCalls{equal, above}
	if f.apart[i] {
		delete(f.first, calls) // the calls after it get a row below its row
		return i
	}
	first, ok := f.first[calls]
	if !ok {
		f.first[calls] = i
		return i
	}
	if f.together[first] == nil {
		f.together[first] = []int{int(first)}
	}
	f.together[first] = append(f.together[first], int(i))
	return first
}

// callsOf returns the calls of the row that begins with a call.
func (f *forest) callsOf(first int32) []int {
	if calls := f.together[first]; calls != nil {
		return calls
	}
	return []int{int(first)}
}

// textOf describes the row that begins with a call: its name, and the values that the
// rows above it do not have. It returns nil in a comparison.
func (f *forest) textOf(first int32) *view.StepText {
	if f.texts == nil {
		return nil
	}
	if known := f.described[first]; known != nil {
		return known
	}
	var above *view.StepText
	if up := f.places[first].above; up >= 0 {
		above = f.textOf(up)
	}
	text := f.texts.Step(f.callsOf(first), above)
	f.described[first] = text
	return text
}

// layout makes all rows again.
func (f *forest) layout() {
	n := f.tree.Len()
	if f.places == nil {
		f.places, f.folded, f.bySection = make([]place, n), make([]int32, n), make([][]row, len(f.story.Sections))
	}
	places, folded, bySection := f.places, f.folded, f.bySection
	clear(folded)
	clear(f.first)
	clear(f.together)
	clear(f.described)
	for s := range bySection {
		bySection[s] = bySection[s][:0]
	}
	f.rows = f.rows[:0]
	head := f.head()
	f.addLines(head, 0, -len(head)-1-len(f.linesOf(0)))
	for i := range n {
		f.at[i] = -1
		p := place{level: -1, above: -1}
		if parent := f.tree.Parent(i); parent >= 0 {
			p = places[parent]
			if above := f.drawn[parent]; above >= 0 {
				p = places[above]
				p.above = above
				p.hidden = p.hidden || f.closed[above]
			}
		}
		drawn := f.drawnIn(int32(i), p.above)
		f.drawn[i] = drawn
		has := drawn == int32(i)
		if s := f.roots[i]; s >= 0 && has {
			if i > 0 && !p.hidden && !f.tree.Call(i).Afterwards() { // no call above made it
				bySection[p.section] = append(bySection[p.section], row{kind: rowLink, section: s, call: int32(i), level: p.level + 1})
			}
			p.section, p.level, p.hidden = s, -1, false
		}
		if has {
			p.level++
			if !p.hidden {
				bySection[p.section] = append(bySection[p.section], row{kind: rowStep, section: p.section, call: int32(i), level: p.level})
			} else {
				folded[p.above]++
			}
		} else if p.above >= 0 && (drawn < 0 || p.hidden) {
			folded[p.above]++
		}
		places[i] = p
	}
	for s, rows := range bySection {
		if len(rows) == 0 {
			continue
		}
		root := int32(f.story.Sections[s].Root.Calls[0])
		lines := f.linesOf(s)
		f.rows = append(f.rows, row{kind: rowHeading, section: int32(s), call: root, line: int32(-len(lines) - 1)})
		if f.closedSection[s] {
			f.rows[len(f.rows)-1].folded = int32(len(rows))
			continue
		}
		f.addLines(lines, int32(s), -len(lines))
		for _, r := range rows {
			if r.kind == rowStep {
				r.folded = folded[r.call]
				f.at[r.call] = int32(len(f.rows))
			}
			f.rows = append(f.rows, r)
		}
	}
	last := f.last()
	f.addLines(last, int32(len(f.story.Sections)-1), -len(last))
}

// addLines adds the rows of some lines, of which a long one is wrapped. A row has its sentence's
// call. first is the number of the first line.
func (f *forest) addLines(lines []line, section int32, first int) {
	for i, l := range lines {
		for _, wrapped := range text.Wrap(text.Escape(l.Text), max(least, f.width)) {
			f.rows = append(f.rows, row{kind: l.kind, section: section, call: int32(l.Call), line: int32(first + i), text: wrapped})
		}
	}
}

// least is the least width of a sentence, in columns.
const least = 20

// rowOf returns the first row that shows a spot, or -1.
func (f *forest) rowOf(s spot) int {
	return slices.IndexFunc(f.rows, func(r row) bool { return r.kind != rowLink && f.spotOf(r) == s })
}

// setWidth wraps the sentences again if the width has changed.
func (f *forest) setWidth(columns int) (changed bool) {
	if f.width == columns {
		return false
	}
	f.width = columns
	f.layout()
	return true
}

// open opens a closed row. An open row of several calls becomes a row for each call.
// An open step gets rows for all calls that it made directly.
func (f *forest) open(r row) {
	switch {
	case r.kind == rowHeading:
		f.closedSection[r.section] = false
	case r.kind == rowLink, r.isText():
		return
	case f.closed[r.call]:
		f.closed[r.call] = false
	case f.together[r.call] != nil:
		for _, i := range f.together[r.call] {
			f.apart[i] = true
		}
	default:
		for child := range f.tree.Children(int(r.call)) {
			f.shown[child] = true
		}
	}
	f.layout()
}

// close hides the rows below a row. It reports whether it has hidden any.
func (f *forest) close(r row) bool {
	switch {
	case r.kind == rowHeading && !f.closedSection[r.section]:
		f.closedSection[r.section] = true
	case r.kind == rowStep && !f.closed[r.call] && f.opened(r):
		f.closed[r.call] = true
	default:
		return false
	}
	f.layout()
	return true
}

// opened reports whether the row after a step's row belongs to a callee.
func (f *forest) opened(r row) bool {
	next := int(f.at[r.call]) + 1
	return next < len(f.rows) && f.rows[next].kind != rowHeading && f.rows[next].level > r.level
}

// reveal gives a call a row, opens the rows that contain it, and leaves a filter
// that hides it. It returns the index of the row.
func (f *forest) reveal(call int) int {
	f.shown[call] = true
	if f.only != nil && !f.only[call] {
		f.only = nil
	}
	f.layout()
	for i := call; i >= 0; i = f.tree.Parent(i) {
		if f.drawn[i] >= 0 && f.drawn[i] != int32(i) {
			f.apart[i] = true
		}
		f.closed[i] = f.closed[i] && i == call
	}
	f.layout()
	if f.at[call] < 0 { // in a closed section
		clear(f.closedSection)
		f.layout()
	}
	return int(f.at[call])
}
