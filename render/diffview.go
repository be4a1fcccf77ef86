package render

import (
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/view"
)

// A DiffView is the comparison of two requests for a display that draws its own rows: the choice of
// calls, marks, styles and sentences of WriteDiff.
type DiffView struct{ drawing *diffDrawing }

// NewDiffView prepares a pair of requests that both sides have: pair.Diff is set.
func NewDiffView(c *diff.Comparison, pair *diff.RequestPair, guide Guide, options DiffOptions) *DiffView {
	return &DiffView{newDiffDrawing(c, pair, NewDifferences(pair.Diff, guide), guide, options)}
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

// A ChangedFunction is the function whose text is compared for a call of the merged tree: that of the call or, if only
// one side has the call, that of the nearest caller that both sides have.
type ChangedFunction struct {
	A, B *trace.Call
	// Line is the line of the function from which the call is made, on side B if OnB is set, else on A; 0 if the
	// function is the call's own.
	Line int
	OnB  bool
}

// ChangedFunction returns the function to be compared for a call, nil if no caller is on both sides.
func (v *DiffView) ChangedFunction(call int) *ChangedFunction {
	return v.Differences().ChangedFunction(call)
}

// ChangedFunction returns the function to be compared for a call of the merged tree, nil if no caller is on both sides.
func (d *Differences) ChangedFunction(call int) *ChangedFunction {
	f := &ChangedFunction{}
	i := call
	for ; d.Merged.A[i] == diff.None || d.Merged.B[i] == diff.None; i = d.Merged.Tree.Parent(i) {
		if d.Merged.Tree.Parent(i) < 0 {
			return nil
		}
		if f.OnB = d.Merged.B[i] != diff.None; f.OnB {
			f.Line = d.Diff.B.Call(d.Merged.B[i]).CallerLine
		} else {
			f.Line = d.Diff.A.Call(d.Merged.A[i]).CallerLine
		}
	}
	f.A, f.B = d.Diff.A.Call(d.Merged.A[i]), d.Diff.B.Call(d.Merged.B[i])
	return f
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
