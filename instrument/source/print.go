package source

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"charm.land/lipgloss/v2"
	"github.com/alecthomas/chroma/v2"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// A Palette has a style for each part of the text. The zero value is plain.
type Palette struct {
	Keyword, String, Number, Comment, Declared lipgloss.Style
	// LineNumber is the style of line numbers. Mark is the style of the marks at
	// lines with calls.
	LineNumber, Mark lipgloss.Style
}

// Colours returns the palette for terminals. It uses the sixteen colours of the
// reader's own theme.
func Colours() Palette {
	plain := lipgloss.NewStyle()
	return Palette{
		Keyword: plain.Foreground(lipgloss.Magenta), String: plain.Foreground(lipgloss.Green),
		Number: plain.Foreground(lipgloss.Cyan), Comment: plain.Faint(true), Declared: plain.Bold(true),
		LineNumber: plain.Faint(true), Mark: plain.Foreground(lipgloss.Yellow),
	}
}

// PrintOptions say how to print a function.
type PrintOptions struct {
	Palette Palette
	// Marks are the calls to mark, ordered by line.
	Marks []Mark
	// Lang is the language of all text but the source: "en", "zh", or "" for English.
	Lang string
	// ASCII limits all text but the source to ASCII characters.
	ASCII bool
}

// Print writes the function's source, with line numbers of upstream's file. A line
// that made calls has a mark, and the called functions follow it. A line that calls
// only functions without a span has another mark: no recording shows these calls.
func Print(w io.Writer, f *Function, o PrintOptions) error {
	lines := o.Palette.Highlight(f.Text)
	sign, noSpan, arrow, times := "▶", "◌", "→", "×"
	if o.ASCII {
		sign, noSpan, arrow, times = ">", ".", "->", "x"
	}
	out := bufio.NewWriter(w)
	width := len(strconv.Itoa(f.Last))
	marks := o.Marks
	for i, text := range lines {
		number := f.First + i
		mark := " "
		if len(marks) > 0 && marks[0].Line == number {
			mark = o.Palette.Mark.Render(noSpan)
			if slices.ContainsFunc(marks, func(m Mark) bool { return m.Line == number && !m.NoSpan }) {
				mark = o.Palette.Mark.Render(sign)
			}
		}
		line := fmt.Sprintf("%s %s %s", o.Palette.LineNumber.Render(fmt.Sprintf("%*d", width, number)), mark, text)
		fmt.Fprintln(out, strings.TrimRight(line, " "))
		for len(marks) > 0 && marks[0].Line == number {
			called := arrow + " " + funcname.Short(marks[0].Function)
			if marks[0].Calls > 1 {
				called += fmt.Sprintf(" %s%d", times, marks[0].Calls)
			}
			if marks[0].NoSpan {
				called = noSpan + " " + message.For(o.Lang).Sprintf("%s, no span", funcname.Short(marks[0].Function))
			}
			fmt.Fprintf(out, "%*s   %s\n", width, "", o.Palette.Mark.Render(called))
			marks = marks[1:]
		}
	}
	return out.Flush()
}

// Highlight colours Go source, in lines. Tabs become four blanks.
func (p Palette) Highlight(text string) []string {
	var lines []string
	for _, line := range chroma.SplitTokensIntoLines(Tokens(printableText(text))) {
		var out strings.Builder
		for _, token := range line {
			value := strings.ReplaceAll(strings.TrimSuffix(token.Value, "\n"), "\t", "    ")
			out.WriteString(p.style(token.Type).Render(value))
		}
		lines = append(lines, out.String())
	}
	return lines[:min(len(lines), strings.Count(text, "\n"))]
}

// style returns the style of a token type of Tokens.
func (p Palette) style(token chroma.TokenType) lipgloss.Style {
	switch token {
	case chroma.Comment:
		return p.Comment
	case chroma.Keyword, chroma.KeywordType, chroma.KeywordConstant:
		return p.Keyword
	case chroma.LiteralString:
		return p.String
	case chroma.LiteralNumber:
		return p.Number
	case chroma.NameFunction:
		return p.Declared
	}
	return lipgloss.NewStyle()
}

// printableText replaces characters that would control the terminal. Go allows such
// characters in comments and raw strings.
func printableText(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n"))
}
