// Package message holds what apitrace says to people in the languages that it speaks.
//
// The code says everything in English, and the catalogue zh.po has the Chinese of each
// message, which is found by its English text:
//
//	p := message.For(lang)
//	p.Sprintf("%d of %d exercises", passed, all)
//	p.Plural(n, "%d call", "%d calls", n)
//	return message.Errorf("reading scenario %q: %w", name, err) // p.Error(err) prints it
//
// To add a message: write it in English, then run "go test ./internal/message", which names
// each message that zh.po lacks, each entry that nobody uses, and formats that do not agree.
package message

import (
	"errors"
	"fmt"
	"strings"
)

// A Printer writes messages in one language. The zero value writes English.
type Printer struct{ chinese bool }

// For returns the printer of a language: "en" or "zh"; "" is English.
func For(lang string) Printer { return Printer{chinese: lang == "zh"} }

// Lang returns the printer's language, "en" or "zh".
func (p Printer) Lang() string {
	if p.chinese {
		return "zh"
	}
	return "en"
}

// A Localizer can say itself in any language. Arguments of messages that are Localizers or
// errors are said in the language of the message.
type Localizer interface {
	// Localize returns what it says in the language of the printer.
	Localize(p Printer) string
}

// Sprintf formats a message. The format must be a constant, for the test finds it in the source.
func (p Printer) Sprintf(format string, args ...any) string {
	if chinese, ok := p.lookUp(format); ok {
		return fmt.Sprintf(chinese, p.localize(args)...)
	}
	return fmt.Sprintf(format, args...)
}

// Plural formats one of two messages, which English has for one thing and for several. Both
// formats must be constants and get the same arguments.
func (p Printer) Plural(n int, one, many string, args ...any) string {
	if n != 1 {
		one = many
	}
	if chinese, ok := p.lookUp(one); ok {
		return fmt.Sprintf(chinese, p.localize(args)...)
	}
	return fmt.Sprintf(one, args...)
}

// Text returns a message without arguments that need not be a constant, such as the help of
// a command: in English if the catalogue lacks it.
func (p Printer) Text(english string) string {
	if chinese, ok := p.lookUp(english); ok {
		return chinese
	}
	return english
}

func (p Printer) lookUp(english string) (string, bool) {
	if !p.chinese {
		return "", false
	}
	chinese, ok := catalogue()[english]
	return chinese, ok
}

func (p Printer) localize(args []any) []any {
	said := make([]any, len(args))
	for i, arg := range args {
		switch arg := arg.(type) {
		case Localizer:
			said[i] = arg.Localize(p)
		case error:
			said[i] = p.Error(arg)
		default:
			said[i] = arg
		}
	}
	return said
}

// Errorf is fmt.Errorf for an error that Printer.Error can say in other languages. The
// format must be a constant.
func Errorf(format string, args ...any) error {
	return &failure{fmt.Errorf(format, args...), format, args}
}

// A failure keeps what its text was made of.
type failure struct {
	error
	format string
	args   []any
}

func (f *failure) Unwrap() error { return f.error }

// Localize implements Localizer.
func (f *failure) Localize(p Printer) string {
	chinese, ok := p.lookUp(f.format)
	if !ok {
		return p.rephrase(f.error)
	}
	return fmt.Sprintf(strings.ReplaceAll(chinese, "%w", "%v"), p.localize(f.args)...)
}

// Error returns the text of an error in the printer's language, as far as the error and
// those that it wraps were made by Errorf or are Localizers.
func (p Printer) Error(err error) string {
	if !p.chinese {
		return err.Error()
	}
	if l, ok := err.(Localizer); ok {
		return l.Localize(p)
	}
	return p.rephrase(err)
}

// rephrase returns the text of an error that cannot say itself in other languages, with the
// texts of those that it wraps said by Error.
func (p Printer) rephrase(err error) string {
	text := err.Error()
	var wrapped []error
	switch err := err.(type) {
	case interface{ Unwrap() []error }:
		wrapped = err.Unwrap()
	default:
		if inner := errors.Unwrap(err); inner != nil {
			wrapped = []error{inner}
		}
	}
	for _, inner := range wrapped {
		if was := inner.Error(); was != "" {
			text = strings.Replace(text, was, p.Error(inner), 1)
		}
	}
	return text
}
