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

// wrap breaks a text at its blanks so that no line has more than width columns.
// A longer word is broken where the line ends.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && lipgloss.Width(line)+1+lipgloss.Width(word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		pieces := strings.Split(ansi.Hardwrap(word, width, false), "\n")
		lines = append(lines, pieces[:len(pieces)-1]...)
		line = pieces[len(pieces)-1]
	}
	return append(lines, line)
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
