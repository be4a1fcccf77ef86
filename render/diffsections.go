package render

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/view"
)

// columnOfMarks is the number of columns for marks before a line of a diff.
const columnOfMarks = 4

// leastSide is the minimum width of a side in columns for drawing both sides next to each other.
const leastSide = 28

// writeDiffTree draws the sections of the merged tree: as one tree with marks, or with both sides next
// to each other if there is room for both.
func (d *diffDrawing) writeDiffTree(out *bufio.Writer) {
	var sides *sideBySide
	if column := (d.width - columnOfMarks) / 2; d.options.SideBySide && column >= leastSide {
		sides = &sideBySide{sides: [2]*oneSide{d.side(column, d.Diff.A, d.Merged.A), d.side(column, d.Diff.B, d.Merged.B)}, column: column}
	}
	seen := map[*view.Section]values{}
	for _, s := range d.story.Sections {
		fmt.Fprintln(out)
		for _, line := range d.sectionHeading(s) {
			fmt.Fprintln(out, line)
		}
		drawing := &sectionDrawing{listing: d.listing, out: out, seen: seen}
		if sides == nil {
			drawing.node(s.Root, "", "", nil)
			continue
		}
		if s.Number == 1 {
			fmt.Fprintln(out, d.Facts.Render(fill(d.options.NameA, sides.column)+strings.Repeat(" ", columnOfMarks)+d.options.NameB))
		}
		sides.node(drawing, s.Root, [2]guide{})
	}
}

// writeDiffKey explains the marks and signs above the tree.
func (d *diffDrawing) writeDiffKey(out *bufio.Writer) {
	texts := []string{d.diffSigns()}
	d.writeWrapped(out, d.Facts, strings.Join(append(texts, d.listing.signs()...), d.words.between()))
}

// diffStep draws the lines of a step below its own: what changed in it.
func (d *sectionDrawing) diffStep(n *node, rest string) {
	c := d.diff
	if names := c.groupNames(n); names != "" {
		d.lines(d.Value, oneLine(names), rest)
	}
	for _, at := range c.Merged.Changes[n.Calls[0]] {
		for _, detail := range c.detailTexts(c.Changes[at]) {
			d.lines(d.Value, detail, rest)
		}
		for _, url := range c.links(c.Changes[at]) { // whole, to be followed
			d.put(d.lead(rest) + d.Place.Render(url))
		}
	}
}

// valuesOfChange returns the values to show at a step: the deciding ones of a call that only one side makes.
func (d *diffDrawing) valuesOfChange(texts []valueText, n *node) []valueText {
	if !d.onOneSide(n.Calls[0]) {
		return nil
	}
	return slices.DeleteFunc(texts, func(t valueText) bool { return !t.decides })
}

// A sideBySide draws both sides of a comparison in columns, with equal calls on the same line.
type sideBySide struct {
	sides  [2]*oneSide // A and B
	column int
}

// A guide has the line characters that lead to a step, and past it to the steps below or after it.
type guide struct{ first, rest string }

// A oneSide draws the steps that one side has.
type oneSide struct {
	*sectionDrawing
	buffer *bytes.Buffer
	tree   *trace.Tree
	calls  []int // by the calls of the merged tree
}

func (d *diffDrawing) side(column int, tree *trace.Tree, calls []int) *oneSide {
	s := &oneSide{buffer: &bytes.Buffer{}, tree: tree, calls: calls}
	l := *d.listing
	l.width, l.diff = column, nil
	l.callOf = func(n *node) *trace.Call { return tree.Call(calls[n.Calls[0]]) }
	l.outcomeOf = d.outcomes(tree, calls)
	l.column = new(int)
	s.sectionDrawing = &sectionDrawing{listing: &l, out: bufio.NewWriter(s.buffer), seen: map[*view.Section]values{}}
	return s
}

// outcomes returns what finds the outcome of a step's call on one side; calls are those of the side by the calls of the
// merged tree.
func (d *diffDrawing) outcomes(tree *trace.Tree, calls []int) func(*node) (*view.ErrorStep, bool) {
	path := view.ErrorPathOf(tree, d.guide)
	return func(n *node) (*view.ErrorStep, bool) {
		i := calls[n.Calls[0]]
		return path.At(i), view.Fatal(tree, path, i)
	}
}

// has reports whether the side makes the calls of a node.
func (s *oneSide) has(n *node) bool { return s.calls[n.Calls[0]] != diff.None }

// lines returns what a side draws.
func (s *oneSide) lines(draw func(*sectionDrawing)) []string {
	draw(s.sectionDrawing)
	_ = s.out.Flush() // to memory
	text := strings.TrimSuffix(s.buffer.String(), "\n")
	s.buffer.Reset()
	return strings.Split(text, "\n")
}

// node draws a step on the sides that have it, and the steps that it called.
func (s *sideBySide) node(d *sectionDrawing, n *node, at [2]guide) {
	called := calledBy(n)
	var lines [2][]string
	var below [2]string
	for k, side := range s.sides {
		below[k] = at[k].rest
		if !side.has(n) {
			continue
		}
		if slices.ContainsFunc(called, side.has) {
			below[k] += side.bar()
		} else {
			below[k] += side.blanks()
		}
		lines[k] = side.lines(func(drawing *sectionDrawing) {
			if n.Opens != nil && n.Opens.Root == n && at[k].first != "" {
				drawing.link(n, at[k].first, at[k].rest)
				return
			}
			drawing.step(n, at[k].first, below[k], d.diff.changedValues(n, k == 0))
		})
	}
	s.write(d, n, lines, below)
	if n.Opens != nil && (at[0].first != "" || at[1].first != "") {
		return // another section continues with it
	}
	for i, child := range called {
		next := at
		for k, side := range s.sides {
			last := !slices.ContainsFunc(called[i+1:], side.has)
			to, past := side.branches(child, last)
			switch {
			case side.has(child) && !side.has(n) && at[k] == (guide{}): // called from above the section on this side
				next[k] = guide{side.blanks(), side.blanks()}
			case side.has(child):
				next[k] = guide{at[k].rest + to, at[k].rest + past}
			case side.has(n) && !last:
				next[k] = guide{"", at[k].rest + side.bar()}
			case side.has(n):
				next[k] = guide{"", at[k].rest + side.blanks()}
			}
		}
		s.node(d, child, next)
	}
}

// write writes the lines of both sides next to each other, with the mark of a step between them. below
// leads past the lines that a side does not have.
func (s *sideBySide) write(d *sectionDrawing, n *node, lines [2][]string, below [2]string) {
	style, mark := d.diff.diffStyle(n), d.diff.mark(n.Calls[0])
	for i := range max(len(lines[0]), len(lines[1])) {
		var text [2]string
		for k := range text {
			text[k] = d.Guide.Render(below[k])
			if i < len(lines[k]) {
				text[k] = lines[k][i]
			}
		}
		if i > 0 {
			mark = ""
		}
		d.put(fill(text[0], s.column) + " " + style.Render(fill(mark, columnOfMarks-1)) + text[1])
	}
}

// changedValues returns the values of a side that are others on the other side.
func (d *diffDrawing) changedValues(n *node, ofA bool) []valueText {
	var texts []valueText
	for _, at := range d.Merged.Changes[n.Calls[0]] {
		for _, v := range d.Changes[at].Values {
			was, value := view.InWordsApart(v)
			if ofA {
				value = was
			}
			if v.Name == "error" && value == "" {
				continue // it did not fail on this side
			}
			texts = append(texts, valueText{v.Name, oneLine(label(v.Name, false) + "=" + view.QuoteEmpty(quoted([]string{value})[0])), true})
		}
	}
	return texts
}

// fill adds blanks up to a number of columns.
func fill(text string, columns int) string {
	return text + strings.Repeat(" ", max(0, columns-lipgloss.Width(text)))
}
