package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Width is the default width of running text in columns: the width of a narrow
// terminal.
const Width = 80

// Wrap breaks a text into lines of at most width columns. It breaks at blanks,
// and between wide characters, which need no blanks between words. A part
// without such a place is broken anywhere if it is longer than a line. Blanks
// and line breaks become one blank, or nothing (see Blank). The result has at
// least one line.
func Wrap(s string, width int) []string {
	var lines []string
	line, used := "", 0 // used is the number of columns of line
	// An escape sequence may contain a blank. So in a text with escape
	// sequences, the words of a line are not measured separately.
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

// Columns returns the width of a text in a terminal. It is fast for ASCII
// characters and the lines of trees, which are one column wide each. Nearly all
// texts have no other characters, and a full view measures a million texts.
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

// isLine reports whether a text begins with a character of the Unicode block
// Box Drawing, U+2500 to U+257F. Trees are drawn with these characters.
func isLine(s string) bool {
	return len(s) >= 3 && s[0] == 0xe2 && (s[1] == 0x94 || s[1] == 0x95) && s[2]&0xc0 == 0x80
}

// isASCII reports whether a text is printable ASCII. A word of ASCII is one
// piece.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Blank returns the separator between a line and the next word or line of its
// paragraph: "" between two wide characters and next to full-width punctuation,
// which includes a blank, and " " otherwise. An arrow keeps its blanks, even
// next to such punctuation.
func Blank(line, next string) string {
	before, _ := utf8.DecodeLastRuneInString(line)
	after, _ := utf8.DecodeRuneInString(next)
	if wide(before) && wide(after) || (fullWidth(before) || fullWidth(after)) && !arrow(before) && !arrow(after) {
		return ""
	}
	return " "
}

// WrapLines wraps each line of a text and keeps the line breaks.
func WrapLines(s string, width int) []string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimRight(s, "\n"), "\n") {
		lines = append(lines, Wrap(line, width)...)
	}
	return lines
}

// These characters are punctuation of Chinese texts. A line must not begin with
// closing punctuation, or end with opening punctuation.
const (
	closing = "，。；：、？！）》」】”"
	opening = "（《「【“"
)

// pieces splits a word where a line may end; see mayBreak.
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

// mayBreak reports whether a line may end between two characters of a word:
// around a wide character, and after closing punctuation of Chinese texts.
func mayBreak(before, r rune) bool {
	switch {
	case strings.ContainsRune(opening, before) || strings.ContainsRune(closing, r):
		return false
	case wide(r) || before != '”' && strings.ContainsRune(closing, before):
		return true
	}
	return wide(before) && (unicode.IsLetter(r) || strings.ContainsRune(opening, r))
}

// fullWidth reports whether a character is full-width punctuation. It returns
// false for quotation marks, because English texts have them, too.
func fullWidth(r rune) bool {
	return r >= '\u2E80' && (strings.ContainsRune(closing, r) || strings.ContainsRune(opening, r))
}

// arrow reports whether a character is in the Unicode block Arrows.
func arrow(r rune) bool { return r >= '\u2190' && r <= '\u21FF' }

// wide reports whether a character belongs to a script with wide letters.
func wide(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }
