package render

import (
	"bufio"
	"fmt"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// A pen has the styles, glyphs and width with which all text drawings write.
type pen struct {
	glyphs
	Palette
	lang  string
	width int
}

func newPen(o *Options) pen {
	return pen{glyphs: o.glyphs(), Palette: o.Palette, lang: o.Lang, width: o.columns()}
}

// fit shortens s at its end to a number of columns; a mark replaces the removed part.
func (p *pen) fit(s string, columns int) string {
	return ansi.Truncate(s, columns, p.ellipsis)
}

func (p *pen) writeWrapped(out *bufio.Writer, style lipgloss.Style, text string) {
	for _, line := range wrap(text, p.width) {
		fmt.Fprintln(out, style.Render(line))
	}
}

// middle shortens a path to a number of columns by removing its middle: its beginning and the file
// with its line are the most useful parts.
func (p *pen) middle(path string, columns int) string {
	over := lipgloss.Width(path) - columns
	if over <= 0 {
		return path
	}
	front := (columns - lipgloss.Width(p.ellipsis)) / 3
	rest := columns - front - lipgloss.Width(p.ellipsis)
	return ansi.Truncate(path, front, "") + p.ellipsis + ansi.TruncateLeft(path, lipgloss.Width(path)-rest, "")
}
