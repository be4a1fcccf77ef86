package terminal

import (
	"github.com/kubeapitrace/apitrace/render/view"
	"github.com/kubeapitrace/apitrace/trace"
)

// A rowKind says what stands on a row.
type rowKind uint8

const (
	rowHeading rowKind = iota // of a section
	rowStep
	rowLink // to a section that begins with a call of this one
)

// A row is a line of the tree.
type row struct {
	kind    rowKind
	section int32 // index of Story.Sections: the one that the row is in, of a link the one it leads to
	call    int32 // the section's first call, the step's, the linked section's first
	level   int32
	// folded counts the calls below that are on no row of their own.
	folded int32
	equal  int32 // how many equal calls the row stands for
}

// A forest is the calls of one request as rows. A change of what is open costs one pass over the
// calls; everything else is a look at rows.
type forest struct {
	tree  *trace.Tree
	story *view.Story
	// roots are the sections that begin with a call.
	roots map[int]int
	// merged are the calls that are drawn as one with the call before; their number by the first of them.
	merged []bool
	equal  map[int]int
	// chosen are the calls that the view shows; shown are those and what was opened since.
	chosen, shown []bool
	closed        []bool // by call: its steps are hidden
	closedSection []bool
	only          []bool // what a filter lets through, nil if there is none
	everything    bool

	rows []row
	at   []int32 // the row of a call, -1 if it has none

	// What layout works with, kept for the next time.
	places    []place
	folded    []int32
	bySection [][]row
}

// A place is where a call stands, whether or not it has a row.
type place struct {
	section, level, above int32 // above is the nearest call above that may have a row
	hidden                bool
}

func newForest(story *view.Story) *forest {
	n := story.Tree.Len()
	f := &forest{tree: story.Tree, story: story, roots: map[int]int{}, merged: make([]bool, n), equal: map[int]int{},
		chosen: make([]bool, n), shown: make([]bool, n), closed: make([]bool, n), closedSection: make([]bool, len(story.Sections)), at: make([]int32, n)}
	for s, section := range story.Sections {
		f.roots[section.Root.Calls[0]] = s
	}
	f.choose(story.Root)
	copy(f.shown, f.chosen)
	f.layout()
	return f
}

func (f *forest) choose(n *view.Node) {
	for i, call := range n.Calls {
		f.chosen[call] = true
		if i > 0 {
			f.merged[call] = true
		}
	}
	if len(n.Calls) > 1 {
		f.equal[n.Calls[0]] = len(n.Calls)
	}
	for _, child := range n.Children {
		f.choose(child)
	}
}

// has reports whether a call may have a row.
func (f *forest) has(i int) bool {
	switch {
	case i == 0:
		return true
	case f.only != nil:
		return f.only[i]
	case f.everything:
		return true
	}
	return f.shown[i] && !f.merged[i]
}

// layout makes the rows anew.
func (f *forest) layout() {
	n := f.tree.Len()
	if f.places == nil {
		f.places, f.folded, f.bySection = make([]place, n), make([]int32, n), make([][]row, len(f.story.Sections))
	}
	places, folded, bySection := f.places, f.folded, f.bySection
	clear(folded)
	for s := range bySection {
		bySection[s] = bySection[s][:0]
	}
	f.rows = f.rows[:0]
	for i := range n {
		f.at[i] = -1
		p := place{level: -1, above: -1}
		if parent := f.tree.Parent(i); parent >= 0 {
			p = places[parent]
			if f.has(parent) {
				p.above = int32(parent)
				p.hidden = p.hidden || f.closed[parent]
			}
		}
		if s, root := f.roots[i]; root && f.has(i) {
			if i > 0 && !p.hidden {
				bySection[p.section] = append(bySection[p.section], row{kind: rowLink, section: int32(s), call: int32(i), level: p.level + 1})
			}
			p.section, p.level, p.hidden = int32(s), -1, false
		}
		if f.has(i) {
			p.level++
			if !p.hidden {
				bySection[p.section] = append(bySection[p.section], row{kind: rowStep, section: p.section, call: int32(i), level: p.level, equal: int32(max(1, f.equal[i]))})
			} else {
				folded[p.above]++
			}
		} else if p.above >= 0 {
			folded[p.above]++
		}
		places[i] = p
	}
	for s, rows := range bySection {
		if len(rows) == 0 {
			continue
		}
		root := int32(f.story.Sections[s].Root.Calls[0])
		f.rows = append(f.rows, row{kind: rowHeading, section: int32(s), call: root})
		if f.closedSection[s] {
			f.rows[len(f.rows)-1].folded = int32(len(rows))
			continue
		}
		for _, r := range rows {
			if r.kind == rowStep {
				r.folded = folded[r.call]
				f.at[r.call] = int32(len(f.rows))
			}
			f.rows = append(f.rows, r)
		}
	}
}

// open shows more of a row: what was closed or, of an open step, the calls that it made.
func (f *forest) open(r row) {
	switch {
	case r.kind == rowHeading:
		f.closedSection[r.section] = false
	case r.kind == rowLink:
		return
	case f.closed[r.call]:
		f.closed[r.call] = false
	default:
		call := int(r.call)
		for i := call + 1; r.equal > 1 && i < f.tree.End(f.tree.Parent(call)); i = f.tree.End(i) {
			f.merged[i] = false
		}
		delete(f.equal, call)
		for child := range f.tree.Children(call) {
			f.shown[child] = true
		}
	}
	f.layout()
}

// close hides what is below a row. It reports whether there was anything to hide.
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

// opened reports whether the row after a step is one below it.
func (f *forest) opened(r row) bool {
	next := int(f.at[r.call]) + 1
	return next < len(f.rows) && f.rows[next].kind != rowHeading && f.rows[next].level > r.level
}

// reveal gives a call a row, and opens what it is in.
func (f *forest) reveal(call int) int {
	f.shown[call], f.merged[call] = true, false
	if f.only != nil && !f.only[call] {
		f.only = nil
	}
	for i := f.tree.Parent(call); i >= 0; i = f.tree.Parent(i) {
		f.closed[i] = false
	}
	f.layout()
	if f.at[call] < 0 { // in a closed section
		clear(f.closedSection)
		f.layout()
	}
	return int(f.at[call])
}
