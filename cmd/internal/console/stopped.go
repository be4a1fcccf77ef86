package console

import (
	"syscall"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// A StoppedError reports that a signal ended the program.
type StoppedError struct{ signal syscall.Signal }

// Stopped returns the error for a signal.
func Stopped(signal syscall.Signal) *StoppedError { return &StoppedError{signal} }

func (e *StoppedError) Error() string { return e.Localize(message.Printer{}) }

// Localize returns the error in the printer's language.
func (e *StoppedError) Localize(p message.Printer) string {
	return p.Sprintf("stopped by signal: %s", e.signal)
}

// Signal returns the signal. Package session sends it to the programs that apitrace runs.
func (e *StoppedError) Signal() syscall.Signal { return e.signal }
