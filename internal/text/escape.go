// Package text formats text for people. It escapes text for a terminal and for
// a shell, wraps lines, suggests similar words, and writes tables. Translation
// is in package message.
package text

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape makes a text of unknown origin safe for one line of a terminal. It replaces each
// rune that is not [unicode.IsPrint] by its Go escape, such as \n, \x1b, \u0085 or
// \u202e, and each byte of invalid UTF-8 by \xNN. Not printable are:
//
//   - control characters, C0 and C1 (line breaks, tabs, escape, CSI, OSC)
//   - format characters: bidirectional marks, embeddings, overrides and isolates (U+061C,
//     U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), zero-width characters, tags
//   - the separators U+2028 and U+2029, and every space but U+0020
//   - private use, surrogates and unassigned code points
//
// The result is valid UTF-8, on one line, and Escape does not change it. A backslash in s
// stays single: the result is for reading, not decoding.
func Escape(s string) string { return escape(s, unicode.IsPrint) }

// EscapeLines is Escape for several lines. It keeps line feeds and tabs, and
// drops a carriage return before a line feed.
func EscapeLines(s string) string {
	return escape(strings.ReplaceAll(s, "\r\n", "\n"), func(r rune) bool {
		return r == '\n' || r == '\t' || unicode.IsPrint(r)
	})
}

// escape is Escape, with keep in place of unicode.IsPrint.
func escape(s string, keep func(rune) bool) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !keep(r) }) {
		return s
	}
	var out strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&out, `\x%02x`, s[i])
		case keep(r):
			out.WriteRune(r)
		default:
			out.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return out.String()
}
