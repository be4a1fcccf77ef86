package message

// A UsageError reports a mistake in a command: a wrong flag, name or combination. The
// exit status is another than for a failure, and the help is named.
type UsageError struct {
	Err error
	// Command is the command with the right help; "" if unknown.
	Command string
}

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// UsageErrorf makes a UsageError from a format, like fmt.Errorf.
func UsageErrorf(format string, args ...any) error { return &UsageError{Err: Errorf(format, args...)} }

// ToUsageError makes an error a UsageError; nil stays nil.
func ToUsageError(err error) error {
	if err == nil {
		return nil
	}
	return &UsageError{Err: err}
}
