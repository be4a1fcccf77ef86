package render

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/view"
)

// A HistoryStep is a release in a scenario's history.
type HistoryStep struct {
	Version string
	// Calls is the number of calls of all requests.
	Calls int
	// Changes describes the changes since the release before. It is empty for the first
	// release.
	Changes HistoryChanges
	// NotRecorded is set for a release without a recording of the scenario. Why is the
	// reason, or "" if unknown.
	NotRecorded bool
	Why         string
}

// HistoryChanges describes the changes since the release before.
type HistoryChanges struct {
	// Text is one line.
	Text string
	// Came and Went are the functions in the text that were added and removed,
	// without functions in brackets.
	Came, Went []string
}

// WriteHistory writes the history of a scenario, with a paragraph for each release.
// It also explains the signs if any step has HistoryChanges.Text.
func WriteHistory(w io.Writer, steps []HistoryStep, options DiffOptions) error {
	out := bufio.NewWriter(w)
	d := newPen(&options.Options, &options.Layout)
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
			text += d.colon() + says
		}
		indent := strings.Repeat(" ", width+2)
		for i, line := range wrapNames(text, max(d.width-len(indent), 20)) {
			if i == 0 {
				fmt.Fprintln(out, d.Key.Render(fmt.Sprintf("%-*s", width, step.Version))+"  "+line)
			} else {
				fmt.Fprintln(out, indent+line)
			}
		}
	}
	if slices.ContainsFunc(steps, func(s HistoryStep) bool { return s.Changes.Text != "" }) {
		fmt.Fprintln(out)
		legend := d.words.Sprintf("each release is compared with the one above: + added, - removed, ~ renamed, > with another caller, # called more or less often, ^ reordered, = other values; (+) newly called, though the source of the release before has the function, too; (-) no longer called, though the source still has it; ◌+ and ◌-: only apitrace's recording of the function begins or ends here; \"apitrace diff\" of two releases has the reasons and the smaller changes")
		for _, text := range append([]string{legend}, d.earlyPatches(steps)...) {
			for _, line := range wrap(text, max(d.width, 20)) {
				fmt.Fprintln(out, d.Facts.Render(line))
			}
		}
	}
	return out.Flush()
}

// earlyPatches returns a remark on early patch releases, or nil. The remark names a
// release if its patch number is smaller than the numbers of both neighbours in
// steps. The release must also remove a function that the next release adds again,
// or add a function that the next release removes. The cause can be a backport,
// which only later patch releases have.
func (d *pen) earlyPatches(steps []HistoryStep) []string {
	var texts []string
	steps = slices.DeleteFunc(slices.Clone(steps), func(s HistoryStep) bool { return s.NotRecorded })
	for i := 1; i+1 < len(steps); i++ {
		before, step, after := steps[i-1], steps[i], steps[i+1]
		if patch := patchOf(step.Version); patch >= patchOf(before.Version) || patch >= patchOf(after.Version) {
			continue
		}
		if lacks := common(step.Changes.Went, after.Changes.Came); len(lacks) > 0 {
			texts = append(texts, d.words.Sprintf("%s alone lacks %s", step.Version, d.firstOf(lacks)))
		}
		if has := common(step.Changes.Came, after.Changes.Went); len(has) > 0 {
			texts = append(texts, d.words.Sprintf("%s alone has %s", step.Version, d.firstOf(has)))
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return []string{d.words.Sprintf("an early patch release can lack a change that a later patch release of the same minor version has: %s", strings.Join(texts, d.words.Sprintf("; ")))}
}

// firstOf lists the first names.
func (d *pen) firstOf(names []string) string {
	const most = 4
	if len(names) > most {
		names = append(names[:most], d.Ellipsis)
	}
	return d.list(names)
}

// common returns the names that are in both lists.
func common(names, other []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(other, name) })
}

// patchOf returns the last number of a version.
func patchOf(version string) int {
	n, _ := strconv.Atoi(version[strings.LastIndexByte(version, '.')+1:])
	return n
}

// BriefOf describes a Brief in one line of text.
func BriefOf(b *view.Brief, options DiffOptions) HistoryChanges {
	p := newPen(&options.Options, &options.Layout)
	var texts []string
	for _, m := range b.Marks {
		style, _ := p.StyleOf(m.Change)
		texts = append(texts, style.Render(m.Mark)+" "+p.list(m.Names))
	}
	if b.Smaller > 0 {
		texts = append(texts, p.words.Plural(b.Smaller, "%d smaller change", "%d smaller changes", b.Smaller))
	}
	changes := HistoryChanges{
		Text: strings.Join(texts, p.words.Sprintf("; ")), Came: b.Names(view.MarkOf(diff.Added)), Went: b.Names(view.MarkOf(diff.Removed)),
	}
	if len(texts) == 0 {
		changes.Text = p.words.Sprintf("the same path")
	}
	return changes
}
