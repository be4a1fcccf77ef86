package render

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/view"
)

// A HistoryStep is a release in the history of a scenario.
type HistoryStep struct {
	Version string
	// Calls counts the calls of all requests.
	Calls int
	// Changes says what changed since the release before; it is empty for the first one.
	Changes HistoryChanges
	// NotRecorded is set for a release without a recording of the scenario. Why is the reason, or "" if it is not known.
	NotRecorded bool
	Why         string
}

// HistoryChanges says what changed since the release before.
type HistoryChanges struct {
	// Text is one line.
	Text string
	// Came and Went are the functions that were added and removed with a change of the source, as far as is known.
	Came, Went []string
}

// newHistoryDrawing returns a drawing of the parts that need no comparison.
func newHistoryDrawing(guide Guide, options DiffOptions) *diffDrawing {
	return &diffDrawing{listing: &listing{pen: newPen(&options.Options), guide: guide}, options: options, words: diffWords{Printer: message.For(options.Lang)}}
}

// WriteHistory writes the history of a scenario, one line per release, and what the signs in it mean.
func WriteHistory(w io.Writer, steps []HistoryStep, guide Guide, options DiffOptions) error {
	out := bufio.NewWriter(w)
	d := newHistoryDrawing(guide, options)
	width := 0
	for _, step := range steps {
		width = max(width, len(step.Version))
	}
	for _, step := range steps {
		text := d.words.Plural(step.Calls, "%d call", "%d calls", step.Calls)
		says := step.Changes.Text
		if step.NotRecorded {
			text, says = d.words.Sprintf("not recorded"), step.Why
		}
		if says != "" {
			text += d.words.colon() + says
		}
		indent := strings.Repeat(" ", width+2)
		for i, line := range wrap(text, max(d.width-len(indent), 20)) {
			if i == 0 {
				fmt.Fprintln(out, d.Key.Render(fmt.Sprintf("%-*s", width, step.Version))+"  "+line)
			} else {
				fmt.Fprintln(out, indent+line)
			}
		}
	}
	if slices.ContainsFunc(steps, func(s HistoryStep) bool { return s.Changes.Text != "" }) {
		fmt.Fprintln(out)
		legend := d.words.Sprintf("+ added, - removed, ~ renamed, > moved, # another number of times, ^ reordered, = other values; in brackets: both sources have the call, and one release ran it; ◌ it has a span in one release only")
		for _, text := range append([]string{legend}, d.earlyPatches(steps)...) {
			for _, line := range wrap(text, max(d.width, 20)) {
				fmt.Fprintln(out, d.Facts.Render(line))
			}
		}
	}
	return out.Flush()
}

// earlyPatches says of releases that are an earlier patch of their minor release than those before and after them, with which something
// went that came back with the next one, or the reverse, that this may be due to the patches: a backport is in late patches only.
func (d *diffDrawing) earlyPatches(steps []HistoryStep) []string {
	var texts []string
	steps = slices.DeleteFunc(slices.Clone(steps), func(s HistoryStep) bool { return s.NotRecorded })
	for i := 1; i+1 < len(steps); i++ {
		before, step, after := steps[i-1], steps[i], steps[i+1]
		if patch := patchOf(step.Version); patch >= patchOf(before.Version) || patch >= patchOf(after.Version) {
			continue
		}
		var names []string
		for _, name := range append(common(step.Changes.Went, after.Changes.Came), common(step.Changes.Came, after.Changes.Went)...) {
			names = appendNew(names, name)
		}
		if len(names) == 0 {
			continue
		}
		const most = 4
		if len(names) > most {
			names = append(names[:most], d.ellipsis)
		}
		texts = append(texts, d.words.Sprintf("%s (%s)", step.Version, message.List(names).In(d.lang)))
	}
	if len(texts) == 0 {
		return nil
	}
	return []string{d.words.Sprintf("earlier patch releases than those before and after: %s; what goes with one of them and comes back after it, or comes with it and goes again, may be a change that only later patch releases have",
		message.List(texts))}
}

// common are the names of a list that another one has, too.
func common(names, other []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(other, name) })
}

// patchOf is the last number of a version.
func patchOf(version string) int {
	n, _ := strconv.Atoi(version[strings.LastIndexByte(version, '.')+1:])
	return n
}

// Brief describes on one line what was added, removed and changed between two releases, as far as
// the default view shows it.
func Brief(c *diff.Comparison, guide Guide, options DiffOptions) (HistoryChanges, error) {
	finder, err := diff.NewReasons(c)
	if err != nil {
		return HistoryChanges{}, err
	}
	d := newHistoryDrawing(guide, options)
	b := d.brief(c, finder)
	var texts []string
	for _, mark := range b.marks {
		texts = append(texts, b.styles[mark].Render(mark)+" "+message.List(b.told[mark]).In(d.lang))
	}
	if len(b.packages) > 0 {
		texts = append(texts, diffMarks[diff.Renamed]+" "+message.List(b.packages).In(d.lang))
	}
	if b.smaller > 0 {
		texts = append(texts, d.words.smaller()+" "+strconv.Itoa(b.smaller))
	}
	came, went := diffMarks[diff.Added], diffMarks[diff.Removed]
	changes := HistoryChanges{
		Text: strings.Join(texts, d.words.between()),
		Came: b.told[came], Went: b.told[went],
	}
	if len(texts) == 0 {
		changes.Text = d.words.samePath()
	}
	return changes, nil
}

// A brief is the content of a line of a history.
type brief struct {
	// marks are the marks that occur, in order; told has the changes of each mark, and styles its style.
	marks  []string
	told   map[string][]string
	styles map[string]lipgloss.Style
	// packages are the packages from which several functions moved to another one.
	packages []string
	// smaller counts the other changes.
	smaller int
	// requests are the pairs of requests that were compared, unmerged.
	requests []*Differences
}

// brief selects the content of a line of a history.
func (d *diffDrawing) brief(c *diff.Comparison, finder *diff.Reasons) brief {
	b := brief{told: map[string][]string{}, styles: map[string]lipgloss.Style{}}
	known := map[[2]string]bool{} // by mark and text
	for i := range c.Requests {
		pair := &c.Requests[i]
		if pair.Diff == nil {
			continue
		}
		differences := view.NewUnmerged(pair.Diff, d.guide)
		b.requests = append(b.requests, differences)
		for _, p := range differences.Packages {
			b.packages = appendNew(b.packages, fmt.Sprintf("%s %s %s", p.From, d.arrow, p.To))
		}
		for _, change := range differences.Changes {
			if change.Telling {
				for _, c := range d.newBetween(finder, differences, change) {
					mark, text := d.briefMark(finder, differences, c.Change), d.briefly(differences, c)
					if b.styles[mark] = d.kindStyle(c.Kind); !known[[2]string{mark, text}] {
						known[[2]string{mark, text}] = true
						b.told[mark] = append(b.told[mark], text)
					}
				}
			} else if !differences.MovedWithPackage(change.Change) {
				b.smaller++
			}
		}
	}
	for _, mark := range d.briefMarks() {
		if len(b.told[mark]) > 0 {
			b.marks = append(b.marks, mark)
		}
	}
	return b
}

// newBetween returns in place of an addition or a removal the key steps that came or went with it, as keysBetween finds them, if the
// sources tell of them; the change itself if there are none.
func (d *diffDrawing) newBetween(finder *diff.Reasons, differences *Differences, c ShownChange) []ShownChange {
	if c.Kind != diff.Added && c.Kind != diff.Removed {
		return []ShownChange{c}
	}
	var all []ShownChange
	for _, call := range differences.KeysBetween(c.Change, d.guide) {
		below := ShownChange{Change: view.OnlyChange(c.Kind, call)}
		if call == c.A || call == c.B {
			all = append(all, c)
		} else if finder.Of(differences.Diff, below.Change).Why == diff.NewFunction || finder.InBoth(differences.CallOf(below.Change)) {
			all = append(all, below)
		}
	}
	if len(all) == 0 {
		return []ShownChange{c}
	}
	return all
}

// briefMarks are the marks in a history, in their order.
func (d *diffDrawing) briefMarks() []string {
	marks := []string{diffMarks[diff.Added], diffMarks[diff.Removed], "(+)", "(-)", d.noSpan}
	for _, kind := range []diff.Kind{diff.Renamed, diff.Moved, diff.Repeated, diff.Reordered, diff.Valued} {
		marks = append(marks, diffMarks[kind])
	}
	return marks
}

// briefMark returns the mark of a change in a history. It is in brackets if both sources have the call but only
// one side ran it; there is a separate mark if the function has no span on the other side.
func (d *diffDrawing) briefMark(finder *diff.Reasons, differences *Differences, c diff.Change) string {
	mark := diffMarks[c.Kind]
	if c.Kind != diff.Added && c.Kind != diff.Removed {
		return mark
	}
	tree, call := differences.SideOf(c)
	above := tree.Parent(call)
	switch finder.Of(differences.Diff, c).Why {
	case diff.OtherWay:
		return "(" + mark + ")"
	case diff.NoReason: // the caller is new or gone, the function is not
		if above >= 0 && differences.Partners(tree)[above] == diff.None && finder.InBoth(tree.Call(call)) {
			return "(" + mark + ")"
		}
	case diff.NoSpan, diff.OtherPlace:
		return d.noSpan
	}
	return mark
}

func (d *diffDrawing) kindStyle(kind diff.Kind) lipgloss.Style {
	switch kind {
	case diff.Added:
		return d.Palette.Added
	case diff.Removed:
		return d.Palette.Removed
	}
	return d.Palette.Changed
}

// briefly names what changed.
func (d *diffDrawing) briefly(differences *Differences, c ShownChange) string {
	name := view.NameWithPurpose(differences.CallOf(c.Change))
	switch c.Kind {
	case diff.Renamed:
		a, b := differences.Diff.A.Call(c.A), differences.Diff.B.Call(c.B)
		if was := a.ShortName(); was != name {
			return was + " " + d.arrow + " " + name
		}
		was, is := view.FilesApart(a.File, b.File)
		return fmt.Sprintf("%s (%s %s %s)", name, was, d.arrow, is)
	case diff.Repeated:
		return fmt.Sprintf("%s %s%d %s %s%d", name, d.times, c.CountA, d.arrow, d.times, c.CountB)
	case diff.Valued:
		v := c.Fresh[0]
		was, is := view.InWordsApart(v)
		return fmt.Sprintf("%s %s %s %s", view.ValueLabel(v.Name), view.QuoteEmpty(oneLine(was)), d.arrow, view.QuoteEmpty(oneLine(is)))
	}
	return name
}

func appendNew(list []string, text string) []string {
	for _, known := range list {
		if known == text {
			return list
		}
	}
	return append(list, text)
}
