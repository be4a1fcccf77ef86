package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"":                                    "",
		"plain text, 纯文本 é":                   "plain text, 纯文本 é",
		`C:\path\name`:                        `C:\path\name`,
		"two\nlines\r\n\tand tab":             `two\nlines\r\n\tand tab`,
		"\x1b[31mred\x1b]0;t\a":               `\x1b[31mred\x1b]0;t\a`,
		"csi \u009b31m, nel \u0085, del \x7f": `csi \u009b31m, nel \u0085, del \x7f`,
		"\u202eabc\u202c \u2066x\u2069":       `\u202eabc\u202c \u2066x\u2069`,
		"\u200e\u200f\u061c":                  `\u200e\u200f\u061c`,
		"zero\u200bwidth\ufeff":               `zero\u200bwidth\ufeff`,
		"sep\u2028\u2029 nbsp\u00a0":          `sep\u2028\u2029 nbsp\u00a0`,
		"bad \xff\xc3( cut \xe4\xb8":          `bad \xff\xc3( cut \xe4\xb8`,
		"replacement \uFFFD stays":            "replacement \uFFFD stays",
		"tag \U000e0041":                      `tag \U000e0041`,
	} {
		if got := Escape(in); got != want {
			t.Errorf("Escape(%q) = %q, expected %q", in, got, want)
		}
	}
}

func TestEscapeLines(t *testing.T) {
	const in, want = "a\r\n\tb\x1b[2J\rc\n", "a\n\tb\\x1b[2J\\rc\n"
	if got := EscapeLines(in); got != want {
		t.Errorf("EscapeLines(%q) = %q, expected %q", in, got, want)
	}
}

// TestEscapeLeavesNothingThatCommandsATerminal checks that Escape returns printable
// characters for any bytes.
func TestEscapeLeavesNothingThatCommandsATerminal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "runes")
		got := Escape(in)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Fatalf("Escape(%q) = %q, expected only printable characters", in, got)
		}
		if again := Escape(got); again != got {
			t.Fatalf("Escape(%q) = %q, expected it unchanged", got, again)
		}
	})
}
