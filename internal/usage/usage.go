// Package usage marks the errors of the person who gave a command: a flag, a name or a combination that is
// wrong. A face tells them from failures: the command line ends with another status and names the help.
package usage

import (
	"github.com/kubeapitrace/apitrace/internal/message"
)

// An Error says that what the user asked for does not exist, or that two options exclude each other.
type Error struct {
	Err error
	// Command is the command whose help tells how it is right; "" if unknown.
	Command string
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error of a text, as fmt.Errorf does.
func Errorf(format string, args ...any) error { return &Error{Err: message.Errorf(format, args...)} }

// Wrong makes an error an Error; nil stays nil.
func Wrong(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Err: err}
}
