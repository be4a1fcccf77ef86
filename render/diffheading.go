package render

import (
	"bufio"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/view"
)

// writeDiffHeading writes the request, or both if they differ, both answers, and the number of differences.
func (d *diffDrawing) writeDiffHeading(out *bufio.Writer) {
	a, b := d.pair.A, d.pair.B
	line := func(r *trace.Request, status string) {
		end := " " + d.arrow + " " + status
		fmt.Fprintln(out, d.Request.Render(d.fit(r.Method+" "+oneLine(r.Path), d.width-lipgloss.Width(end))+end))
	}
	switch {
	case a.Method != b.Method || a.Path != b.Path:
		line(a, strconv.Itoa(a.Status))
		line(b, strconv.Itoa(b.Status))
	case a.Status != b.Status:
		line(b, fmt.Sprintf("%d | %d", a.Status, b.Status))
	default:
		line(b, strconv.Itoa(b.Status))
	}
	d.writeWrapped(out, d.Facts, d.diffFacts())
	fmt.Fprintln(out)
}

// diffFacts counts the calls of both sides, and the changes by kind.
func (d *diffDrawing) diffFacts() string {
	counts := map[diff.Kind]int{}
	for _, c := range d.Changes {
		counts[c.Kind]++
	}
	var kinds []string
	all := 0
	for _, kind := range diffKinds {
		if n := counts[kind]; n > 0 {
			kinds = append(kinds, fmt.Sprintf("%s %d %s", diffMarks[kind], n, d.words.kind(kind)))
			all += n
		}
	}
	if d.Diff.Same() {
		kinds = append([]string{d.words.samePath()}, kinds...)
	}
	text := d.words.Sprintf("%s calls %s %s", thousands(len(d.pair.A.Calls)), d.arrow, thousands(len(d.pair.B.Calls)))
	if d.options.Times {
		text = d.words.Clauses(text, fmt.Sprintf("%s %s %s", d.duration(d.pair.A.Calls[0].DurationNs), d.arrow, d.duration(d.pair.B.Calls[0].DurationNs)))
	}
	if all > 0 {
		text = d.words.Clauses(text, d.words.Plural(all, "%s change", "%s changes", thousands(all)))
	}
	return text + d.words.colon() + d.words.Clauses(kinds...)
}

// writeSummary describes the changes layer by layer.
func (d *diffDrawing) writeSummary(out *bufio.Writer) {
	s := view.NewSummary(d.Differences, d.guide, d.options.sides(d.comparison), d.finder)
	for _, layer := range s.Layers {
		d.writeStatements(out, layer)
	}
	if smaller := smallerIn(s.Layers); len(smaller) > 0 {
		d.writeHanging(out, d.words.smaller(), message.List(smaller).In(d.lang))
	}
	if len(s.Unchanged) > 0 && len(s.Layers) > 0 {
		d.writeHanging(out, d.words.unchanged(), message.List(s.Unchanged).In(d.lang))
	}
}

// writeStatements writes what changed in a layer: a single statement behind the title, several below it, the evidence of each below that.
func (d *diffDrawing) writeStatements(out *bufio.Writer, layer view.LayerSummary) {
	if len(layer.Statements) == 0 {
		return
	}
	if first := &layer.Statements[0]; len(layer.Statements) == 1 && len(first.Evidence) == 0 {
		d.writeHanging(out, layer.Title, d.sentence(first))
		return
	}
	fmt.Fprintln(out, d.Key.Render(layer.Title))
	for i := range layer.Statements {
		st := &layer.Statements[i]
		d.writeIndented(out, "  ", "    ", d.sentence(st), lipgloss.NewStyle())
		for n := range st.Evidence {
			sign := d.branch
			if n == len(st.Evidence)-1 {
				sign = d.last
			}
			d.writeIndented(out, "    "+sign, "    "+strings.Repeat(" ", columnsOf(sign)), st.Evidence[n].In(d.words.Printer), d.Facts)
		}
	}
}

// sentence is the sentence of a statement.
func (d *diffDrawing) sentence(st *view.Statement) string {
	return st.Text(d.words.Printer, d.duration)
}

// writeIndented writes a text in lines: the first one behind first, the others behind rest.
func (d *diffDrawing) writeIndented(out *bufio.Writer, first, rest, text string, style lipgloss.Style) {
	for _, line := range wrap(text, d.width-columnsOf(rest)) {
		fmt.Fprintln(out, first+style.Render(line))
		first = rest
	}
}

// smallerIn counts the smaller changes of each layer that has any: "Audit 1".
func smallerIn(changed []view.LayerSummary) []string {
	var counts []string
	for _, layer := range changed {
		if layer.Smaller > 0 {
			counts = append(counts, fmt.Sprintf("%s %d", layer.Title, layer.Smaller))
		}
	}
	return counts
}

// writeHanging writes a paragraph whose first words are its title.
func (d *diffDrawing) writeHanging(out *bufio.Writer, title, text string) {
	const indent = "  "
	lines := wrap(title+d.words.colon()+text, d.width-len(indent))
	for i, line := range lines {
		if i == 0 {
			line = strings.Replace(line, title, d.Key.Render(title), 1)
		} else {
			line = indent + line
		}
		fmt.Fprintln(out, line)
	}
}

// mostNamed is the maximum number of changes outside the view that are named below it.
const mostNamed = 5

func (d *diffDrawing) writeDiffFooter(out *bufio.Writer) {
	var named []string
	hidden := 0
	for _, c := range d.Changes {
		if !d.shows(c) {
			hidden++
			call := d.Merged.Tree.Call(c.At)
			named = append(named, fmt.Sprintf("%s %s %s", diffMarks[c.Kind], d.story.Names.Of(call), d.placeIn(call)))
		}
	}
	if hidden > mostNamed || d.options.Filter.Active() {
		named = nil
	}
	var texts []string
	if hidden > 0 {
		text := d.words.Sprintf("%d of %d changes are not in this view", hidden, len(d.Changes))
		if !d.options.Full && !d.options.Filter.Active() {
			text += d.words.colon() + "--view full"
		}
		texts = append(texts, text)
	}
	if len(texts) > 0 {
		fmt.Fprintln(out)
		d.writeWrapped(out, d.Facts, d.words.Clauses(texts...))
	}
	for _, change := range named {
		d.writeWrapped(out, d.Facts, change)
	}
}

// shows reports whether the tree shows a change.
func (d *diffDrawing) shows(c ShownChange) bool {
	return d.stepWith(c.At) != nil
}

// stepWith returns the step that shows a call of the merged tree, nil if none does.
func (d *diffDrawing) stepWith(call int) *node {
	if d.inView == nil {
		d.inView = map[int]*node{}
		var add func(n *node)
		add = func(n *node) {
			for _, call := range n.Calls {
				d.inView[call] = n
			}
			for _, child := range n.Children {
				add(child)
			}
		}
		add(d.story.Root)
	}
	return d.inView[call]
}

// diffSigns explains the marks.
func (d *diffDrawing) diffSigns() string {
	texts := []string{d.words.Sprintf("+ only %s", d.options.NameB), d.words.Sprintf("- only %s", d.options.NameA)}
	for _, kind := range diffKinds[2:] { // the first two are told
		if slices.ContainsFunc(d.Changes, func(c ShownChange) bool { return c.Kind == kind && d.shows(c) }) {
			texts = append(texts, diffMarks[kind]+" "+d.words.kind(kind))
		}
	}
	return d.words.Clauses(texts...)
}
