package text

import (
	"strings"
	"unicode"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Wrap breaks a text at its blanks, and between the wide characters of scripts that
// have none, so that no line has more than width columns. What is longer without a
// place to break is broken where the line ends. Blanks and line breaks of s are one blank
// each; the result has at least one line.
func Wrap(s string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(s) {
		between := " "
		for _, piece := range pieces(word) {
			if line != "" && lipgloss.Width(line+between+piece) > width {
				lines, line = append(lines, line), ""
			}
			if line != "" {
				piece = line + between + piece
			}
			broken := strings.Split(ansi.Hardwrap(piece, width, false), "\n")
			lines = append(lines, broken[:len(broken)-1]...)
			line, between = broken[len(broken)-1], ""
		}
	}
	return append(lines, line)
}

// pieces splits a word before each wide character that may begin a line.
func pieces(word string) []string {
	var all []string
	start, wide := 0, false
	for i, r := range word {
		after := wide
		wide = unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
		if i > start && (wide || after && unicode.IsLetter(r)) {
			all, start = append(all, word[start:i]), i
		}
	}
	return append(all, word[start:])
}
