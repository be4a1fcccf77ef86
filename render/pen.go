package render

import (
	"bufio"
	"fmt"
	"reflect"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/view"
)

// A pen has the styles, the glyphs, the language and the width of a drawing.
type pen struct {
	glyphs
	Palette
	words message.Printer
	width int
	// legend is Layout.Legend, marksOnly is Layout.MarksOnly.
	legend, marksOnly bool
	// hyperlinks turns places into links.
	hyperlinks bool
	// plain is set if the drawing has no styles and no links.
	plain bool
}

func newPen(o *view.Options, l *Layout) pen {
	p := pen{
		glyphs: unicodeGlyphs, Palette: l.Palette, words: message.For(o.Lang), width: l.columns(), legend: l.Legend, marksOnly: l.MarksOnly, hyperlinks: o.Hyperlinks,
		plain: reflect.ValueOf(l.Palette).IsZero() && !o.Hyperlinks,
	}
	if o.ASCII {
		p.glyphs = asciiGlyphs
	}
	return p
}

// paint returns a text in a style. In a plain drawing, it calls Style.Render only
// for a text with tabs, because Render replaces tabs. Render is slow: it would take
// half the time of a full view without colours.
func (p *pen) paint(style lipgloss.Style, text string) string {
	if p.plain && !strings.Contains(text, "\t") {
		return text
	}
	return style.Render(text)
}

// fit shortens s to a number of columns, with an ellipsis at the end.
func (p *pen) fit(s string, columns int) string {
	return ansi.Truncate(s, columns, p.Ellipsis)
}

// writeWrapped writes a text in lines of at most the width.
func (p *pen) writeWrapped(out *bufio.Writer, style lipgloss.Style, text string) {
	for _, line := range wrap(text, p.width) {
		fmt.Fprintln(out, style.Render(line))
	}
}

// middle shortens a path to a number of columns, with an ellipsis in the middle. The
// beginning stays, and so does the end with the file and the line.
func (p *pen) middle(path string, columns int) string {
	over := columnsOf(path) - columns
	if over <= 0 {
		return path
	}
	front := (columns - columnsOf(p.Ellipsis)) / 3
	rest := columns - front - columnsOf(p.Ellipsis)
	return ansi.Truncate(path, front, "") + p.Ellipsis + ansi.TruncateLeft(path, columnsOf(path)-rest, "")
}

func (p *pen) colon() string { return p.words.Sprintf(": ") }
