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
	"github.com/kubeapitrace/apitrace/view"
)

// narrow is the width in columns below which a drawing saves space: the time follows the name.
const narrow = 60

// A sectionDrawing draws the steps of one section.
type sectionDrawing struct {
	*listing
	out  *bufio.Writer
	seen map[*view.Section]values
}

// node draws a step, and below it the steps that it called. first leads to its line, rest past it to
// the lines below.
func (d *sectionDrawing) node(n *node, first, rest string, above values) {
	texts, shown := d.values(n, above)
	if d.diff != nil {
		texts = d.diff.valuesOfChange(texts, n)
	}
	called := calledBy(n)
	below := rest + d.blanks()
	if len(called) > 0 {
		below = rest + d.bar()
	}
	d.step(n, first, below, texts)
	for _, child := range n.Children {
		if child.Opens != nil {
			d.seen[child.Opens] = shown
		}
	}
	for i, child := range called {
		to, past := d.branches(child, i == len(called)-1)
		if child.Opens != nil {
			d.link(child, rest+to, rest+past)
			continue
		}
		d.node(child, rest+to, rest+past, shown)
	}
}

// calledBy returns the steps that a step called. It leaves out steps that a write caused: they are children, but not callees.
func calledBy(n *node) []*node {
	return slices.DeleteFunc(slices.Clone(n.Children), func(child *node) bool { return child.Afterwards })
}

// branches returns the prefixes of a child's line and of the lines below it.
func (d *sectionDrawing) branches(child *node, last bool) (to, past string) {
	g := &d.glyphs
	to, past = g.branch, g.line
	if last {
		to, past = g.last, g.blank
	}
	if child.Through > 0 {
		to = strings.Replace(to, g.dash, g.dashed, 1)
	}
	if d.width < narrow {
		to, past = strings.TrimSuffix(to, " "), strings.TrimSuffix(past, " ")
	}
	return to, past
}

func (d *sectionDrawing) bar() string {
	if d.width < narrow {
		return strings.TrimSuffix(d.line, " ")
	}
	return d.line
}

func (d *sectionDrawing) blanks() string { return strings.Repeat(" ", columnsOf(d.bar())) }

// link draws, in place of a step with which another section begins, its name and the section.
func (d *sectionDrawing) link(child *node, first, rest string) {
	s := child.Opens
	b := d.block(first, rest)
	b.time, b.timeStyle = d.before(child)
	d.writeName(b, child)
	b.words(d.headingStyle(s.Layer), fmt.Sprintf("%s %d %s", d.into, s.Number, d.story.Title(s, d.guide, d.lang)))
	d.goroutine(b, child)
	b.flush()
}

// goroutine says that a step runs on another goroutine than the step above.
func (d *sectionDrawing) goroutine(b *block, n *node) {
	p := message.For(d.lang)
	if n.NewGoroutine {
		b.value(d.Mark, p.Sprintf("on a new goroutine"))
	}
	if n.Handoff != "" {
		b.value(d.Mark, p.Sprintf("handed over through %s", n.Handoff))
	}
}

// writeName adds the name of a step, and the number of its calls.
func (d *sectionDrawing) writeName(b *block, n *node) {
	if name := d.name(n); strings.Contains(name, " ") { // a label
		b.value(d.nameStyle(n), name)
	} else {
		b.name(d.nameStyle(n), name)
	}
	if len(n.Calls) > 1 {
		b.add(d.Count, d.times+strconv.Itoa(len(n.Calls)))
	}
}

// step draws the lines of a step: name, counts and place; values; failures; the note.
func (d *sectionDrawing) step(n *node, first, rest string, texts []valueText) {
	b := d.block(first, rest)
	b.time, b.timeStyle = d.before(n)
	d.writeName(b, n)
	b.pair(d.place(n), d.hiddenBelow(n))
	if failure, style := d.failure(n); failure != "" {
		b.value(style, failure)
	}
	if n.Opens == nil {
		d.goroutine(b, n)
	}
	if d.call(n).Unfinished && !d.story.Tree.Request.OfProgram() {
		b.value(d.Warning, saysRunning.In(d.lang))
	}
	var plugins []view.Plugin
	if d.diff == nil && d.callOf == nil { // a comparison says of each what changed
		plugins = d.story.Plugins(n)
	}
	if len(plugins) > 1 {
		texts = nil // the lines below tell each plugin's
	}
	b.values(texts)
	b.flush()
	if len(plugins) > 1 {
		d.plugins(plugins, rest)
	}
	if d.tellsFailure(n) {
		for _, text := range d.failures(d.call(n)) {
			d.lines(d.Error, text, rest)
		}
	}
	if d.diff != nil {
		d.diffStep(n, rest)
	}
	d.note(n, rest)
}

// before returns the prefix of a step's lines: its time or, in a diff, its marks.
func (d *sectionDrawing) before(n *node) (string, lipgloss.Style) {
	switch {
	case d.diff != nil:
		mark := fill(d.diff.mark(n.Calls[0]), columnOfMarks-1)
		if d.timeColumns() > columnOfMarks {
			mark += d.diff.bothTimes(n)
		}
		return mark, d.diff.diffStyle(n)
	case d.column != nil:
		return "", d.Duration
	}
	return d.time(n), d.Duration
}

// place is where a step's function is declared, "" if that is not known.
func (d *sectionDrawing) place(n *node) styled {
	at := d.at(n)
	if at == nil {
		return styled{}
	}
	return styled{d.placeStyle(at), d.story.Names.Place(at)}
}

// hiddenBelow is the sign for folded calls with their number.
func (d *sectionDrawing) hiddenBelow(n *node) styled {
	if folded := n.Folded() + n.Cut; folded > 0 {
		return styled{d.Count, d.folded + thousands(folded)}
	}
	return styled{}
}

// note adds the guide's note on a key step, once for each function.
func (d *sectionDrawing) note(n *node, rest string) {
	function := d.story.First(n).Function
	if !d.notes || !n.Key || d.noted[function] {
		return
	}
	d.noted[function] = true
	if note := d.guide.Note(function); note != "" {
		d.lines(d.Note, oneLine(note), rest)
	}
}

// lines writes a text below a step.
func (d *sectionDrawing) lines(style lipgloss.Style, text, rest string) {
	lead := d.lead(rest)
	for _, line := range wrapNames(text, max(d.width-columnsOf(lead), least)) {
		d.put(lead + d.paint(style, line))
	}
}

// lead returns the prefix of a line that belongs to the step above it.
func (d *sectionDrawing) lead(rest string) string {
	return strings.Repeat(" ", d.timeColumns()) + d.paint(d.Guide, rest)
}

func (d *sectionDrawing) put(line string) { fmt.Fprintln(d.out, strings.TrimRight(line, " ")) }

// plugins names the admission plugins of a step by their verdicts: those that made calls before
// they accepted, those that accepted at once, those that were not asked, and any other.
func (d *sectionDrawing) plugins(all []view.Plugin, rest string) {
	for _, group := range view.GroupPlugins(all) {
		if d.leavesOut(group) {
			continue
		}
		style := d.Value
		if group.Kind != view.PluginsAtOnce && group.Kind != view.PluginsNotAsked {
			style = d.Decisive
		}
		d.lines(style, d.pluginsLine(group), rest)
	}
}

// leavesOut reports whether a short view leaves out a group: plugins without a part in the phase are only counted
// the first time, not when the plugins are asked again.
func (l *listing) leavesOut(group view.PluginGroup) bool {
	return group.Again && group.Kind == view.PluginsNotAsked && !l.choice.Full
}

// pluginsLine names the plugins with one verdict. Plugins that have no part in this phase have one in the other
// phase, so they are only counted, except in the full view.
func (l *listing) pluginsLine(group view.PluginGroup) string {
	if group.Kind == view.PluginsNotAsked && !l.choice.Full {
		return message.For(l.lang).Plural(len(group.Plugins), "%d more takes no part in this phase", "%d more take no part in this phase", len(group.Plugins))
	}
	var names []string
	for _, p := range group.Plugins {
		names = append(names, p.Name)
	}
	return oneLine(group.Title(l.lang) + l.colon() + message.List(names).In(l.lang))
}

// time returns how long the calls of a node took, or "" if only their entry was recorded.
func (l *listing) time(n *node) string {
	if !l.story.Timed(n) {
		return ""
	}
	sum, unfinished := l.story.DurationNs(n)
	text := l.duration(sum)
	if unfinished {
		text = ">" + text
	}
	return text
}

// timeColumns returns the number of columns for the time before a line.
func (l *listing) timeColumns() int {
	switch {
	case l.column != nil:
		return *l.column
	case l.diff != nil && l.diff.options.Times && l.width >= narrow:
		return columnOfMarks + 2*columnOfTimes
	case l.diff != nil:
		return columnOfMarks
	}
	if l.width < narrow {
		return 0
	}
	return len(">999ms") + 2
}

// tellsFailure reports whether the text of a failure is shown below the node: at its
// origin. Short views leave out failures that decided nothing, and texts that the
// sentence above the tree has.
func (l *listing) tellsFailure(n *node) bool {
	step, fatal := l.outcome(n)
	return n.Origin && failed(l.call(n)) && (l.choice.Full || l.choice.Filter.Errors || fatal && step == nil)
}

// outcome returns what the call of a step did to the error with which its request failed, nil for nothing, and whether its
// outcome decided the request.
func (l *listing) outcome(n *node) (step *view.ErrorStep, fatal bool) {
	if l.outcomeOf != nil {
		return l.outcomeOf(n)
	}
	return l.story.ErrorPath.At(n.Calls[0]), n.Fatal
}

func failed(call *trace.Call) bool { return call.Error != "" || call.Panic != "" }

// failures describes the failures of a call, one per line.
func (l *listing) failures(call *trace.Call) []string {
	var lines []string
	if call.Error != "" {
		lines = append(lines, saysError.Format(l.lang, oneLine(call.Error)))
	}
	if call.Panic != "" {
		lines = append(lines, saysPanic.Format(l.lang, oneLine(call.Panic)))
	}
	return lines
}

// failure returns the mark of a failed call, and what it did to the error with which
// the request failed. A failure that decided nothing only gets an inconspicuous mark.
func (l *listing) failure(n *node) (string, lipgloss.Style) {
	step, fatal := l.outcome(n)
	switch {
	case step != nil:
		return l.failed + " " + saysKind[step.Kind].In(l.lang), l.Error
	case failed(l.call(n)) && fatal:
		return l.failed + " " + saysFailed.In(l.lang), l.Error
	case failed(l.call(n)):
		return l.failed + " " + saysHandled.In(l.lang), l.Value
	}
	return "", l.Value
}

func (l *listing) nameStyle(n *node) lipgloss.Style {
	if l.diff != nil && l.diff.mark(n.Calls[0]) != "" {
		return l.diff.diffStyle(n)
	}
	if n.Key {
		return l.layerStyle(n.Layer)
	}
	return l.Plumbing
}

// name is the function's name, or the group's label for collapsed calls.
func (l *listing) name(n *node) string {
	call := l.call(n)
	switch {
	case len(n.Calls) > 1 && n.Group != "":
		return n.Group
	case upstream(call):
		return view.UpstreamLabel(call)
	}
	return l.story.Names.Of(call)
}

// at returns the call whose place is shown for the node, or nil. For upstream's own tracing
// that is the caller, whose place tells more than that of the tracing library.
func (l *listing) at(n *node) *trace.Call {
	call, parent := l.call(n), l.story.Tree.Parent(n.Calls[0])
	if upstream(call) && parent >= 0 {
		caller := l.story.Tree.Call(parent)
		call = &trace.Call{Process: caller.Process, Function: caller.Function, File: caller.File, Line: call.CallerLine}
	}
	several := slices.ContainsFunc(n.Calls, func(i int) bool { return l.story.Tree.Call(i).Function != l.story.First(n).Function })
	if several || call.File == "" {
		return nil
	}
	return call
}

func (l *listing) placeStyle(at *trace.Call) lipgloss.Style {
	if !l.hyperlinks {
		return l.Place
	}
	return l.Place.Hyperlink(l.rec.SourceURL(at))
}

// call is the call that a step is named after.
func (l *listing) call(n *node) *trace.Call {
	if l.callOf != nil {
		return l.callOf(n)
	}
	return l.story.First(n)
}
