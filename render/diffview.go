package render

import (
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/view"
)

// A DiffView is the comparison of two requests for a display that draws its own rows: the choice of
// calls, marks, styles and sentences of WriteDiff.
type DiffView struct{ drawing *diffDrawing }

// NewDiffView prepares a pair of requests that both sides have: pair.Diff is set.
func NewDiffView(c *diff.Comparison, pair *diff.RequestPair, guide Guide, options DiffOptions) *DiffView {
	return &DiffView{newDiffDrawing(c, pair, view.NewDifferences(pair.Diff, guide), guide, options)}
}

// View returns the view of the merged tree: changes, their callers, and key steps of one side.
func (v *DiffView) View() *view.View { return v.drawing.story.View }

// Differences returns the differences with the merged tree. All calls below are calls of that tree.
func (v *DiffView) Differences() *Differences { return v.drawing.Differences }

// Mark returns the signs of the changes of a call, or "".
func (v *DiffView) Mark(call int) string { return v.drawing.mark(call) }

// Style returns the style of a call's row: that of an added, a removed, a changed or any other call.
func (v *DiffView) Style(call int) lipgloss.Style {
	return v.drawing.diffStyle(&node{Calls: []int{call}})
}

// ChangedFunction returns the function to be compared for a call, nil if no caller is on both sides.
func (v *DiffView) ChangedFunction(call int) *view.ChangedFunction {
	return v.Differences().ChangedFunction(call)
}

// Details describes the change of a call in lines of a width; nil if it has not changed.
func (v *DiffView) Details(call, width int) []string {
	d := v.drawing
	var lines []string
	only := ""
	switch {
	case d.Merged.A[call] == diff.None:
		only = d.options.NameB
	case d.Merged.B[call] == diff.None:
		only = d.options.NameA
	}
	if only != "" {
		lines = append(lines, d.Mark.Render(d.mark(call))+" "+d.words.onlyIn(only))
	}
	for _, n := range d.Merged.Changes[call] {
		c := d.Changes[n]
		if c.Kind == diff.Added || c.Kind == diff.Removed {
			continue // has been said
		}
		for _, line := range d.details(c, width-2) {
			lines = append(lines, d.Mark.Render(diffMarks[c.Kind])+" "+strings.TrimRight(line, " "))
		}
	}
	return lines
}
