package message

import (
	"strconv"
	"strings"
)

// A Message is something to tell people, in whichever language it is asked for. The zero value
// says nothing.
type Message struct {
	format string
	args   []any
}

// Of returns a message. The format must be a constant, which the catalogue has. Where the operands
// are known only later, leave them out and use formatIn.
func Of(format string, args ...any) Message { return Message{format, args} }

// IsZero reports whether the message says nothing.
func (m Message) IsZero() bool { return m.format == "" }

// In returns the message in the language "en" or "zh".
func (m Message) In(lang string) string { return m.Localize(For(lang)) }

// formatIn returns the message in a language, with these operands behind its own.
func (m Message) formatIn(lang string, args ...any) string {
	return For(lang).Sprintf(m.format, append(m.args[:len(m.args):len(m.args)], args...)...)
}

// String returns the message in English.
func (m Message) String() string { return m.Localize(Printer{}) }

// Localize returns the message in the printer's language.
func (m Message) Localize(p Printer) string { return p.Sprintf(m.format, m.args...) }

// Alternatives returns a message of quoted words: "a", "b" or "c".
func Alternatives(words []string) Message {
	if len(words) == 0 {
		return Message{}
	}
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = strconv.Quote(word)
	}
	last := len(words) - 1
	if last == 0 {
		return Of("%s", quoted[0])
	}
	return Of("%s or %s", strings.Join(quoted[:last], ", "), quoted[last])
}
