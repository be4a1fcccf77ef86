package render

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// duration writes nanoseconds with three digits and a unit, "4.12ms".
func (g glyphs) duration(ns int64) string {
	if ns < 1000 {
		return fmt.Sprintf("%dns", ns)
	}
	value := float64(ns) / 1e3
	units := []string{g.micro, "ms", "s"}
	for value >= 999.5 && len(units) > 1 {
		value, units = value/1e3, units[1:]
	}
	decimals := 2
	switch {
	case value >= 99.95:
		decimals = 0
	case value >= 9.995:
		decimals = 1
	}
	return strconv.FormatFloat(value, 'f', decimals, 64) + units[0]
}

// wrap breaks a text at its blanks, and between the wide characters of scripts that
// have none, so that no line has more than width columns. What is longer without a
// place to break is broken where the line ends.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
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

// oneLine makes a recorded text harmless: whatever could move the cursor, break
// the line or command the terminal is written as Go would escape it.
func oneLine(s string) string {
	if !strings.ContainsFunc(s, unprintable) {
		return s
	}
	var out strings.Builder
	for _, r := range s {
		if unprintable(r) {
			out.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }
