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

// A pen has a text drawing's styles, glyphs and width.
type pen struct {
	glyphs
	Palette
	words message.Printer
	width int
	// legend explains the signs of a trace above it.
	legend bool
	// hyperlinks turns places into links.
	hyperlinks bool
	// plain is set if no style changes a text.
	plain bool
}

func newPen(o *view.Options, l *Layout) pen {
	p := pen{
		glyphs: unicodeGlyphs, Palette: l.Palette, words: message.For(o.Lang), width: l.columns(), legend: l.Legend, hyperlinks: o.Hyperlinks,
		plain: reflect.ValueOf(l.Palette).IsZero() && !o.Hyperlinks,
	}
	if o.ASCII {
		p.glyphs = asciiGlyphs
	}
	return p
}

// paint returns a text in a style. Style.Render reads all properties of a style first,
// which would take half the time of a full view without colours. It also replaces
// tabs, in any style.
func (p *pen) paint(style lipgloss.Style, text string) string {
	if p.plain && !strings.Contains(text, "\t") {
		return text
	}
	return style.Render(text)
}

// fit shortens s at its end to a number of columns, with a mark.
func (p *pen) fit(s string, columns int) string {
	return ansi.Truncate(s, columns, p.Ellipsis)
}

func (p *pen) writeWrapped(out *bufio.Writer, style lipgloss.Style, text string) {
	for _, line := range wrap(text, p.width) {
		fmt.Fprintln(out, style.Render(line))
	}
}

// middle shortens a path in its middle to a number of columns. The most useful parts
// stay: its beginning, and the file with its line.
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
