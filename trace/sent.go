package trace

import "time"

// Sent is a traced request from its client's point of view.
type Sent struct {
	// TraceID is the trace id in its traceparent header.
	TraceID      string
	Method, Path string
	// Status is the HTTP status of the answer, or 0 if there was none.
	Status int
	// Boot is set for a program's start and end, which are not requests. The
	// program's goroutines never end, so the trace has the calls up to now.
	Boot bool
	// Stop is the time when a program's end began, or zero for anything else. The
	// trace has the calls that began or returned since Stop, and their callers. The
	// program's start has the same TraceID.
	Stop time.Time
	// Values are the secret values of the request. No text of its trace may
	// contain them.
	Values []string
}
