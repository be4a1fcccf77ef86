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
	line, used := "", 0 // used is the number of columns of line
	// An escape sequence may go on over a blank, so the parts of such a line are not measured alone.
	whole := strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) })
	for word := range strings.FieldsSeq(s) {
		between := Blank(line, word)
		for _, piece := range pieces(word) {
			own := Columns(piece)
			if line != "" {
				joined := used + len(between) + own
				if whole {
					joined = Columns(line + between + piece)
				}
				if joined > width {
					lines = append(lines, line)
				} else {
					piece, own = line+between+piece, joined
				}
			}
			line, used, between = piece, own, ""
			if own > width {
				broken := strings.Split(ansi.Hardwrap(piece, width, false), "\n")
				lines = append(lines, broken[:len(broken)-1]...)
				line = broken[len(broken)-1]
				used = Columns(line)
			}
		}
	}
	return append(lines, line)
}

// Columns is the width of a text in a terminal. Nearly all texts are ASCII and the lines of trees, each of which has one column: those
// of a full view are measured a million times.
func Columns(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] >= ' ' && s[i] <= '~':
		case isLine(s[i:]):
			i += len("─") - 1
		default:
			return lipgloss.Width(s)
		}
		n++
	}
	return n
}

// isLine reports whether a text begins with a character of Unicode's block Box Drawing, U+2500 to U+257F.
func isLine(s string) bool {
	return len(s) >= 3 && s[0] == 0xe2 && (s[1] == 0x94 || s[1] == 0x95) && s[2]&0xc0 == 0x80
}

// isASCII reports whether a text is printable ASCII: then each byte is a column, and no line ends within a word.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Blank returns what stands between a line and the word or the line that goes on with its paragraph: a blank, or nothing. Between
// two wide characters nothing stands, nor beside punctuation of full width, which has its blank inside. An arrow keeps its blanks.
func Blank(line, next string) string {
	before, _ := utf8.DecodeLastRuneInString(line)
	after, _ := utf8.DecodeRuneInString(next)
	if wide(before) && wide(after) || (fullWidth(before) || fullWidth(after)) && !arrow(before) && !arrow(after) {
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
	if isASCII(word) {
		return []string{word}
	}
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

// fullWidth reports whether a character is punctuation of full width. The quotation marks are not: English has them, too.
func fullWidth(r rune) bool {
	return r >= '\u2E80' && (strings.ContainsRune(closing, r) || strings.ContainsRune(opening, r))
}

func arrow(r rune) bool { return r >= '\u2190' && r <= '\u21FF' }

func wide(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }
