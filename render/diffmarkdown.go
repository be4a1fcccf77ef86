package render

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/view"
)

// WriteDiffMarkdown writes comparisons for a pull request or an issue, in GitHub's
// Markdown without colours. The sentences come first. Then there are two folded
// parts: the changed calls with links to their lines, and the tree. The comparisons
// must have Places.
func WriteDiffMarkdown(w io.Writer, comparisons []*view.Comparison, options DiffOptions) error {
	options.Palette = Palette{}
	out := bufio.NewWriter(w)
	for i, comparison := range comparisons {
		if i == 0 {
			for _, warning := range comparison.Warnings {
				fmt.Fprintf(out, "> %s\n\n", InMarkdown(warning))
			}
		} else {
			out.WriteByte('\n')
		}
		m := markdown{diffDrawing: newDiffDrawing(nil, comparison, &options), file: out}
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

// A markdown writes the comparison of a pair of requests.
type markdown struct {
	*diffDrawing
	file *bufio.Writer
	// unpublished lists the names of sides with calls that have no link, because no
	// fetched branch has their commit.
	unpublished []string
}

func (m *markdown) write() error {
	c := m.comparison
	if c.OnlyIn != "" {
		fmt.Fprintf(m.file, "**%s** %s\n", codeSpan(c.Request), InMarkdown(c.OnlyIn))
		return nil
	}
	m.heading()
	if c.Same {
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
	c := m.comparison
	status := ""
	switch {
	case c.StatusA != c.StatusB:
		status = fmt.Sprintf(" %s %d | %d", m.Arrow, c.StatusA, c.StatusB)
	case c.StatusA != 0: // an event has no status
		status = fmt.Sprintf(" %s %d", m.Arrow, c.StatusA)
	}
	fmt.Fprintf(m.file, "**%s**%s\n\n%s\n", codeSpan(c.Request), status, InMarkdown(c.Facts))
}

// sentences writes the changes layer by layer.
func (m *markdown) sentences() {
	c := m.comparison
	for _, layer := range c.Layers {
		if len(layer.Sentences) > 0 {
			fmt.Fprintf(m.file, "\n**%s**\n\n", InMarkdown(layer.Title))
		}
		for _, sentence := range layer.Sentences {
			fmt.Fprintf(m.file, "- %s\n", InMarkdown(sentence.Text))
			for _, evidence := range sentence.Evidence {
				fmt.Fprintf(m.file, "  - %s\n", InMarkdown(evidence))
			}
		}
	}
	if c.NoReason != "" {
		fmt.Fprintf(m.file, "\n%s\n", InMarkdown(c.NoReason))
	}
	for _, rest := range []struct {
		title  string
		titles []string
	}{{m.words.Sprintf("Smaller changes"), smallerIn(c.Layers)}, {m.words.Sprintf("No difference recorded"), c.Unchanged}} {
		if len(rest.titles) > 0 {
			fmt.Fprintf(m.file, "\n%s%s%s\n", InMarkdown(rest.title), m.colon(), InMarkdown(m.list(rest.titles)))
		}
	}
	if c.LeftOut > 0 {
		fmt.Fprintf(m.file, "\n%s\n", InMarkdown(m.leftOut(c)))
	}
}

// mostSmaller is the maximum number of listed changes if the default view shows
// none.
const mostSmaller = 30

// changes lists the changes of the default view, each with its places in the source.
// If there are none, it lists all changes: a developer's own change is mostly not at
// a key step.
func (m *markdown) changes() {
	lines := m.changeLines(func(p *view.ChangePlace) bool { return p.Telling && p.Shown })
	n := len(lines)
	if n == 0 && !m.options.Filter.Active() {
		lines = m.changeLines(func(*view.ChangePlace) bool { return true })
		if n = len(lines); n > mostSmaller {
			lines = append(lines[:mostSmaller], "- "+m.words.Sprintf("and %d more", n-mostSmaller))
		}
	}
	if n == 0 {
		return
	}
	for _, side := range m.unpublished {
		lines = append(lines, "", InMarkdown(m.words.Sprintf("No branch fetched from GitHub contains the commit of %s: its lines have no link.", side)))
	}
	m.fold(m.words.Plural(n, "%d change, with its place in the source", "%d changes, with their places in the source", n), strings.Join(lines, "\n"))
}

// changeLines lists the changes for which wanted returns true.
func (m *markdown) changeLines(wanted func(*view.ChangePlace) bool) []string {
	var lines []string
	for i := range m.comparison.Places {
		if p := &m.comparison.Places[i]; wanted(p) {
			lines = append(lines, fmt.Sprintf("- `%s` %s", p.Mark, strings.Join(m.places(p), " "+m.Arrow+" ")))
		}
	}
	return lines
}

// places links the calls of a change: one call, or the calls of both sides if they
// differ.
func (m *markdown) places(p *view.ChangePlace) []string {
	var sides []string
	if p.A != nil {
		sides = append(sides, m.link(p.A, m.comparison.NameA))
	}
	if p.B != nil {
		if link := m.link(p.B, m.comparison.NameB); len(sides) == 0 || sides[0] != link {
			sides = append(sides, link)
		}
	}
	return sides
}

// link names a call and its place, with a link if the address is known.
func (m *markdown) link(p *view.SourcePlace, side string) string {
	note := ""
	if p.Uncommitted {
		note = " " + InMarkdown(m.words.Sprintf("(not committed)"))
	}
	if p.Unpublished && !slices.Contains(m.unpublished, side) {
		m.unpublished = append(m.unpublished, side)
	}
	text := codeSpan(p.Name)
	if p.URL != "" {
		text = "[" + text + "](" + p.URL + ")"
	}
	return text + " " + codeSpan(p.Place) + note
}

// tree adds the tree as a block that GitHub colours as a diff, because the marks
// are in the first column. It adds none if the tree shows no change.
func (m *markdown) tree() error {
	c := m.comparison
	if c.TooMany > 0 || c.Shown == 0 {
		return nil
	}
	key, err := m.drawn(func(d *diffDrawing) { d.writeKey() })
	if err != nil {
		return err
	}
	tree, err := m.drawn(func(d *diffDrawing) { d.writeTree(); d.writeFooter() })
	if err != nil {
		return err
	}
	fence := fenceFor(tree)
	m.fold(m.words.Sprintf("The call tree"), InMarkdown(strings.ReplaceAll(key, "\n", " "))+"\n\n"+fence+"diff\n"+tree+"\n"+fence)
	return nil
}

// drawn returns a part of the drawing, without empty lines around it.
func (m *markdown) drawn(write func(*diffDrawing)) (string, error) {
	var text strings.Builder
	d := newDiffDrawing(bufio.NewWriter(&text), m.comparison, m.options)
	write(d)
	err := d.out.Flush()
	return strings.Trim(text.String(), "\n"), err
}

// fold hides a text behind its title.
func (m *markdown) fold(title, text string) {
	fmt.Fprintf(m.file, "\n<details>\n<summary>%s</summary>\n\n%s\n\n</details>\n", InMarkdown(title), text)
}

var markdownSigns = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;",
	"#", `\#`, "|", `\|`, "~", `\~`, "@", "&#64;", "://", "&#58;//",
)

// InMarkdown escapes a text for GitHub's Markdown and puts it on one line. The
// result has no markup and no mentions.
func InMarkdown(text string) string { return markdownSigns.Replace(oneLine(text)) }

// codeSpan formats a text as code, even with backquotes.
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

// fenceFor returns a fence that the text does not contain.
func fenceFor(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}
