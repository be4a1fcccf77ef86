package trace

// Sent is a traced request as its client knows it.
type Sent struct {
	// TraceID is the trace id of the traceparent header that it carried.
	TraceID      string
	Method, Path string
	// Status is the HTTP status of the answer, 0 if there was none.
	Status int
	// Boot is set if it is the start of a program, not a request, which has goroutines
	// that never end: the trace is what there is of it now.
	Boot bool
	// Values are what the request makes secret: no text of its trace may have them.
	Values []string
}
