package trace

import "time"

// Sent is a traced request as its client knows it.
type Sent struct {
	// TraceID is the trace id of the traceparent header that it carried.
	TraceID      string
	Method, Path string
	// Status is the HTTP status of the answer, 0 if there was none.
	Status int
	// Boot is set for the start of a program, which is not a request. Its goroutines never
	// end, so the trace has the calls up to now.
	Boot bool
	// Stop is set for the end of a program whose start was traced under the same id: the trace has what began or
	// returned since that time, and the calls that led there.
	Stop time.Time
	// Values are the secret values of the request: no text of its trace may have them.
	Values []string
}
