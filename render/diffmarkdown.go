package render

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/view"
)

// WriteDiffMarkdown writes a comparison for a pull request or an issue, in GitHub's Markdown without colours: the
// sentences, then their evidence in a folded part: the changed calls with links to their lines, and the tree.
func WriteDiffMarkdown(w io.Writer, c *diff.Comparison, guide Guide, options DiffOptions) error {
	finder, err := diff.NewReasons(c)
	if err != nil {
		return err
	}
	options.Palette = Palette{}
	out := bufio.NewWriter(w)
	for _, note := range options.warnings(c) {
		fmt.Fprintf(out, "> %s\n\n", InMarkdown(note))
	}
	for i := range c.Requests {
		if i > 0 {
			out.WriteByte('\n')
		}
		pair := &c.Requests[i]
		if pair.Diff == nil {
			only, err := drawn(func(out *bufio.Writer) { writeRequestDiff(out, c, pair, finder, guide, options) })
			if err != nil {
				return err
			}
			request, says, _ := strings.Cut(only, "\n")
			fmt.Fprintf(out, "**%s** %s\n", codeSpan(request), InMarkdown(says))
			continue
		}
		d := newDiffDrawing(c, pair, view.NewDifferences(pair.Diff, guide), guide, options)
		d.finder = finder
		m := markdown{diffDrawing: d, c: c, out: out}
		if err := m.write(); err != nil {
			return err
		}
	}
	for i, remark := range options.Remarks {
		if i == 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(out, "- %s\n", InMarkdown(remark.In(options.Lang)))
	}
	return out.Flush()
}

// A markdown writes what differs in a pair of requests.
type markdown struct {
	*diffDrawing
	c   *diff.Comparison
	out *bufio.Writer
	// unpublished are the names of sides whose calls have no link because no remote is known to have their commit.
	unpublished []string
}

func (m *markdown) write() error {
	m.heading()
	if m.Diff.Same() {
		return nil
	}
	m.sentences()
	if m.options.SummaryOnly {
		return nil
	}
	m.changes()
	return m.tree()
}

func (m *markdown) heading() {
	a, b := m.pair.A, m.pair.B
	status := fmt.Sprint(a.Status)
	if a.Status != b.Status {
		status += " | " + fmt.Sprint(b.Status)
	}
	fmt.Fprintf(m.out, "**%s** %s %s\n\n%s\n", codeSpan(b.Method+" "+oneLine(b.Path)), m.arrow, status, InMarkdown(m.diffFacts()))
}

// sentences tells what changed, layer by layer.
func (m *markdown) sentences() {
	s := view.NewSummary(m.Differences, m.guide, m.options.sides(m.c), m.finder)
	for _, layer := range s.Layers {
		if len(layer.Statements) > 0 {
			fmt.Fprintf(m.out, "\n**%s**\n\n", InMarkdown(layer.Title))
		}
		for i := range layer.Statements {
			st := &layer.Statements[i]
			fmt.Fprintf(m.out, "- %s\n", InMarkdown(m.sentence(st)))
			for n := range st.Evidence {
				fmt.Fprintf(m.out, "  - %s\n", InMarkdown(st.Evidence[n].In(m.words.Printer)))
			}
		}
	}
	for _, rest := range []struct {
		title  string
		titles []string
	}{{m.words.smaller(), smallerIn(s.Layers)}, {m.words.unchanged(), s.Unchanged}} {
		if len(rest.titles) > 0 {
			fmt.Fprintf(m.out, "\n%s%s%s\n", InMarkdown(rest.title), m.words.colon(), InMarkdown(message.List(rest.titles).In(m.options.Lang)))
		}
	}
}

// mostSmaller is the maximum number of changes that are listed though the default view shows none of them.
const mostSmaller = 30

// changes lists the changes that a first look should have, each with the lines of code that it is about. If there are none, it
// lists the others: a change that was just made is mostly no key step.
func (m *markdown) changes() {
	p := message.For(m.options.Lang)
	lines := m.changeLines(func(c ShownChange) bool { return c.Telling && m.shows(c) })
	n := len(lines)
	if n == 0 && !m.options.Filter.Active() {
		lines = m.changeLines(func(ShownChange) bool { return true })
		if n = len(lines); n > mostSmaller {
			lines = append(lines[:mostSmaller], "- "+p.Sprintf("and %d more", n-mostSmaller))
		}
	}
	if n == 0 {
		return
	}
	for _, side := range m.unpublished {
		lines = append(lines, "", InMarkdown(p.Sprintf("No branch fetched from GitHub contains the commit of %s: its lines have no link.", side)))
	}
	m.fold(p.Plural(n, "%d change, with its place in the source", "%d changes, with their places in the source", n), strings.Join(lines, "\n"))
}

// changeLines lists the wanted changes.
func (m *markdown) changeLines(wanted func(ShownChange) bool) []string {
	var lines []string
	for _, c := range m.Changes {
		if wanted(c) {
			lines = append(lines, fmt.Sprintf("- `%s` %s", diffMarks[c.Kind], strings.Join(m.sides(c), " "+m.arrow+" ")))
		}
	}
	return lines
}

// sides links the calls of a change: one, or those of both sides where they differ.
func (m *markdown) sides(c ShownChange) []string {
	var sides []string
	if c.A != diff.None {
		sides = append(sides, m.link(m.c.A, m.options.CommittedA, m.options.NameA, m.Diff.A.Call(c.A)))
	}
	if c.B != diff.None {
		if link := m.link(m.c.B, m.options.CommittedB, m.options.NameB, m.Diff.B.Call(c.B)); len(sides) == 0 || sides[0] != link {
			sides = append(sides, link)
		}
	}
	return sides
}

// link names a call and its line, with the address of that line: at upstream's tag, or at the commit of a checkout. A line of a
// file that is not committed has no address.
func (m *markdown) link(rec *trace.Recording, tree *trace.CommittedTree, side string, call *trace.Call) string {
	url, note := rec.SourceURL(call), ""
	if tree != nil {
		line, state := tree.Line(call)
		switch {
		case state == trace.UncommittedLine:
			note = " " + InMarkdown(message.For(m.options.Lang).Sprintf("(not committed)"))
		case state == trace.CommittedLine && line == "":
			if !slices.Contains(m.unpublished, side) {
				m.unpublished = append(m.unpublished, side)
			}
		case state == trace.CommittedLine:
			url = line
		}
	}
	text := codeSpan(m.story.Names.Of(call))
	if url != "" {
		text = "[" + text + "](" + url + ")"
	}
	return text + " " + codeSpan(m.story.Names.Place(call)) + note
}

// tree adds the tree as a block that GitHub colours as a diff: the marks are in the first column. A tree that shows no change
// is left out.
func (m *markdown) tree() error {
	if m.tooMany() > 0 || !slices.ContainsFunc(m.Changes, m.shows) {
		return nil
	}
	key, err := drawn(m.writeDiffKey)
	if err != nil {
		return err
	}
	tree, err := drawn(func(out *bufio.Writer) { m.writeDiffTree(out); m.writeDiffFooter(out) })
	if err != nil {
		return err
	}
	fence := fenceFor(tree)
	m.fold(message.For(m.options.Lang).Sprintf("The call tree"), InMarkdown(strings.ReplaceAll(key, "\n", " "))+"\n\n"+fence+"diff\n"+tree+"\n"+fence)
	return nil
}

// drawn returns what a part of the drawing writes, without the lines that part it from others.
func drawn(write func(*bufio.Writer)) (string, error) {
	var text strings.Builder
	out := bufio.NewWriter(&text)
	write(out)
	err := out.Flush()
	return strings.Trim(text.String(), "\n"), err
}

// fold hides a text behind its title.
func (m *markdown) fold(title, text string) {
	fmt.Fprintf(m.out, "\n<details>\n<summary>%s</summary>\n\n%s\n\n</details>\n", InMarkdown(title), text)
}

var markdownSigns = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;",
	"#", `\#`, "|", `\|`, "~", `\~`, "@", "&#64;", "://", "&#58;//",
)

// InMarkdown escapes a text so that it is one line without markup or mentions.
func InMarkdown(text string) string { return markdownSigns.Replace(oneLine(text)) }

// codeSpan formats a text as code, even if it contains backquotes.
func codeSpan(text string) string {
	text = oneLine(text)
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// fenceFor returns a fence that does not occur in the text.
func fenceFor(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}
