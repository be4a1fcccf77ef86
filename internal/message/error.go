package message

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

// A localizedError can be reported in every language. Error returns its English text.
type localizedError struct {
	said   error // by fmt.Errorf
	format string
	args   []any
}

// Errorf returns an error, as fmt.Errorf does: it wraps the operands of %w. An operand that is an
// error or a localizer is reported in the language of the whole. The format must be a constant.
func Errorf(format string, args ...any) error {
	return &localizedError{said: fmt.Errorf(format, args...), format: format, args: args}
}

// NewError returns an error with a constant text, as errors.New does: each has an identity of its own.
func NewError(format string) error { return Errorf(format, []any{}...) }

// Localize returns the error in the printer's language.
func (e *localizedError) Localize(p Printer) string {
	chinese, ok := p.lookUp(e.format)
	if !ok && !p.chinese {
		return e.said.Error()
	}
	if !ok {
		chinese = e.format
	}
	return p.tighten(fmt.Sprintf(wraps.ReplaceAllString(chinese, "%${1}v"), p.localize(e.args)...))
}

// Error returns the text in English.
func (e *localizedError) Error() string { return e.said.Error() }

// Unwrap gives errors.Is and errors.As the wrapped errors.
func (e *localizedError) Unwrap() error { return e.said }

// Error returns the text of an error in the printer's language. Messages of other programs and
// libraries are not translated, except for a few texts of the system.
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

// operations are the operations that file errors of package os name most often.
var operations = map[string]Message{
	"open": Of("open %s: %s"), "stat": Of("stat %s: %s"), "lstat": Of("stat %s: %s"), "read": Of("read %s: %s"),
	"write": Of("write %s: %s"), "mkdir": Of("mkdir %s: %s"), "remove": Of("remove %s: %s"),
}

// replaceIn replaces the text of an error within that of another, which wraps it.
func (p Printer) replaceIn(text string, inner error) string {
	return strings.Replace(text, inner.Error(), p.Error(inner), 1)
}

// wraps is the verb of fmt.Errorf that Sprintf does not know.
var wraps = regexp.MustCompile(`%(\[\d+\])?w`)

// system are the texts of the system and of Go's libraries that the catalogue has: users meet them
// so often that they are not left in English.
var system = []string{
	"no such file or directory", "permission denied", "is a directory", "not a directory", "file exists",
	"no space left on device", "connection refused", "context canceled", "context deadline exceeded",
	"unexpected EOF", "unexpected end of JSON input", "executable file not found in $PATH",
}
