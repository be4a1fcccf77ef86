package learner

import (
	"fmt"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/text"
)

// width returns the width of texts, in columns.
func (l *Learner) width() int {
	if l.columns > 0 {
		return min(l.columns, widest)
	}
	return plainWidth
}

// translated is a text of the course, or a message.
type translated interface{ In(lang string) string }

// lay formats a text that is printed with an indentation of indent columns.
func (l *Learner) lay(t translated, indent int) string {
	return typesetter{width: l.width() - indent, colour: l.colour}.lay(l.chosen.in(t.In(l.lang)))
}

// markdown prints a Markdown text.
func (l *Learner) markdown(t translated) { fmt.Fprint(l.out, l.lay(t, 0)) }

// item prints a text after its letter.
func (l *Learner) item(letter string, t translated) {
	indent := len("  ") + len(letter) + len("  ")
	fmt.Fprintf(l.out, "  %s  %s\n", letter, indented(l.lay(t, indent), indent))
}

// indented indents all lines but the first, and removes the final line break.
func indented(text string, by int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := 1; i < len(lines); i++ {
		if lines[i] != "" {
			lines[i] = strings.Repeat(" ", by) + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

// detail prints a text below an entry of the list.
func (l *Learner) detail(t string) {
	const indent = "        "
	for _, line := range text.Wrap(t, l.width()-len(indent)) {
		fmt.Fprintln(l.out, indent+line)
	}
}
