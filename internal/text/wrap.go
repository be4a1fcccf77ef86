package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

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
		between := blankBetween(line, word)
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

// blankBetween is what stands between the end of a line and the next word: scripts without blanks have none where a line of
// the source ended.
func blankBetween(line, word string) string {
	before, _ := utf8.DecodeLastRuneInString(line)
	after, _ := utf8.DecodeRuneInString(word)
	punctuation := strings.ContainsRune(closing, before) && before != '”'
	if wide(after) && (wide(before) || punctuation) || punctuation && (unicode.IsLetter(after) || unicode.IsDigit(after)) {
		return ""
	}
	return " "
}

// WrapLines breaks each line of a text as Wrap does, and keeps its line breaks.
func WrapLines(s string, width int) []string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimRight(s, "\n"), "\n") {
		lines = append(lines, Wrap(line, width)...)
	}
	return lines
}

// Punctuation of full width. A line neither begins with what closes nor ends with what opens.
const (
	closing = "，。；：、？！）》」】”"
	opening = "（《「【“"
)

// pieces splits a word where a line may end: around wide characters, and behind the punctuation of their scripts.
func pieces(word string) []string {
	var all []string
	start := 0
	var before rune
	for i, r := range word {
		if i > start && mayBreak(before, r) {
			all, start = append(all, word[start:i]), i
		}
		before = r
	}
	return append(all, word[start:])
}

// mayBreak reports whether a line may end between two characters of a word.
func mayBreak(before, r rune) bool {
	switch {
	case strings.ContainsRune(opening, before) || strings.ContainsRune(closing, r):
		return false
	case wide(r) || before != '”' && strings.ContainsRune(closing, before):
		return true
	}
	return wide(before) && (unicode.IsLetter(r) || strings.ContainsRune(opening, r))
}

func wide(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }
