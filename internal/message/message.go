package message

import (
	"regexp"
	"strconv"
	"strings"
)

// A Message is a text for users in every language. The zero value is empty.
type Message struct {
	format string
	args   []any
}

// Of returns a message. The format must be a constant in the catalogue. Leave out
// operands that are not known yet, and call Format later.
func Of(format string, args ...any) Message { return Message{format, args} }

// Plural returns one of two messages, like Printer.Plural.
func Plural(n int, one, many string, args ...any) Message {
	if n != 1 {
		one = many
	}
	return Message{one, args}
}

// Join returns a message made of parts. The format must be a constant that joins two
// parts, such as "%s, then %s". Without parts, the message is empty.
func Join(format string, parts ...Message) Message {
	if len(parts) == 0 {
		return Message{}
	}
	joined := parts[0]
	for _, part := range parts[1:] {
		joined = Message{format, []any{joined, part}}
	}
	return joined
}

// IsZero reports whether the message is empty.
func (m Message) IsZero() bool { return m.format == "" }

// ID returns the English format, the message's key in the catalogue.
func (m Message) ID() string { return m.format }

// Operands returns the message's operands. The caller must not change them.
func (m Message) Operands() []any { return m.args }

// In returns the message in the language "en" or "zh".
func (m Message) In(lang string) string { return m.Localize(For(lang)) }

// Format returns the message in a language, after appending args to its operands.
func (m Message) Format(lang string, args ...any) string {
	return m.With(args...).In(lang)
}

// With returns the message with args appended to its operands.
func (m Message) With(args ...any) Message {
	return Message{m.format, append(m.args[:len(m.args):len(m.args)], args...)}
}

// Fill returns the message in the printer's language, and replaces names in braces by
// their values, as in "{caller} calls {callee}".
func (m Message) Fill(p Printer, values map[string]string) string {
	pairs := make([]string, 0, 2*len(values))
	for name, value := range values {
		pairs = append(pairs, "{"+name+"}", value)
	}
	return p.tighten(strings.NewReplacer(pairs...).Replace(m.Localize(p)))
}

// String returns the message in English.
func (m Message) String() string { return m.Localize(Printer{}) }

// Localize returns the message in the printer's language.
func (m Message) Localize(p Printer) string { return p.Sprintf(m.format, m.args...) }

// List returns a message that enumerates words or messages: "a, b, c". The Chinese text has
// enumeration commas.
func List[T any](items []T) Message {
	all := make([]Message, len(items))
	for i, item := range items {
		all[i] = Of("%s", item)
	}
	return Join("%s, %s", all...)
}

// Alternatives returns a choice of quoted words: "a", "b" or "c".
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
	return Of("%s or %s", List(quoted[:last]), quoted[last])
}

// Recognize finds the known message for an English text, such as a text in a file, to
// show it in another language. The result has the operands from the text.
// The formats may only have the verbs %s and %d.
// If no message matches, Recognize returns a message with the text itself.
func Recognize(english string, known ...Message) Message {
	for _, m := range known {
		verbs := operand.FindAllString(m.format, -1)
		pattern := operand.ReplaceAllStringFunc(regexp.QuoteMeta(m.format), func(verb string) string { return operands[verb] })
		found := regexp.MustCompile("^" + pattern + "$").FindStringSubmatch(english)
		if found == nil {
			continue
		}
		args := make([]any, len(verbs))
		for i, verb := range verbs {
			args[i] = found[i+1]
			if n, err := strconv.Atoi(found[i+1]); verb == "%d" && err == nil {
				args[i] = n
			}
		}
		return Message{m.format, args}
	}
	return Of("%s", english)
}

var (
	operand  = regexp.MustCompile(`%[sd]`)
	operands = map[string]string{"%s": `(.*?)`, "%d": `(-?\d{1,18})`}
)
