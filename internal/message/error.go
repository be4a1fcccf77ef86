package message

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

// A localizedError can be reported in every language. Error returns the English text.
type localizedError struct {
	english error // the result of fmt.Errorf
	format  string
	args    []any
}

// Errorf is like fmt.Errorf, and wraps the operands of %w. Operands that are errors or
// localizers are reported in the same language as the whole error. The format must be a
// constant.
func Errorf(format string, args ...any) error {
	return &localizedError{english: fmt.Errorf(format, args...), format: format, args: args}
}

// NewError returns an error with a constant text, like errors.New.
// For errors.Is, two errors with the same text are different.
func NewError(format string) error { return Errorf(format, []any{}...) }

// Localize returns the error in the printer's language.
func (e *localizedError) Localize(p Printer) string {
	chinese, ok := p.lookUp(e.format)
	if !ok && !p.chinese {
		return e.english.Error()
	}
	if !ok {
		chinese = e.format
	}
	return p.tighten(fmt.Sprintf(wraps.ReplaceAllString(chinese, "%${1}v"), p.localize(e.args)...))
}

// Error returns the text in English.
func (e *localizedError) Error() string { return e.english.Error() }

// Unwrap returns the error that wraps the operands, for errors.Is and errors.As.
func (e *localizedError) Unwrap() error { return e.english }

// Error returns an error's text in the printer's language. Errors of libraries stay
// in English, except for the texts in system and operations.
func (p Printer) Error(err error) string {
	if !p.chinese {
		return err.Error()
	}
	if own, ok := err.(localizer); ok {
		return own.Localize(p)
	}
	text := err.Error()
	switch wrapping := err.(type) {
	case *fs.PathError:
		if does, ok := operations[wrapping.Op]; ok {
			return p.Sprintf(does.format, wrapping.Path, wrapping.Err)
		}
		return p.replaceIn(text, wrapping.Err)
	case interface{ Unwrap() error }:
		if inner := wrapping.Unwrap(); inner != nil {
			return p.replaceIn(text, inner)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range wrapping.Unwrap() {
			text = p.replaceIn(text, inner)
		}
		return text
	}
	if chinese, ok := p.lookUp(text); ok {
		return chinese
	}
	return text
}

// operations has a message for each frequent value of fs.PathError.Op.
var operations = map[string]Message{
	"open": Of("open %s: %s"), "stat": Of("stat %s: %s"), "lstat": Of("stat %s: %s"), "read": Of("read %s: %s"),
	"write": Of("write %s: %s"), "mkdir": Of("mkdir %s: %s"), "remove": Of("remove %s: %s"),
}

// replaceIn translates the text of an error within the text of the error that wraps it.
func (p Printer) replaceIn(text string, inner error) string {
	return strings.Replace(text, inner.Error(), p.Error(inner), 1)
}

// wraps matches the verb %w, which only fmt.Errorf knows.
var wraps = regexp.MustCompile(`%(\[\d+\])?w`)

// system lists frequent errors of the operating system and Go's libraries.
// zh.po has their Chinese texts.
var system = []string{
	"no such file or directory", "permission denied", "is a directory", "not a directory", "file exists",
	"no space left on device", "connection refused", "context canceled", "context deadline exceeded",
	"unexpected EOF", "unexpected end of JSON input", "executable file not found in $PATH",
}
