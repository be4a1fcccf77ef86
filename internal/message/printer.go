// Package message formats the messages of apitrace for users, in English and Chinese. The
// messages themselves are in the packages that use them, next to the code.
//
// The code has the English text of each message. The catalogue zh.po has the Chinese text, with
// the English text as its key:
//
//	p := message.For(lang)
//	p.Sprintf("%d of %d exercises", passed, all)
//	p.Plural(n, "%d call", "%d calls", n)
//
// Errorf makes the errors that a user can see. In Chinese, the wrapped errors are
// Chinese, too. Of makes a message, which can be an operand of another message.
// Plural chooses one of two messages, and Join joins several.
// The argument of a parameter named format is always a message.
// If Chinese needs another order of the operands, its format numbers them, as in
// "%[2]s: %[1]s".
//
// To add a message, write it in English, then run "go test ./internal/message". The test names
// each message that zh.po lacks, each unused entry, and each pair of formats that do not match.
package message

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Printer writes messages in one language. The zero value writes English.
type Printer struct{ chinese bool }

// For returns the printer for a language: Chinese for "zh", English for all others.
func For(lang string) Printer { return Printer{chinese: lang == "zh"} }

// Lang returns the printer's language, "en" or "zh".
func (p Printer) Lang() string {
	if p.chinese {
		return "zh"
	}
	return "en"
}

// A localizer has a text in every language. A message formats arguments that are
// localizers or errors in its own language.
type localizer interface {
	// Localize returns the text in the printer's language.
	Localize(p Printer) string
}

// Sprintf formats a message. The format must be a constant, because a test collects
// the formats from the source.
func (p Printer) Sprintf(format string, args ...any) string {
	if chinese, ok := p.lookUp(format); ok {
		format = chinese
	}
	return p.tighten(fmt.Sprintf(format, p.localize(args)...))
}

// tighten removes the blanks that Chinese text does not have: between two Chinese
// characters, and between a word and full-width punctuation.
// A format has such blanks beside operands that can be English or Chinese.
// Runs of blanks, as between columns, stay.
func (p Printer) tighten(s string) string {
	if !p.chinese || !strings.Contains(s, " ") {
		return s
	}
	var out strings.Builder
	var before rune
	for i, r := range s {
		if r == ' ' {
			after, _ := utf8.DecodeRuneInString(s[i+1:])
			if isWide(before) && isWide(after) || isFullWidth(before) && isWord(after) || isWord(before) && isFullWidth(after) {
				before = r
				continue
			}
		}
		out.WriteRune(r)
		before = r
	}
	return out.String()
}

func isWide(r rune) bool { return unicode.Is(unicode.Han, r) || isFullWidth(r) }

// isFullWidth reports whether a character is full-width punctuation, such as a Chinese comma.
func isFullWidth(r rune) bool { return r >= 0x3001 && r <= 0x301f || r >= 0xff01 && r <= 0xff1f }

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Plural formats one of two messages: one for n == 1, else many. Both formats must be
// constants and get the same arguments.
func (p Printer) Plural(n int, one, many string, args ...any) string {
	if n != 1 {
		one = many
	}
	return p.Sprintf(one, args...)
}

// Clauses joins parts of a sentence, or a row of facts, with a comma: full-width in
// Chinese, ", " in English. Use List to enumerate names.
func (p Printer) Clauses(parts ...string) string { return strings.Join(parts, p.Sprintf(", ")) }

func (p Printer) lookUp(english string) (string, bool) {
	if !p.chinese {
		return "", false
	}
	chinese, ok := catalogue()[english]
	return chinese, ok
}

func (p Printer) localize(args []any) []any {
	localized := make([]any, len(args))
	for i, arg := range args {
		switch arg := arg.(type) {
		case localizer:
			localized[i] = arg.Localize(p)
		case error:
			localized[i] = p.Error(arg)
		default:
			localized[i] = arg
		}
	}
	return localized
}

// Text returns the Chinese for an English text, such as a flag's description, or the
// English if the catalogue has no Chinese. If the text contains one of the values,
// the catalogue may have "%s" in its place.
func (p Printer) Text(english string, values ...string) string {
	if chinese, ok := p.lookUp(english); ok {
		return chinese
	}
	for _, value := range values {
		if chinese, ok := p.lookUp(strings.Replace(english, value, "%s", 1)); ok {
			return strings.Replace(chinese, "%s", value, 1)
		}
	}
	return english
}
