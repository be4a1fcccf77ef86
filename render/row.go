package render

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/kubeapitrace/apitrace/render/view"
	"github.com/kubeapitrace/apitrace/trace"
)

// draw draws the lines of an item. It returns with them what values a reader has seen from here on.
func (d *drawing) draw(it *item, above values) (lines []string, shown values) {
	return d.diff.drawDiff(it), above
}

// together puts the lines of an item together, for a tree to hang others below.
func (d *drawing) together(it *item, lines []string) string {
	for i := range lines[1:] {
		lines[i+1] = d.guideBelow(it) + lines[i+1]
	}
	return strings.Join(lines, "\n")
}

// guideBelow leads past a further line of an item to its children.
func (d *drawing) guideBelow(it *item) string {
	if len(it.below) > 0 {
		return d.Guide.Render(d.line)
	}
	return d.blank
}

func (d *drawing) call(n *Node) *trace.Call { return d.view.Tree.Call(n.Calls[0]) }

// A twoSided is a line with a left and a right end.
type twoSided struct{ left, right string }

func (t twoSided) join(width int) string {
	gap := max(1, width-lipgloss.Width(t.left)-lipgloss.Width(t.right))
	return t.left + strings.Repeat(" ", gap) + t.right
}

// marks draws what stands before the name: how the call relates to the node
// that it is below.
func (d *drawing) marks(it *item) string {
	n := it.node
	var marks []string
	if n.Continues && it.level == 0 {
		marks = append(marks, d.Mark.Render(strings.TrimSpace(d.on)))
	}
	if it.deeper > 0 {
		d.used.deeper = true
		marks = append(marks, d.Mark.Render(fmt.Sprintf("+%d", it.deeper)))
	}
	if n.Above > 0 {
		marks = append(marks, d.Count.Render(d.folded+strconv.Itoa(n.Above)))
	}
	if n.Afterwards {
		mark := d.later
		if d.diff == nil { // in the tree of two requests, starts only count the calls
			mark += " +" + d.duration(n.AfterNs)
		}
		marks = append(marks, d.Mark.Render(mark))
	}
	if n.NewGoroutine {
		marks = append(marks, d.Mark.Render("go"))
	}
	if n.Crossing {
		marks = append(marks, d.Mark.Render(d.call(n).Process+" "+d.into))
	}
	d.used.on = d.used.on || n.Continues
	d.used.later = d.used.later || n.Afterwards
	d.used.newGoroutine = d.used.newGoroutine || n.NewGoroutine
	d.used.crossing = d.used.crossing || n.Crossing
	if len(marks) == 0 {
		return ""
	}
	return strings.Join(marks, " ") + " "
}

// counts draws what stands behind the name: how many calls it stands for, and
// how many are hidden below it.
func (d *drawing) counts(n *Node) string {
	var counts []string
	if len(n.Calls) > 1 {
		counts = append(counts, d.Count.Render(d.times+strconv.Itoa(len(n.Calls))))
	}
	if n.Upstream > 0 {
		d.used.upstream = true
		counts = append(counts, d.Mark.Render(d.mark+strconv.Itoa(n.Upstream)))
	}
	if n.Below > 0 {
		counts = append(counts, d.Count.Render(d.folded+strconv.Itoa(n.Below)))
	}
	if n.Cut > 0 {
		counts = append(counts, d.Count.Render(fmt.Sprintf("cut %d", n.Cut)))
	}
	if failure := d.failure(n); failure != "" {
		counts = append(counts, failure)
	}
	if d.call(n).Unfinished && !d.view.Tree.Request.IsStart() {
		counts = append(counts, d.Warning.Render("unfinished"))
	}
	if len(counts) == 0 {
		return ""
	}
	return " " + strings.Join(counts, " ")
}

// failure marks a call that failed, and says what it did to the error with which
// the request failed. A failure that decided nothing is only hinted at.
func (d *drawing) failure(n *Node) string {
	call, step := d.call(n), d.view.ErrorPath.At(n.Calls[0])
	failed := call.Error != "" || call.Panic != ""
	d.used.failed = d.used.failed || failed
	switch {
	case step != nil:
		d.used.failed = true
		return d.Error.Render(d.failed + " " + string(step.Kind))
	case failed && n.Fatal:
		return d.Error.Render(d.failed)
	case failed:
		return d.Value.Render(d.failed)
	}
	return ""
}

func (d *drawing) nameStyle(n *Node) lipgloss.Style {
	if n.Key {
		return d.Key
	}
	return d.Plumbing
}

// name is the function's short name, or the group's label for collapsed calls.
func (d *drawing) name(n *Node) string {
	if len(n.Calls) > 1 && n.Group != "" {
		return n.Group
	}
	if call := d.call(n); upstream(call) {
		d.used.upstream = true
		return d.mark + " " + view.UpstreamLabel(call)
	}
	return d.call(n).ShortName()
}

func (d *drawing) severalFunctions(n *Node) bool {
	return slices.ContainsFunc(n.Calls, func(i int) bool {
		return d.view.Tree.Call(i).Function != d.call(n).Function
	})
}

// place is file and line; none for calls of several functions. A wide drawing
// has room for the line in the caller, where that one is shown.
func (d *drawing) place(n *Node) string {
	at := d.at(n)
	if at == nil {
		return ""
	}
	place := fmt.Sprintf("%s:%d", path.Base(at.File), at.Line)
	if d.width >= 100 && n.Through == 0 && len(n.Calls) == 1 && at.CallerLine > 0 {
		d.used.from = true
		place += fmt.Sprintf(" %s%d", d.from, at.CallerLine)
	}
	return place
}

// at is the call whose place is that of the node, nil if it has none. Of upstream's own
// tracing it tells more where it is called than where it is implemented.
func (d *drawing) at(n *Node) *trace.Call {
	call, parent := d.call(n), d.view.Tree.Parent(n.Calls[0])
	if upstream(call) && parent >= 0 {
		caller := d.view.Tree.Call(parent)
		call = &trace.Call{Process: caller.Process, File: caller.File, Line: call.CallerLine}
	}
	if d.severalFunctions(n) || call.File == "" {
		return nil
	}
	return call
}

func (d *drawing) placeStyle(n *Node) lipgloss.Style {
	at := d.at(n)
	if !d.hyperlinks || at == nil {
		return d.Place
	}
	return d.Place.Hyperlink(SourceURL(d.rec, at))
}

// signs explains the signs that this drawing used.
func (d *drawing) signs() string {
	var texts []string
	explain := func(used bool, text string) {
		if used {
			texts = append(texts, text)
		}
	}
	explain(d.choice.Filter.Active() && d.view.Folded > 0, d.folded+"N folded")
	explain(d.used.on, strings.TrimSpace(d.on)+" called by the line before")
	later := " +time since etcd's write, its event on the way to those who watch"
	if d.diff != nil {
		later = " etcd's event on the way to those who watch"
	}
	explain(d.used.later, d.later+later)
	explain(d.used.newGoroutine, "go goroutine")
	explain(d.used.crossing, d.into+" process")
	explain(d.used.from, d.from+"N called in line N")
	explain(d.used.deeper, "+N levels deeper than drawn")
	explain(d.used.failed, d.failed+" failed")
	explain(d.used.upstream, d.mark+" upstream span")
	return strings.Join(texts, ", ")
}
