package trace

import "time"

// Sent is a traced request from its client's point of view.
type Sent struct {
	// TraceID is the trace id in its traceparent header.
	TraceID      string
	Method, Path string
	// Status is the HTTP status of the answer, or 0 if there was none.
	Status int
	// Boot is set for a program's start, which is not a request. Its goroutines
	// never end, so the trace has the calls up to now.
	Boot bool
	// Stop is set for a program's end. Its start was traced under the same id.
	// The trace has the calls that began or returned since Stop, and their
	// callers.
	Stop time.Time
	// Values are the secret values of the request. No text of its trace may
	// contain them.
	Values []string
}
