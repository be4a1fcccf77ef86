package render

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/view"
)

// narrow is the width in columns below which a drawing saves space: the time
// follows the step, and branches are shorter.
const narrow = 60

// WriteTree draws the traces of one recording. Each has a heading, its sections as
// trees of calls, and a footer.
func WriteTree(w io.Writer, traces []*view.Trace, options Options) error {
	return writeTraces(w, traces, &options, (*traceDrawing).write)
}

// writeTraces writes each trace with write, and says how many requests of the
// recording are left out.
func writeTraces(w io.Writer, traces []*view.Trace, options *Options, write func(*traceDrawing)) error {
	out := bufio.NewWriter(w)
	for i, t := range traces {
		if i > 0 {
			out.WriteByte('\n')
		}
		write(newTraceDrawing(out, t, options, i == 0))
	}
	if len(traces) > 0 && len(traces) < traces[0].Of {
		p := newPen(&options.Options, &options.Layout)
		p.writeWrapped(out, p.Facts, "\n"+p.words.Sprintf("%s more requests of the recording have no call that matches.", view.Thousands(traces[0].Of-len(traces))))
	}
	return out.Flush()
}

// A traceDrawing draws one trace.
type traceDrawing struct {
	treeDrawing
	trace *view.Trace
	// first is set for the first trace. Only this trace has a legend.
	first bool
	// filtered is set if a filter hides calls, which --view full does not show then.
	filtered bool
}

func newTraceDrawing(out *bufio.Writer, t *view.Trace, o *Options, first bool) *traceDrawing {
	d := &traceDrawing{treeDrawing: treeDrawing{pen: newPen(&o.Options, &o.Layout), out: out}, trace: t, first: first, filtered: o.Filter.Active()}
	if d.width >= narrow {
		d.column = len(">999ms") + 2
	}
	d.section = func(n int) *view.SectionHead { return &t.Sections[n-1].SectionHead }
	return d
}

func (d *traceDrawing) write() {
	d.writeHeading()
	d.writeKey()
	for i := range d.trace.Sections {
		s := &d.trace.Sections[i]
		fmt.Fprintln(d.out)
		d.sectionHeading(s)
		drawSteps(&d.treeDrawing, &s.Root, "", "", d.drawn, func(step *view.TraceStep) []view.TraceStep { return step.Children })
	}
	d.writeFooter()
}

// sectionHeading writes the title of a section, its sentences or role, and the
// caller of its first step.
func (d *traceDrawing) sectionHeading(s *view.TraceSection) {
	d.writeTitle(&s.SectionHead)
	for _, sentence := range s.Sentences {
		d.writeBelow(d.Decisive, wrapNames(sentence.Text, d.width-d.column))
	}
	if s.Role != "" && s.Root.Note == "" { // a note begins with the role
		d.writeBelow(d.Note, wrap(d.words.Sprintf("In general: %s", s.Role), d.width-d.column))
	}
	d.writeBelow(d.Facts, wrapNames(s.Called, d.width-d.column))
}

// drawn returns the parts of a step to draw.
func (d *traceDrawing) drawn(s *view.TraceStep) drawnStep {
	return drawnStep{
		StepHead: &s.StepHead, before: s.Time, beforeStyle: d.Duration, nameStyle: d.nameStyle(&s.StepHead), values: s.Values, plugins: s.Plugins,
	}
}

// A treeDrawing draws the sections and steps of a trace or comparison.
type treeDrawing struct {
	pen
	out *bufio.Writer
	// column is the number of columns before a step's lines, for its time or its marks.
	column int
	// section returns the head of the section with this number.
	section func(number int) *view.SectionHead
}

// A drawnStep has the parts of a step to draw.
type drawnStep struct {
	*view.StepHead
	// before is the text in the column before the step: its time or its marks.
	before                 string
	beforeStyle, nameStyle lipgloss.Style
	values                 []view.Value
	plugins                []view.PluginLine
	// details and links are written below the step. A link is not broken into lines.
	details, links []string
	// opens is set for the first step of a section. Such a step does not say on which
	// goroutine it runs, because the heading of the section does.
	opens bool
}

// drawSteps draws a step, and below it the steps that it called. first has the
// lines of the tree before the first line of the step, rest before the lines below.
// first is empty for the first step of a section.
func drawSteps[S any](d *treeDrawing, s *S, first, rest string, drawn func(*S) drawnStep, children func(*S) []S) {
	step := drawn(s)
	called := children(s)
	below := rest + d.blanks()
	if len(called) > 0 {
		below = rest + d.bar()
	}
	step.opens = first == ""
	d.step(&step, first, below)
	for i := range called {
		child := drawn(&called[i])
		to, past := d.branches(child.Through > 0, i == len(called)-1)
		if child.Section > 0 {
			d.link(&child, rest+to, rest+past)
			continue
		}
		drawSteps(d, &called[i], rest+to, rest+past, drawn, children)
	}
}

// writeTitle writes a section's number and title.
func (d *treeDrawing) writeTitle(s *view.SectionHead) {
	const mostColumns = 100 // of the title and the dashes behind it
	style := d.headingStyle(s.Layer)
	lines := wrap(fmt.Sprintf("%s%s %d  %s", d.dash, d.dash, s.Number, s.Title), d.width)
	for i, line := range lines {
		lines[i] = style.Render(line)
	}
	if free := min(d.width, mostColumns) - lipgloss.Width(lines[len(lines)-1]); free > 1 {
		lines[len(lines)-1] += " " + d.layerStyle(s.Layer).Render(strings.Repeat(d.dash, free-1))
	}
	for _, line := range lines {
		fmt.Fprintln(d.out, line)
	}
}

// writeBelow writes the lines below a title that are not empty.
func (d *treeDrawing) writeBelow(style lipgloss.Style, lines []string) {
	for _, line := range lines {
		if line != "" {
			fmt.Fprintln(d.out, strings.Repeat(" ", d.column)+style.Render(line))
		}
	}
}

// branches returns the lines of the tree for a child: to is before the first line
// of the child, past before the lines below. through is set if folded calls are in
// between, last for the last child.
func (d *treeDrawing) branches(through, last bool) (to, past string) {
	g := &d.glyphs
	to, past = g.branch, g.line
	if last {
		to, past = g.last, g.blank
	}
	if through {
		to = strings.Replace(to, g.dash, g.dashed, 1)
	}
	if d.width < narrow {
		to, past = strings.TrimSuffix(to, " "), strings.TrimSuffix(past, " ")
	}
	return to, past
}

// bar returns the line of the tree that leads to a further child.
func (d *treeDrawing) bar() string {
	if d.width < narrow {
		return strings.TrimSuffix(d.line, " ")
	}
	return d.line
}

// blanks returns as many blanks as bar has columns.
func (d *treeDrawing) blanks() string { return strings.Repeat(" ", columnsOf(d.bar())) }

// link draws a step that begins another section: only its name, and the number and
// title of this section.
func (d *treeDrawing) link(s *drawnStep, first, rest string) {
	section := d.section(s.Section)
	b := d.block(first, rest)
	b.time, b.timeStyle = s.before, s.beforeStyle
	d.writeName(b, s)
	b.words(d.headingStyle(section.Layer), fmt.Sprintf("%s %d %s", d.Into, section.Number, section.Title))
	b.flush()
}

// goroutine says if a step runs on another goroutine than the step above, and names
// the queue that handed the work over.
func (d *treeDrawing) goroutine(b *block, s *drawnStep) {
	switch {
	case s.SameGoroutine:
		b.value(d.Mark, d.words.Sprintf("on the same new goroutine"))
	case s.NewGoroutine:
		b.value(d.Mark, d.words.Sprintf("on a new goroutine"))
	}
	if s.Handoff != "" {
		b.value(d.Mark, d.words.Sprintf("handed over through %s", s.Handoff))
	}
}

// writeName adds a step's name, and the number of its calls.
func (d *treeDrawing) writeName(b *block, s *drawnStep) {
	if strings.Contains(s.Name, " ") { // a label
		b.value(s.nameStyle, s.Name)
	} else {
		b.name(s.nameStyle, s.Name)
	}
	if len(s.Calls) > 1 {
		b.add(d.Count, d.Times+strconv.Itoa(len(s.Calls)))
	}
}

// nameStyle returns the style of the name of a step without a change.
func (d *treeDrawing) nameStyle(s *view.StepHead) lipgloss.Style {
	switch {
	case s.Leads:
		return d.Facts
	case s.Key:
		return d.layerStyle(s.Layer)
	}
	return d.Plumbing
}

// step draws the lines of a step. They have the name, the place, the count of
// folded calls, the failure and the values. Plugins, errors, details, links and the
// note have lines of their own below.
func (d *treeDrawing) step(s *drawnStep, first, rest string) {
	b := d.block(first, rest)
	b.time, b.timeStyle = s.before, s.beforeStyle
	d.writeName(b, s)
	b.pair(d.place(s), d.folds(s))
	if s.Failure != "" {
		style := d.Value
		if s.Fatal {
			style = d.Error
		}
		b.value(style, s.Failure)
	}
	if !s.opens {
		d.goroutine(b, s)
	}
	if s.Running {
		b.value(d.Warning, d.words.Sprintf("still running"))
	}
	b.values(s.values)
	b.flush()
	for _, line := range s.plugins {
		style := d.Value
		if line.Decides {
			style = d.Decisive
		}
		d.lines(style, line.Text, rest)
	}
	for _, text := range s.Errors {
		d.lines(d.Error, text, rest)
	}
	for _, text := range s.details {
		d.lines(d.Value, text, rest)
	}
	for _, url := range s.links {
		d.put(d.lead(rest) + d.Place.Render(url))
	}
	if s.Note != "" {
		d.lines(d.Note, oneLine(s.Note), rest)
	}
}

// place returns the place of a step's function, with a link if hyperlinks are on.
// The text is "" if the place is unknown.
func (d *treeDrawing) place(s *drawnStep) styled {
	if !d.hyperlinks || s.Place == "" {
		return styled{d.Place, s.Place}
	}
	return styled{d.Place.Hyperlink(s.URL), s.Place}
}

// folds returns the sign for folded calls with their number, or no text.
func (d *treeDrawing) folds(s *drawnStep) styled {
	if s.StepHead.Folded > 0 {
		return styled{d.Count, d.Folded + view.Thousands(s.StepHead.Folded)}
	}
	return styled{}
}

// lines writes a text below a step.
func (d *treeDrawing) lines(style lipgloss.Style, text, rest string) {
	lead := d.lead(rest)
	for _, line := range wrapNames(text, max(d.width-columnsOf(lead), least)) {
		d.put(lead + d.paint(style, line))
	}
}

// lead returns the beginning of a further line of a step.
func (d *treeDrawing) lead(rest string) string {
	return strings.Repeat(" ", d.column) + d.paint(d.Guide, rest)
}

// put writes a line without blanks at its end.
func (d *treeDrawing) put(line string) { fmt.Fprintln(d.out, strings.TrimRight(line, " ")) }

// list writes a list in the drawing's language.
func (p *pen) list(items []string) string { return message.List(items).Localize(p.words) }
