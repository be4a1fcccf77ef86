package message

// A UsageError is an error of the person who gave a command: a flag, a name or a combination that is wrong. The
// command line tells it from failures: it ends with another status and names the help.
type UsageError struct {
	Err error
	// Command is the command whose help tells how it is right; "" if unknown.
	Command string
}

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// UsageErrorf makes a UsageError of a text, as fmt.Errorf does.
func UsageErrorf(format string, args ...any) error { return &UsageError{Err: Errorf(format, args...)} }

// ToUsageError makes an error a UsageError; nil stays nil.
func ToUsageError(err error) error {
	if err == nil {
		return nil
	}
	return &UsageError{Err: err}
}
