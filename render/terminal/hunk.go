package terminal

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// A hunkKey says of which functions the texts are compared.
type hunkKey struct{ releaseA, releaseB, functionA, functionB string }

// A hunkText is the unified diff of two functions, or why there is none.
type hunkText struct {
	lines []string
	err   error
}

type hunked struct {
	key  hunkKey
	text hunkText
}

// changedFunction returns the calls whose functions are compared below the tree: the selected call on both
// sides or, of a call of one side alone, the nearest caller that both have. line is where that
// makes the selected call, on side B or on A; 0 if it is the selected call itself.
func (m *Model) changedFunction() (a, b *trace.Call, line int, onB bool) {
	d := m.compared.view.Differences()
	i := m.call()
	for ; d.Merged.A[i] == diff.None || d.Merged.B[i] == diff.None; i = d.Merged.Tree.Parent(i) {
		if d.Merged.Tree.Parent(i) < 0 {
			return nil, nil, 0, false
		}
		if onB = d.Merged.B[i] != diff.None; onB {
			line = d.Diff.B.Call(d.Merged.B[i]).CallerLine
		} else {
			line = d.Diff.A.Call(d.Merged.A[i]).CallerLine
		}
	}
	return d.Diff.A.Call(d.Merged.A[i]), d.Diff.B.Call(d.Merged.B[i]), line, onB
}

// compareSource returns the command that compares the source of the selected call, nil if that is known or not asked for.
func (m *Model) compareSource() tea.Cmd {
	if m.compared == nil || !m.below || m.mode != modeTree {
		return nil
	}
	a, b, _, _ := m.changedFunction()
	if a == nil {
		return nil
	}
	c := m.compared
	key := hunkKey{c.A.K8sVersion, c.B.K8sVersion, a.Function, b.Function}
	if _, known := m.hunks[key]; known {
		return nil
	}
	m.hunks[key] = hunkText{lines: []string{saysReading.In(m.options.Lang)}}
	o := source.DiffOptions{Added: m.palette.Added, Removed: m.palette.Removed, Heading: m.palette.Place}
	lib := m.lib
	return func() tea.Msg {
		diff, err := lib.SourceDiff(c.A, c.B, a, b, o)
		return hunked{key, hunkText{strings.Split(strings.TrimRight(diff, "\n"), "\n"), err}}
	}
}

// belowLines returns what stands below the tree of a comparison: what changed at the selected call, and the
// text of its function on both sides from the hunk on that made the difference.
func (m *Model) belowLines(width, height int) []string {
	lines := m.compared.view.Details(m.call(), width)
	a, b, line, onB := m.changedFunction()
	if a == nil {
		return filled(lines, height)
	}
	known := m.hunks[hunkKey{m.compared.A.K8sVersion, m.compared.B.K8sVersion, a.Function, b.Function}]
	if known.err != nil {
		return filled(append(lines, text.Wrap(text.Escape(known.err.Error()), width)...), height)
	}
	heading := min(2, len(known.lines)) // which functions are compared
	hunk := max(heading, hunkOf(known.lines, line, onB))
	from := max(heading, min(hunk+m.belowScroll, len(known.lines)-1))
	m.belowScroll = from - hunk
	if heading == 2 {
		names := m.forest.story.Names
		lines = append(lines, m.palette.Removed.Render(fmt.Sprintf("--- %s  %s  %s", m.compared.nameA, names.Of(a), names.Place(a))),
			m.palette.Added.Render(fmt.Sprintf("+++ %s  %s  %s", m.compared.nameB, names.Of(b), names.Place(b))))
	}
	for _, l := range known.lines[min(from, len(known.lines)):] {
		lines = append(lines, strings.ReplaceAll(l, "\t", "    "))
	}
	return filled(lines, height)
}

// hunkHeading is the heading of a hunk: its first line and their number, on sides A and B.
var hunkHeading = regexp.MustCompile(`^@@ -(\d+),(\d+) \+(\d+),(\d+) @@`)

// hunkOf returns the index of the heading of the hunk that a line of one side is in, 0 if it is in none.
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
