package render

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kubeapitrace/apitrace/trace"
)

// wide is from how many columns on a drawing shows more than the most needed.
const wide = 100

// draw draws the line of an item, and the lines below it for what has no room
// there. It returns with them what values a reader has seen from here on.
func (d *drawing) draw(it *item, above values) (lines []string, shown values) {
	if d.diff != nil {
		return d.diff.drawDiff(it), above
	}
	width := d.width - it.level*lipgloss.Width(d.branch)
	below := width - lipgloss.Width(d.line)
	texts := d.values(it.node, above)
	row, room := d.row(it, width)
	behind, rest := d.split(texts, room, d.roomy == nil || d.roomy[it.node.Calls[0]])
	row.left += d.Value.Render(behind)
	lines = []string{row.join(width)}
	for _, line := range d.pack(rest, below) {
		lines = append(lines, d.Value.Render(line))
	}
	if d.tellsFailure(it.node) {
		for _, text := range failures(d.call(it.node)) {
			for _, line := range d.clip(wrap(text, below), 3, below) {
				lines = append(lines, d.Error.Render(line))
			}
		}
	}
	if d.notes && it.node.Key {
		for _, line := range wrap(oneLine(d.guide.Note(d.call(it.node).Function)), below) {
			lines = append(lines, d.Note.Render(line))
		}
	}
	return lines, above.with(texts)
}

// tellsFailure reports whether the text of what went wrong stands below the node:
// where it began. Short views leave out what decided nothing, and what the sentence
// above the tree says.
func (d *drawing) tellsFailure(n *Node) bool {
	return n.Origin && (d.choice.Full || d.choice.Filter.Errors || n.Fatal && d.view.ErrorPath.At(n.Calls[0]) == nil)
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

// row draws the line of a call: marks, name and counts to the left, place and
// duration to the right. It returns how many columns are left between them.
//
// What does not fit is shortened at the front, where the more general part is:
// first the place, then the name.
func (d *drawing) row(it *item, width int) (row twoSided, room int) {
	const leastPlace, leastName = 14, 12
	before, after := d.marks(it), d.counts(it.node)
	name, layer, place := d.name(it.node), d.layer(it.node), d.place(it.node)
	duration := d.durationOf(it.node)
	width -= lipgloss.Width(layer) + lipgloss.Width(duration) + 1
	taken := lipgloss.Width(before) + lipgloss.Width(after) + 1
	if over := taken + lipgloss.Width(name) + lipgloss.Width(place) - width; over > 0 {
		place = d.fitEnd(place, max(lipgloss.Width(place)-over, leastPlace))
	}
	if over := taken + lipgloss.Width(name) + lipgloss.Width(place) - width; over > 0 {
		name = strings.Replace(name, d.mark+" upstream ", d.mark+" ", 1)
		over = taken + lipgloss.Width(name) + lipgloss.Width(place) - width
		name = d.fitEnd(name, max(lipgloss.Width(name)-over, leastName))
	}
	left := before + d.nameStyle(it.node).Render(name) + after
	left = ansi.Truncate(left, width-lipgloss.Width(place)-1, d.ellipsis)
	row = twoSided{left, layer + d.placeStyle(it.node).Render(place) + " " + d.Duration.Render(duration)}
	return row, width - lipgloss.Width(left) - lipgloss.Width(place) - 1
}

// fit shortens s at its end, fitEnd at its front, to a number of columns; a mark
// stands for what was taken away.
func (d *drawing) fit(s string, columns int) string {
	return ansi.Truncate(s, columns, d.ellipsis)
}

func (d *drawing) fitEnd(s string, columns int) string {
	over := lipgloss.Width(s) - columns
	if over <= 0 {
		return s
	}
	return ansi.TruncateLeft(s, over+lipgloss.Width(d.ellipsis), d.ellipsis)
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
		return d.mark + " " + upstreamLabel(call)
	}
	return d.call(n).ShortName()
}

func (d *drawing) severalFunctions(n *Node) bool {
	return slices.ContainsFunc(n.Calls, func(i int) bool {
		return d.view.Tree.Call(i).Function != d.call(n).Function
	})
}

// layer is the part of the server that the call belongs to, in a wide drawing.
func (d *drawing) layer(n *Node) string {
	const most = 16 // columns
	if d.width < wide || n.Layer == "" {
		return ""
	}
	return d.Value.Render(d.fit(n.Layer, most)) + "  "
}

// place is file and line; none for calls of several functions. A wide drawing
// has room for the line in the caller, where that one is shown.
func (d *drawing) place(n *Node) string {
	at := d.at(n)
	if at == nil {
		return ""
	}
	place := fmt.Sprintf("%s:%d", path.Base(at.File), at.Line)
	if d.width >= wide && n.Above == 0 && len(n.Calls) == 1 && at.CallerLine > 0 {
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

// durationOf is the time of all calls of a node together, as wide as its column.
func (d *drawing) durationOf(n *Node) string {
	const column = len(">999ms") + 1 // "µ" is one column as well
	var sum int64
	for _, i := range n.Calls {
		sum += d.view.Tree.Call(i).DurationNs
	}
	duration := d.duration(sum)
	if d.call(n).Unfinished {
		duration = ">" + duration
	}
	return strings.Repeat(" ", max(0, column-lipgloss.Width(duration))) + duration
}

// failures says what went wrong in a call, one line each.
func failures(call *trace.Call) []string {
	var lines []string
	if call.Error != "" {
		lines = append(lines, "error: "+oneLine(call.Error))
	}
	if call.Panic != "" {
		lines = append(lines, "panic: "+oneLine(call.Panic))
	}
	return lines
}
