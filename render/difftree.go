package render

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/kubeapitrace/apitrace/apiserver/fault"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/view"
)

// DiffOptions set how differences are drawn. The zero value draws the summary in English and
// the default tree, in plain text 80 columns wide. Full shows every change with its caller,
// not every call.
type DiffOptions struct {
	Options
	// SummaryOnly leaves out the tree.
	SummaryOnly bool
	// SideBySide draws both trees next to each other.
	SideBySide bool
	// Times shows after each call how long it took on both sides.
	Times bool
	// Links shows below each change the address at which upstream shows the changes of the file.
	Links bool
	// NameA and NameB are the names of the sides: a version, or a scenario.
	NameA, NameB string
	// LiveA and LiveB are set for a side that was just replayed and is not a recording.
	LiveA, LiveB bool
	// CommittedA and CommittedB tell where the source of sides that were built from checkouts can be read; nil for releases.
	CommittedA, CommittedB *trace.CommittedTree
	// Remarks are said at the end: what the traces of both sides cannot show.
	Remarks []message.Message
}

// words are those for a comparison: of two scenarios on one release, or of one on two.
func (o *DiffOptions) words(c *diff.Comparison) diffWords {
	return diffWords{
		Printer: message.For(o.Lang), scenarios: c.A.Scenario != c.B.Scenario && c.A.K8sVersion == c.B.K8sVersion,
		nameA: o.NameA, nameB: o.NameB, units: o.glyphs(),
	}
}

// sides are what the sides are called.
func (o *DiffOptions) sides(c *diff.Comparison) view.SideNames {
	return view.SideNames{A: o.NameA, B: o.NameB, Lang: o.Lang, Scenarios: o.words(c).scenarios}
}

// warnings name differences that may not come from upstream: the edits of each side, and a different set
// of traced functions.
func (o *DiffOptions) warnings(c *diff.Comparison) []string {
	p := message.For(o.Lang)
	var notes []string
	if c.OtherEdition() {
		notes = append(notes, p.Sprintf("%s and %s were recorded by editions of apitrace that trace different packages: what one side lacks may only not have been traced there; record both with one apitrace to be sure", o.NameA, o.NameB))
	}
	for _, side := range []struct {
		name   string
		edited []string
	}{{o.NameA, c.A.Edited}, {o.NameB, c.B.Edited}} {
		if len(side.edited) > 0 {
			notes = append(notes, p.Sprintf("%s is not upstream's program: built with edits of %s", side.name, oneLine(message.List(side.edited).In(o.Lang))))
		}
	}
	if a, b := ownScenario(c.A), ownScenario(c.B); a != b && a != "" && b != "" {
		for _, side := range []struct{ fault, own string }{{c.A.Scenario, a}, {c.B.Scenario, b}} {
			if side.fault != side.own {
				notes = append(notes, p.Sprintf("%s is a recording of the scenario %s: the differences below are those of two scenarios, not of the fault; compare it with %[2]s", side.fault, side.own))
			}
		}
	}
	return notes
}

// ownScenario returns the scenario that a recording replays: that of the fault for a recording of a fault of the course, "" if it is
// not known.
func ownScenario(rec *trace.Recording) string {
	if len(rec.Edited) != 1 || rec.Edited[0] != rec.Scenario {
		return rec.Scenario
	}
	if f, err := fault.Find(rec.Scenario); err == nil && f != nil {
		return f.Scenario
	}
	return ""
}

// The marks of changes, as they stand before names.
var diffMarks = map[diff.Kind]string{
	diff.Added: "+", diff.Removed: "-", diff.Moved: ">", diff.Renamed: "~",
	diff.Repeated: "#", diff.Reordered: "^", diff.Valued: "=", diff.Timed: "%",
}

// diffKinds are the kinds of changes in the order in which they are listed.
var diffKinds = []diff.Kind{diff.Added, diff.Removed, diff.Moved, diff.Renamed, diff.Repeated, diff.Reordered, diff.Valued, diff.Timed}

// WriteDiff writes the differences between two recordings, request by request: a summary, and the
// merged tree with marks at the changes.
func WriteDiff(w io.Writer, c *diff.Comparison, guide Guide, options DiffOptions) error {
	finder, err := diff.NewReasons(c)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	p := newPen(&options.Options)
	for _, note := range options.warnings(c) {
		p.writeWrapped(out, p.Warning, note)
	}
	for i := range c.Requests {
		if i > 0 {
			out.WriteByte('\n')
		}
		writeRequestDiff(out, c, &c.Requests[i], finder, guide, options)
	}
	for i, remark := range options.Remarks {
		if i == 0 {
			out.WriteByte('\n')
		}
		p.writeWrapped(out, p.Facts, remark.In(options.Lang))
	}
	return out.Flush()
}

func writeRequestDiff(out *bufio.Writer, c *diff.Comparison, pair *diff.RequestPair, finder *diff.Reasons, guide Guide, options DiffOptions) {
	if pair.Diff == nil {
		r, side := pair.A, options.NameA
		if r == nil {
			r, side = pair.B, options.NameB
		}
		d := newPen(&options.Options)
		fmt.Fprintln(out, d.Request.Render(r.Method+" "+oneLine(r.Path)))
		fmt.Fprintln(out, message.For(options.Lang).Sprintf("only in %s", side))
		return
	}
	differences := view.NewDifferences(pair.Diff, guide)
	d := newDiffDrawing(c, pair, differences, guide, options)
	d.finder = finder
	d.writeDiffHeading(out)
	d.writeSummary(out)
	if !options.SummaryOnly && len(differences.Changes) > 0 {
		fmt.Fprintln(out)
		if n := d.tooMany(); n > 0 {
			d.writeWrapped(out, d.Facts, d.words.Sprintf("%s changes are too many for a tree at first sight: choose some with --layer, --function or --grep, or see all with --view full", thousands(n)))
			return
		}
		d.writeDiffKey(out)
		d.writeDiffTree(out)
		d.writeDiffFooter(out)
	}
}

// tooMany returns the number of changes of the default view if they are too many to read, else 0.
func (d *diffDrawing) tooMany() int {
	const readable = 150
	n := 0
	for _, c := range d.Changes {
		if c.Telling {
			n++
		}
	}
	if n <= readable || d.options.Full || d.options.Filter.Active() {
		return 0
	}
	return n
}

// A diffDrawing draws differences: the merged tree of both requests as a listing, with marks.
type diffDrawing struct {
	*listing
	*Differences
	pair       *diff.RequestPair
	comparison *diff.Comparison
	options    DiffOptions
	words      diffWords
	finder     *diff.Reasons
	inView     map[int]*node // the steps, by the calls of the merged tree that they show; see stepWith
}

func newDiffDrawing(c *diff.Comparison, pair *diff.RequestPair, differences *Differences, guide Guide, options DiffOptions) *diffDrawing {
	d := &diffDrawing{Differences: differences, pair: pair, comparison: c, options: options}
	d.words = options.words(c)
	choice := options.Choice
	choice.Full, choice.Marked = false, d.marked(guide)
	choice.Marks = d.mark
	d.listing = newListing(c.B, view.Tell(view.NewView(differences.Merged.Tree, guide, choice)), guide, options.Options)
	d.listing.diff = d
	outcomeA, outcomeB := d.outcomes(d.Diff.A, d.Merged.A), d.outcomes(d.Diff.B, d.Merged.B)
	d.listing.outcomeOf = func(n *node) (*view.ErrorStep, bool) {
		if d.Merged.B[n.Calls[0]] == diff.None {
			return outcomeA(n)
		}
		return outcomeB(n)
	}
	return d
}

// fewChanges is the maximum number of changes that every view shows, however small they are: a change that was just made is mostly no key step.
const fewChanges = 10

// marked says which calls of the merged tree are shown: those with telling changes, or with any if there are few changes, in the
// full view and where a filter chooses, their callers and the nearest key steps above those, so that each
// change stands in the part of the tree in which the view of one request has it, and the key steps
// that one side alone has, but for further turns of a loop.
func (d *diffDrawing) marked(classifier Classifier) func(int) bool {
	tree := d.Merged.Tree
	shown := make([]bool, tree.Len())
	told := make([]bool, tree.Len()) // at a call of one side alone, or at the first such call above it
	for i := range shown {
		if !d.onOneSide(i) {
			continue
		}
		told[i] = len(d.Merged.Changes[i]) > 0
		if parent := tree.Parent(i); parent >= 0 && d.onOneSide(parent) {
			told[i] = told[parent]
		}
		call := tree.Call(i)
		shown[i] = told[i] && classifier.Key(call.Function) && !upstream(call)
	}
	for _, c := range d.Changes {
		asked := d.options.Full || d.options.Filter.Active() || d.options.Upstream && upstream(tree.Call(c.At)) || len(d.Changes) <= fewChanges && !upstream(tree.Call(c.At))
		if !c.Telling && !asked {
			continue
		}
		shown[c.At] = true
		if above := tree.Parent(c.At); above >= 0 {
			shown[above] = true
			for above > 0 && !classifier.Key(tree.Call(above).Function) {
				above = tree.Parent(above)
			}
			shown[above] = true
		}
	}
	return func(i int) bool { return shown[i] }
}

// onOneSide reports whether only one side makes call i of the merged tree.
func (d *diffDrawing) onOneSide(i int) bool {
	return d.Merged.A[i] == diff.None || d.Merged.B[i] == diff.None
}

// mark returns the mark before the name of call i of the merged tree, or "" without a change.
func (d *diffDrawing) mark(i int) string {
	var marks []string
	switch {
	case d.Merged.A[i] == diff.None:
		marks = append(marks, diffMarks[diff.Added])
	case d.Merged.B[i] == diff.None:
		marks = append(marks, diffMarks[diff.Removed])
	}
	for _, n := range d.Merged.Changes[i] {
		if m := diffMarks[d.Changes[n].Kind]; !slices.Contains(marks, m) {
			marks = append(marks, m)
		}
	}
	return strings.Join(marks, "")
}

// groupNames returns the names of the changed calls that were collapsed into one node of a group.
func (d *diffDrawing) groupNames(n *node) string {
	if n.Group == "" || d.mark(n.Calls[0]) == "" {
		return ""
	}
	var names []string
	for _, i := range n.Calls {
		if purpose := view.PurposeOf(d.Merged.Tree.Call(i)); purpose != "" {
			names = append(names, purpose)
		}
	}
	return message.List(names).In(d.lang)
}

// columnOfTimes is the width of a time of one side in columns; "µ" takes one column, too.
const columnOfTimes = len(" 999ms") + 1

// bothTimes returns the times of a node's calls on both sides, padded to their columns.
func (d *diffDrawing) bothTimes(n *node) string {
	if !d.options.Times {
		return ""
	}
	text := ""
	for _, side := range []struct {
		tree  *trace.Tree
		calls []int
	}{{d.Diff.A, d.Merged.A}, {d.Diff.B, d.Merged.B}} {
		time, made := int64(0), false
		for _, i := range n.Calls {
			if call := side.calls[i]; call != diff.None && !side.tree.Call(call).Leaf {
				time, made = time+side.tree.Call(call).DurationNs, true
			}
		}
		duration := ""
		if made {
			duration = d.duration(time)
		}
		text += strings.Repeat(" ", max(0, columnOfTimes-lipgloss.Width(duration))) + duration
	}
	return text
}

// diffStyle is the style of a node's line.
func (d *diffDrawing) diffStyle(n *node) lipgloss.Style {
	i := n.Calls[0]
	switch {
	case d.Merged.A[i] == diff.None:
		return d.Palette.Added
	case d.Merged.B[i] == diff.None:
		return d.Palette.Removed
	case len(d.Merged.Changes[i]) > 0:
		return d.Palette.Changed
	}
	return d.nameStyle(n)
}
