package learner

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"charm.land/glamour/v2"
	"charm.land/glamour/v2/ansi"

	"github.com/kubeapitrace/apitrace/internal/text"
)

// widest is the maximum width of texts, because longer lines are hard to read.
// plainWidth is their width if the output has no known width, such as a pipe.
const (
	widest     = 88
	plainWidth = 80
)

// A typesetter formats Markdown for a terminal or for a text file.
type typesetter struct {
	width int
	// colour draws emphasis and code with escape sequences. Without it, emphasis is
	// dropped, and code stays between backquotes, which show its end.
	colour bool
}

// Marks before and after a code block in glamour's output: lines between them are not
// wrapped. They are from the private use area, so that no text contains them.
const (
	codeStart = "\uE000"
	codeEnd   = "\uE001"
)

// lay returns the text in lines of at most the typesetter's width, except code blocks.
// The result ends in a line break.
func (t typesetter) lay(markdown string) string {
	styled := joinLines(markdown)
	// Glamour only styles. Its own wrapping breaks names at their dots and Chinese
	// before a full stop.
	renderer, err := glamour.NewTermRenderer(glamour.WithStyles(t.style()), glamour.WithWordWrap(0))
	if err == nil {
		styled, err = renderer.Render(styled)
	}
	if err != nil {
		return markdown // unstyled, it can be read, too
	}
	var out []string
	code := false
	for line := range strings.Lines(styled) {
		line = strings.TrimRight(line, " \n")
		switch {
		case strings.Contains(line, codeStart):
			code = true
		case strings.Contains(line, codeEnd):
			code = false
		case code:
			out = append(out, line)
		case line != "" || len(out) > 0 && out[len(out)-1] != "":
			out = append(out, t.wrap(line)...)
		}
	}
	return strings.Trim(strings.Join(out, "\n"), "\n") + "\n"
}

// beginning matches the text before a line's text: its indentation, and the sign of a
// list item.
var beginning = regexp.MustCompile(`^ *(• |[0-9]+\. )?`)

// wrap breaks a line. It indents the further lines to where the text of the first begins.
func (t typesetter) wrap(line string) []string {
	first := beginning.FindString(line)
	indent := utf8.RuneCountInString(first)
	lines := text.Wrap(line[len(first):], max(t.width-indent, 20))
	for i := range lines {
		if i == 0 {
			lines[i] = first + lines[i]
		} else {
			lines[i] = strings.Repeat(" ", indent) + lines[i]
		}
	}
	return lines
}

// style returns the style for glamour.
func (t typesetter) style() ansi.StyleConfig {
	zero, two := uint(0), uint(2)
	style := ansi.StyleConfig{
		Document:    ansi.StyleBlock{Margin: &zero},
		BlockQuote:  ansi.StyleBlock{Indent: &two},
		List:        ansi.StyleList{LevelIndent: 2},
		Item:        ansi.StylePrimitive{BlockPrefix: "• "},
		Enumeration: ansi.StylePrimitive{BlockPrefix: ". "},
		Heading:     ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{BlockSuffix: "\n"}},
		CodeBlock: ansi.StyleCodeBlock{StyleBlock: ansi.StyleBlock{
			StylePrimitive: ansi.StylePrimitive{BlockPrefix: codeStart + "\n", BlockSuffix: codeEnd + "\n"}, Margin: &two,
		}},
		Code: ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Prefix: "`", Suffix: "`"}},
	}
	if !t.colour {
		style.H1.Prefix, style.H2.Prefix, style.H3.Prefix = "# ", "## ", "### "
		return style
	}
	yes, cyan := true, "6"
	style.Heading.Bold, style.Strong.Bold, style.Emph.Italic, style.Link.Underline = &yes, &yes, &yes, &yes
	style.Code.StylePrimitive = ansi.StylePrimitive{Color: &cyan}
	return style
}

// block matches a line that does not continue the paragraph before it: a heading, an
// item, a quotation or a table.
var block = regexp.MustCompile(`^ *(#|- |\* |[0-9]+\. |>|\|)`)

// joinLines makes one line of each paragraph of a Markdown text. Between Chinese
// characters it adds no blank; Markdown would turn a line break there into a blank.
func joinLines(markdown string) string {
	var out strings.Builder
	open := false // whether the next line may continue this one
	fenced := false
	for line := range strings.Lines(strings.TrimSpace(markdown)) {
		line = strings.TrimRight(line, " \n")
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		if fence {
			fenced = !fenced
		}
		codeBlock := fenced || fence || !open && strings.HasPrefix(line, "    ")
		if open && !codeBlock && line != "" && !block.MatchString(line) {
			line = strings.TrimLeft(line, " ")
			out.WriteString(text.Blank(out.String(), line) + line)
			continue
		}
		if out.Len() > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(line)
		open = line != "" && !codeBlock && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "|")
	}
	return out.String() + "\n"
}
