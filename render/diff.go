package render

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/kubeapitrace/apitrace/view"
)

// columnOfMarks is the number of columns for the marks before a line of a
// comparison.
const columnOfMarks = 4

// columnOfTimes is the number of columns for the time of one side. "µ" takes one
// column, too.
const columnOfTimes = len(" 999ms") + 1

// WriteDiff writes the comparisons of two recordings, request by request. For each
// pair of requests, it writes a summary, and the merged tree with marks at the
// changes.
func WriteDiff(w io.Writer, comparisons []*view.Comparison, options DiffOptions) error {
	out := bufio.NewWriter(w)
	p := newPen(&options.Options, &options.Layout)
	for i, c := range comparisons {
		if i == 0 {
			for _, warning := range c.Warnings {
				p.writeWrapped(out, p.Warning, warning)
			}
		} else {
			out.WriteByte('\n')
		}
		newDiffDrawing(out, c, &options).write()
	}
	for i, remark := range options.Remarks {
		if i == 0 {
			out.WriteByte('\n')
		}
		p.writeWrapped(out, p.Facts, remark.In(options.Lang))
	}
	return out.Flush()
}

// A diffDrawing draws the comparison of a pair of requests.
type diffDrawing struct {
	treeDrawing
	comparison *view.Comparison
	options    *DiffOptions
}

func newDiffDrawing(out *bufio.Writer, c *view.Comparison, o *DiffOptions) *diffDrawing {
	d := &diffDrawing{treeDrawing: treeDrawing{pen: newPen(&o.Options, &o.Layout), out: out, column: columnOfMarks}, comparison: c, options: o}
	if o.Times && d.width >= narrow {
		d.column += 2 * columnOfTimes
	}
	d.section = func(n int) *view.SectionHead { return &c.Sections[n-1].SectionHead }
	return d
}

func (d *diffDrawing) write() {
	c := d.comparison
	if c.OnlyIn != "" {
		fmt.Fprintln(d.out, d.Request.Render(c.Request))
		fmt.Fprintln(d.out, c.OnlyIn)
		return
	}
	d.writeHeading()
	d.writeSummary()
	if d.options.SummaryOnly || c.Changes == 0 {
		return
	}
	fmt.Fprintln(d.out)
	if c.TooMany > 0 {
		d.writeWrapped(d.out, d.Facts, d.words.Sprintf("%s changes are too many for a tree at first sight: choose some with --layer, --function or --grep, or see all with --view full", view.Thousands(c.TooMany)))
		return
	}
	d.writeKey()
	d.writeTree()
	d.writeFooter()
}

// writeHeading writes the request and the status, of both sides if they differ, and
// then the facts.
func (d *diffDrawing) writeHeading() {
	c := d.comparison
	line := func(request, status string) {
		end := ""
		if status != "0" { // an event has no status
			end = " " + d.Arrow + " " + status
		}
		fmt.Fprintln(d.out, d.Request.Render(d.fit(request, d.width-lipgloss.Width(end))+end))
	}
	switch {
	case c.Was != "":
		line(c.Was, fmt.Sprint(c.StatusA))
		line(c.Request, fmt.Sprint(c.StatusB))
	case c.StatusA != c.StatusB:
		line(c.Request, fmt.Sprintf("%d | %d", c.StatusA, c.StatusB))
	default:
		line(c.Request, fmt.Sprint(c.StatusB))
	}
	d.writeWrapped(d.out, d.Facts, c.Facts)
	fmt.Fprintln(d.out)
}

// writeSummary describes the changes layer by layer.
func (d *diffDrawing) writeSummary() {
	c := d.comparison
	for i := range c.Layers {
		d.writeLayer(&c.Layers[i])
	}
	if c.NoReason != "" {
		d.writeWrapped(d.out, d.Facts, c.NoReason)
	}
	if smaller := smallerIn(c.Layers); len(smaller) > 0 {
		d.writeHanging(d.words.Sprintf("Smaller changes"), d.list(smaller))
	}
	if len(c.Unchanged) > 0 && (len(c.Layers) > 0 || c.LeftOut > 0) {
		d.writeHanging(d.words.Sprintf("No difference recorded"), d.list(c.Unchanged))
	}
	if c.LeftOut > 0 {
		d.writeWrapped(d.out, d.Facts, d.leftOut(c))
	}
}

// leftOut says how many sentences the filter leaves out.
func (p *pen) leftOut(c *view.Comparison) string {
	return p.words.Plural(c.LeftOut, "The filter leaves out %d sentence about other calls.", "The filter leaves out %d sentences about other calls.", c.LeftOut)
}

// writeLayer writes the changes in a layer. A single sentence without evidence stands
// behind the title. Otherwise each sentence is below the title, with its evidence below
// it.
func (d *diffDrawing) writeLayer(layer *view.ComparedLayer) {
	if len(layer.Sentences) == 0 {
		return
	}
	if first := &layer.Sentences[0]; len(layer.Sentences) == 1 && len(first.Evidence) == 0 {
		d.writeHanging(layer.Title, first.Text)
		return
	}
	d.writeWrapped(d.out, d.Key, layer.Title)
	for _, sentence := range layer.Sentences {
		d.writeIndented("  ", "    ", sentence.Text, lipgloss.NewStyle())
		for n, evidence := range sentence.Evidence {
			sign := d.branch
			if n == len(sentence.Evidence)-1 {
				sign = d.last
			}
			d.writeIndented("    "+sign, "    "+strings.Repeat(" ", columnsOf(sign)), evidence, d.Facts)
		}
	}
}

// writeIndented writes a text in lines, with first before the first line and rest
// before the others.
func (d *diffDrawing) writeIndented(first, rest, text string, style lipgloss.Style) {
	for _, line := range wrap(text, d.width-columnsOf(rest)) {
		fmt.Fprintln(d.out, first+style.Render(line))
		first = rest
	}
}

// smallerIn returns the number of smaller changes of each layer that has any:
// "Audit 1".
func smallerIn(layers []view.ComparedLayer) []string {
	var counts []string
	for _, layer := range layers {
		if layer.Smaller > 0 {
			counts = append(counts, fmt.Sprintf("%s %d", layer.Title, layer.Smaller))
		}
	}
	return counts
}

// writeHanging writes a paragraph that begins with its title.
func (d *diffDrawing) writeHanging(title, text string) {
	const indent = "  "
	for i, line := range wrap(title+d.colon()+text, d.width-len(indent)) {
		if i == 0 {
			line = strings.Replace(line, title, d.Key.Render(title), 1)
		} else {
			line = indent + line
		}
		fmt.Fprintln(d.out, line)
	}
}

// writeKey writes the line above the tree, which explains the marks and signs.
func (d *diffDrawing) writeKey() {
	c := d.comparison
	marks := []string{d.words.Sprintf("+ only %s", c.NameB), d.words.Sprintf("- only %s", c.NameA)}
	texts := []string{d.words.Clauses(append(marks, c.Legend[len(marks):]...)...)}
	if !d.marksOnly {
		texts = append(texts, d.treeSigns(c.Folded > 0, len(c.Sections))...)
	}
	d.writeWrapped(d.out, d.Facts, strings.Join(texts, d.words.Sprintf("; ")))
}

// treeSigns explains the signs of a tree, and how to read its lines. folded is set
// if the tree has folded calls.
func (p *pen) treeSigns(folded bool, sections int) []string {
	direct := strings.TrimSpace(p.branch)
	var texts []string
	if folded {
		texts = append(texts, p.words.Sprintf("%s calls directly, %s through folded calls", direct, strings.ReplaceAll(direct, p.dash, p.dashed)),
			p.words.Sprintf("%s9: 9 calls are folded there", p.Folded))
	} else {
		texts = append(texts, p.words.Sprintf("%s: called by the step above", direct))
	}
	if sections > 1 {
		texts = append(texts, p.words.Sprintf("%s 2: goes on in section 2", p.Into))
	}
	return append(texts, p.words.Sprintf("calls in order of time"), p.words.Sprintf("times include calls below"), p.words.Sprintf("file:line: where the function begins"))
}

// writeTree draws the sections of the merged tree: as one tree with marks or, if the
// options ask for it and there is room, with both sides next to each other.
func (d *diffDrawing) writeTree() {
	sides := newSideBySide(d)
	for i := range d.comparison.Sections {
		s := &d.comparison.Sections[i]
		fmt.Fprintln(d.out)
		d.writeTitle(&s.SectionHead)
		d.writeBelow(d.Facts, wrapNames(s.Called, d.width-d.column))
		if sides == nil {
			drawSteps(&d.treeDrawing, &s.Root, "", "", d.drawn, stepsBelow)
			continue
		}
		if i == 0 {
			fmt.Fprintln(d.out, d.Facts.Render(fill(d.comparison.NameA, sides.column)+strings.Repeat(" ", columnOfMarks)+d.comparison.NameB))
		}
		sides.node(&s.Root, [2]guide{})
	}
}

func stepsBelow(s *view.ComparedStep) []view.ComparedStep { return s.Children }

// drawn returns the parts of a step to draw, with its marks and times in front.
func (d *diffDrawing) drawn(s *view.ComparedStep) drawnStep {
	style := d.changeStyle(s.Change, &s.StepHead)
	before := fill(s.Mark, columnOfMarks-1)
	if d.column > columnOfMarks {
		before += padded(s.TimeA) + padded(s.TimeB)
	}
	return drawnStep{StepHead: &s.StepHead, before: before, beforeStyle: style, nameStyle: style, values: s.Deciding, details: s.Details, links: s.Links}
}

// padded returns a time with blanks in front, as wide as its column.
func padded(time string) string {
	return strings.Repeat(" ", max(0, columnOfTimes-lipgloss.Width(time))) + time
}

// changeStyle returns the style of a step's name and marks.
func (d *diffDrawing) changeStyle(change view.ChangeKind, s *view.StepHead) lipgloss.Style {
	if style, ok := d.StyleOf(change); ok {
		return style
	}
	return d.nameStyle(s)
}

// writeFooter says how many changes the tree does not show, and names them if there are
// few.
func (d *diffDrawing) writeFooter() {
	c := d.comparison
	hidden := c.Changes - c.Shown
	if hidden == 0 {
		return
	}
	text := d.words.Sprintf("%d of %d changes are not in this view", hidden, c.Changes)
	if !d.options.Full && !d.options.Filter.Active() {
		text += d.colon() + "--view full"
	}
	if d.options.Filter.Active() && marked(c.Sections) > c.Shown {
		text += d.words.Sprintf("; a call that only one side makes and the calls below it are one change")
	}
	fmt.Fprintln(d.out)
	d.writeWrapped(d.out, d.Facts, text)
	for _, change := range c.Hidden {
		d.writeWrapped(d.out, d.Facts, change)
	}
}

// marked counts the steps with a mark. A link to a section does not count.
func marked(sections []view.ComparedSection) int {
	n := 0
	var count func(s *view.ComparedStep)
	count = func(s *view.ComparedStep) {
		if s.Mark != "" && s.Section == 0 {
			n++
		}
		for i := range s.Children {
			count(&s.Children[i])
		}
	}
	for i := range sections {
		count(&sections[i].Root)
	}
	return n
}

// fill adds blanks up to a number of columns.
func fill(text string, columns int) string {
	return text + strings.Repeat(" ", max(0, columns-lipgloss.Width(text)))
}
