package message

// A UsageError reports a mistake in a command line: a wrong flag, name or combination.
// For a UsageError, apitrace exits with another status than for a failure, and says which
// help to read.
type UsageError struct {
	Err error
	// Command is the command with the right help; "" if unknown.
	Command string
}

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// UsageErrorf returns a UsageError with the error of Errorf.
func UsageErrorf(format string, args ...any) error { return &UsageError{Err: Errorf(format, args...)} }

// ToUsageError wraps err in a UsageError. It returns nil for nil.
func ToUsageError(err error) error {
	if err == nil {
		return nil
	}
	return &UsageError{Err: err}
}
