package terminal

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/text"
)

// A hunkKey identifies a pair of functions to compare.
type hunkKey struct{ releaseA, releaseB, functionA, functionB string }

// A hunkText is the unified diff of two functions, or the reason why there is none.
type hunkText struct {
	lines []string
	err   error
}

type hunked struct {
	key  hunkKey
	text hunkText
}

// compareSource returns the command that compares the source of the selected
// call's function. It returns nil if there is nothing to compare, or if the
// result is known or not shown.
func (m *Model) compareSource() tea.Cmd {
	if m.compared == nil || !m.below || m.mode != modeTree {
		return nil
	}
	c, f := m.compared, m.compared.view.ChangedFunction(m.call())
	if f == nil {
		return nil
	}
	key := hunkKey{c.A.K8sVersion, c.B.K8sVersion, f.A.Function, f.B.Function}
	if _, known := m.hunks[key]; known {
		return nil
	}
	m.hunks[key] = hunkText{lines: []string{saysReading.In(m.options.Lang)}}
	o := source.DiffOptions{Added: m.palette.Added, Removed: m.palette.Removed, Heading: m.palette.Place, Lang: m.options.Lang}
	lib := m.lib
	return func() tea.Msg {
		diff, err := lib.SourceDiff(c.A, c.B, f.A, f.B, o)
		return hunked{key, hunkText{strings.Split(strings.TrimRight(diff, "\n"), "\n"), err}}
	}
}

// belowLines returns the lines below the tree of a comparison. First come the sentences about
// the selected change, then the diff of the function to compare (view.ChangedFunction). The
// diff begins at the hunk with the line that makes the call. Scrolling down leads through the
// sentences to the diff, scrolling up to the earlier hunks.
func (m *Model) belowLines(width, height int) []string {
	lines, ofLayer := m.changeLines(width)
	f := m.compared.view.ChangedFunction(m.call())
	if f == nil || ofLayer {
		m.belowScroll = max(0, min(m.belowScroll, len(lines)-height))
		return filled(lines[m.belowScroll:], height)
	}
	said := max(0, min(m.belowScroll, len(lines)))
	lines = lines[said:]
	known := m.hunks[hunkKey{m.compared.A.K8sVersion, m.compared.B.K8sVersion, f.A.Function, f.B.Function}]
	if known.err != nil {
		m.belowScroll = said
		return filled(append(lines, text.Wrap(text.Escape(m.errorText(known.err)), width)...), height)
	}
	heading := min(2, len(known.lines)) // the names of the compared functions
	hunk := max(heading, hunkOf(known.lines, f.Line, f.OnB))
	from := max(heading, min(hunk+m.belowScroll-said, len(known.lines)-1))
	m.belowScroll = from - hunk + said
	if heading == 2 {
		names := m.forest.story.Names
		lines = append(lines, m.palette.Removed.Render(fmt.Sprintf("--- %s  %s  %s", m.compared.nameA, names.Of(f.A), names.Place(f.A))),
			m.palette.Added.Render(fmt.Sprintf("+++ %s  %s  %s", m.compared.nameB, names.Of(f.B), names.Place(f.B))))
	}
	for _, l := range known.lines[min(from, len(known.lines)):] {
		lines = append(lines, strings.ReplaceAll(l, "\t", "    "))
	}
	return filled(lines, height)
}

// changeLines describes the selected change in sentences, each with its reasons. A change without a
// sentence is described in short, with the sentences about the change that it came or went with.
// ofLayer is set if the sentences describe the changes of a layer.
func (m *Model) changeLines(width int) (lines []string, ofLayer bool) {
	said, ofLayer := m.said()
	if len(said) == 0 {
		for _, detail := range m.compared.view.Details(m.call()) {
			mark := m.palette.Mark.Render(detail.Mark) + " "
			for _, line := range text.Wrap(detail.Text, width-len(detail.Mark)-1) {
				lines = append(lines, mark+m.palette.Value.Render(line))
			}
		}
		said = m.compared.comparer.Pair(m.compared.pair).AboutAbove(m.call())
	}
	add := func(first, rest, line string, style lipgloss.Style) {
		for _, wrapped := range text.Wrap(line, width-lipgloss.Width(rest)) {
			lines, first = append(lines, first+style.Render(wrapped)), rest
		}
	}
	for _, sentence := range said {
		add("", "  ", sentence.Text, m.palette.Value)
		for i, evidence := range sentence.Evidence {
			sign := m.glyph("├─", "|-")
			if i == len(sentence.Evidence)-1 {
				sign = m.glyph("└─", "`-")
			}
			add("  "+sign+" ", "     ", evidence, m.palette.Facts)
		}
	}
	return lines, ofLayer
}

// hunkHeading matches the heading of a hunk: the first line and the number of
// lines on side A, then on side B.
var hunkHeading = regexp.MustCompile(`^@@ -(\d+),(\d+) \+(\d+),(\d+) @@`)

// hunkOf returns the index of the heading of the hunk that contains a line, or 0
// if no hunk does. The line is of side B if onB is set, else of side A.
func hunkOf(lines []string, line int, onB bool) int {
	for i, l := range lines {
		m := hunkHeading.FindStringSubmatch(ansi.Strip(l))
		if m == nil {
			continue
		}
		if onB {
			m = m[2:]
		}
		from, _ := strconv.Atoi(m[1])
		count, _ := strconv.Atoi(m[2])
		if line >= from && line < from+count {
			return i
		}
	}
	return 0
}
