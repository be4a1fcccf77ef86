package render

import (
	"bufio"
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/kubeapitrace/apitrace/trace/diff"
)

// writeSides draws both trees next to each other, what is the same call on one line.
func (d *diffDrawing) writeSides(out *bufio.Writer) {
	const between = " | "
	column := (d.width - len(between)) / 2
	fmt.Fprintln(out, d.Facts.Render(d.side(d.options.NameA, column)+between+d.options.NameB))
	d.writeSide(out, d.view.Root, 0, column, between)
}

func (d *diffDrawing) writeSide(out *bufio.Writer, n *Node, level, column int, between string) {
	for _, call := range n.Calls {
		d.inView[call] = true
	}
	i := n.Calls[0]
	a, b := "", ""
	if j := d.Merged.A[i]; j != diff.None {
		a = d.indented(d.Diff.A.Call(j).ShortName()+d.sideCounts(n), level)
	}
	if j := d.Merged.B[i]; j != diff.None {
		b = d.indented(d.Diff.B.Call(j).ShortName()+d.sideCounts(n), level)
	}
	mark := d.mark(i)
	if mark == "" {
		mark = strings.TrimSpace(between)
	}
	style := d.diffStyle(n)
	fmt.Fprintln(out, strings.TrimRight(style.Render(d.side(a, column))+" "+style.Render(mark[:1])+" "+style.Render(d.side(b, column)), " "))
	for _, child := range n.Children {
		next := level + 1
		if child.Continues {
			next = level
		}
		d.writeSide(out, child, next, column, between)
	}
}

// sideCounts is how many calls a node stands for and how many are folded below it.
func (d *diffDrawing) sideCounts(n *Node) string {
	text := ""
	if len(n.Calls) > 1 {
		text += fmt.Sprintf(" %s%d", d.times, len(n.Calls))
	}
	if n.Below > 0 {
		text += fmt.Sprintf(" %s%d", d.folded, n.Below)
	}
	return text
}

// indented indents a name; in narrow columns a deep level is written as a number.
func (d *diffDrawing) indented(name string, level int) string {
	const most = 8
	if level <= most {
		return strings.Repeat(" ", level) + name
	}
	return strings.Repeat(" ", most) + fmt.Sprintf("+%d ", level-most) + name
}

// side fills a text up to a column's width, or shortens it.
func (d *diffDrawing) side(text string, column int) string {
	text = d.fit(text, column)
	return text + strings.Repeat(" ", max(0, column-lipgloss.Width(text)))
}
