package render

import (
	"bufio"
	"bytes"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/view"
)

// leastSide is the minimum width of a side, in columns, for drawing both sides next to
// each other.
const leastSide = 28

// A sideBySide draws the sides of a comparison next to each other. A call of both
// sides is on the same line.
type sideBySide struct {
	*diffDrawing
	sides  [2]*oneSide // A and B
	column int         // the width of a side
}

// newSideBySide returns nil if the options do not ask for both sides, or if there
// is no room for them.
func newSideBySide(d *diffDrawing) *sideBySide {
	column := (d.width - columnOfMarks) / 2
	if !d.options.SideBySide || column < leastSide {
		return nil
	}
	return &sideBySide{diffDrawing: d, sides: [2]*oneSide{d.side(0, column), d.side(1, column)}, column: column}
}

// A guide has the lines of the tree before a step: first is before the first line of
// the step, rest before its other lines. rest lacks the line to the steps that the
// step called.
type guide struct{ first, rest string }

// A oneSide draws the steps of one side.
type oneSide struct {
	treeDrawing
	buffer *bytes.Buffer
	// k is 0 for A, 1 for B.
	k int
}

// side returns a oneSide that draws to a buffer, column columns wide.
func (d *diffDrawing) side(k, column int) *oneSide {
	s := &oneSide{treeDrawing: d.treeDrawing, buffer: &bytes.Buffer{}, k: k}
	s.width, s.column = column, 0
	s.out = bufio.NewWriter(s.buffer)
	return s
}

// has reports whether the side has the call of a step.
func (s *oneSide) has(step *view.ComparedStep) bool { return step.Sides[s.k] != nil }

// hasAny reports whether the side has the call of any of the steps.
func (s *oneSide) hasAny(steps []view.ComparedStep) bool {
	return slices.ContainsFunc(steps, func(step view.ComparedStep) bool { return s.has(&step) })
}

// lines returns the lines of a step on the side. below has the lines of the tree
// before the second line and the lines after it.
func (s *oneSide) lines(step *view.ComparedStep, at guide, below string) []string {
	side := step.Sides[s.k]
	drawn := drawnStep{StepHead: &side.StepHead, beforeStyle: s.Duration, nameStyle: s.nameStyle(&side.StepHead), values: side.Values, opens: at.first == ""}
	if step.Section > 0 {
		drawn.StepHead.Section = step.Section
		s.link(&drawn, at.first, at.rest)
	} else {
		s.step(&drawn, at.first, below)
	}
	_ = s.out.Flush() // to memory
	text := strings.TrimSuffix(s.buffer.String(), "\n")
	s.buffer.Reset()
	return strings.Split(text, "\n")
}

// node draws a step on the sides that have it, and the steps that it called. A step
// that opens another section is only a link.
func (s *sideBySide) node(step *view.ComparedStep, at [2]guide) {
	called := step.Children
	var lines [2][]string
	var below [2]string
	for k, side := range s.sides {
		below[k] = at[k].rest
		if !side.has(step) {
			continue
		}
		if side.hasAny(called) {
			below[k] += side.bar()
		} else {
			below[k] += side.blanks()
		}
		lines[k] = side.lines(step, at[k], below[k])
	}
	s.write(step, lines, below)
	for i := range called {
		child := &called[i]
		next := at
		for k, side := range s.sides {
			last := !side.hasAny(called[i+1:])
			to, past := side.branches(child.Through > 0, last)
			switch {
			case side.has(child) && !side.has(step) && at[k] == (guide{}): // on this side, a step above the section called child
				next[k] = guide{side.blanks(), side.blanks()}
			case side.has(child):
				next[k] = guide{at[k].rest + to, at[k].rest + past}
			case side.has(step) && !last:
				next[k] = guide{"", at[k].rest + side.bar()}
			case side.has(step):
				next[k] = guide{"", at[k].rest + side.blanks()}
			}
		}
		s.node(child, next)
	}
}

// write writes the lines of both sides next to each other, with the step's mark in
// between. If a side has fewer lines than the other, below replaces the missing
// lines.
func (s *sideBySide) write(step *view.ComparedStep, lines [2][]string, below [2]string) {
	style, mark := s.changeStyle(step.Change, &step.StepHead), step.Mark
	for i := range max(len(lines[0]), len(lines[1])) {
		var text [2]string
		for k := range text {
			text[k] = s.Guide.Render(below[k])
			if i < len(lines[k]) {
				text[k] = lines[k][i]
			}
		}
		if i > 0 {
			mark = ""
		}
		s.put(fill(text[0], s.column) + " " + style.Render(fill(mark, columnOfMarks-1)) + text[1])
	}
}
