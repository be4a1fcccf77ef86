package learner

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubeapitrace/apitrace/workshop"
)

// lessonWidth is how wide texts are at most: longer lines are hard to read.
const lessonWidth = 88

func (l *Learner) width() int {
	if l.columns > 0 {
		return min(l.columns, lessonWidth)
	}
	return 80
}

// markdown prints a text: its paragraphs wrapped, lists item by item, and indented lines as they are.
func (l *Learner) markdown(t workshop.Text) {
	fmt.Fprint(l.out, layOut(t.In(l.lang), l.width()))
}

// item prints a text behind its letter.
func (l *Learner) item(letter string, t workshop.Text) {
	text := layOut(t.In(l.lang), l.width()-5)
	fmt.Fprintf(l.out, "  %s  %s\n", letter, strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n     "))
}

// layOut wraps the paragraphs of a Markdown text.
func layOut(text string, width int) string {
	var out strings.Builder
	var paragraph []string
	flush := func() {
		if len(paragraph) > 0 {
			out.WriteString(wrapped(joinLines(paragraph), width) + "\n")
			paragraph = nil
		}
	}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.TrimRight(line, " \n")
		switch {
		case line == "":
			flush()
			out.WriteString("\n")
		case strings.HasPrefix(line, "  "):
			flush()
			out.WriteString(line + "\n")
		case strings.HasPrefix(line, "- "), strings.HasPrefix(line, "#"):
			flush()
			paragraph = append(paragraph, line)
		default:
			paragraph = append(paragraph, strings.TrimSpace(line))
		}
	}
	flush()
	return out.String()
}

// wrapped breaks a text into lines, but not at hyphens: commands have flags, and headers names with some.
func wrapped(text string, width int) string {
	const unbroken = "\u2011" // a hyphen, as wide as the other, that is no place to break at
	text = ansi.Wrap(strings.ReplaceAll(text, "-", unbroken), width, " ")
	return strings.ReplaceAll(text, unbroken, "-")
}

// firstWide is the first of the characters of Chinese writing.
const firstWide = '\u2E80'

// joinLines joins the lines of a paragraph. Between Chinese characters there is no blank.
func joinLines(lines []string) string {
	var out strings.Builder
	for _, line := range lines {
		last, _ := utf8.DecodeLastRuneInString(out.String())
		first, _ := utf8.DecodeRuneInString(line)
		if out.Len() > 0 && !(last >= firstWide && first >= firstWide) {
			out.WriteByte(' ')
		}
		out.WriteString(line)
	}
	return out.String()
}
