//go:build go1.26

package probe

// The wire format between a traced program and apitrace. A reader connects to
// the program's unix socket, writes one Query as a line of JSON, and reads lines
// of JSON: one Header, then Header.Calls times a Record.

// A Query asks for the calls of one trace.
type Query struct {
	// Trace is the W3C trace id: 32 lower-case hexadecimal digits.
	Trace string `json:"trace,omitempty"`
	// Revision asks, instead of for a trace, for what followed the write that gave
	// etcd this revision; see After. If nothing has followed yet, or not all that surely
	// does, the probe waits for TimeoutMillis.
	Revision int64 `json:"revision,omitempty"`
	// SettleMillis is how long no call may have begun or ended before the trace
	// counts as over, if none is running.
	SettleMillis int `json:"settleMillis"`
	// TimeoutMillis is the same for a trace with calls that are running: a goroutine
	// that sleeps, a watch. They are marked as unfinished. After ten times as long the
	// probe answers in any case.
	TimeoutMillis int `json:"timeoutMillis"`
	// Secrets says what becomes of the texts of errors: "" cuts them for a request on a
	// resource that holds secrets, and for what follows any write.
	Secrets string `json:"secrets,omitempty"`
}

// Values of Query.Secrets.
const (
	SecretsCut  = "cut"  // cut them for any request
	SecretsShow = "show" // cut none
)

// A Header opens the answer to a Query.
type Header struct {
	// Process is the name of the traced program: "kube-apiserver", "etcd".
	Process string `json:"process"`
	Trace   string `json:"trace"`
	// Calls is the number of Records that follow; 0 for a trace that never
	// reached this process.
	Calls int `json:"calls"`
	// Dropped counts calls of this trace that happened and are not among the
	// Records, because the trace outgrew the probe's memory limit.
	Dropped int64 `json:"dropped,omitempty"`
	// Secret is set if the request is on a resource that holds secrets.
	Secret bool `json:"secret,omitempty"`
	// Undelivered counts calls of other, earlier traces that nobody fetched before
	// the probe had to make room.
	Undelivered int64 `json:"undelivered,omitempty"`
	// Late counts calls of any trace that happened after it was fetched, on
	// goroutines that outlived it.
	Late int64 `json:"late,omitempty"`
	// Mismatches lists what the checking mode found wrong, one sentence each.
	Mismatches []string `json:"mismatches,omitempty"`
	// Checked counts the calls that the checking mode compared with the real stack.
	Checked int64 `json:"checked,omitempty"`
	// Error is set when the query could not be answered.
	Error string `json:"error,omitempty"`
}

// A Record is one call.
type Record struct {
	// ID and Parent are span ids: 16 lower-case hexadecimal digits. Parent may
	// name a call of another process, or the caller's span outside of any.
	ID     string `json:"id"`
	Parent string `json:"parent"`
	// Seq orders the calls of one trace within one process by time of entry.
	Seq        uint32 `json:"seq"`
	Function   string `json:"function"`
	File       string `json:"file"`
	Line       int    `json:"line"`
	CallerLine int    `json:"callerLine"`
	Goroutine  uint64 `json:"goroutine"`
	// NewGoroutine is set when the call runs on a goroutine that its parent, or
	// what its parent called, started.
	NewGoroutine bool `json:"newGoroutine,omitempty"`
	// Stage is set on a call that took up an event of a write: how far the event had
	// come, from 1. Such a call has no parent.
	Stage int `json:"stage,omitempty"`
	// Leaf is set on a call of a function that calls nothing. Of it only the entry was noted: its Duration is not
	// known and 0, as are its error, and its values.
	Leaf bool `json:"leaf,omitempty"`
	// Start is in nanoseconds since the Unix epoch, Duration in nanoseconds.
	Start      int64  `json:"start"`
	Duration   int64  `json:"duration"`
	Unfinished bool   `json:"unfinished,omitempty"`
	Error      string `json:"error,omitempty"`
	Panic      string `json:"panic,omitempty"`
	Attrs      []Attr `json:"attrs,omitempty"`
}

// An Attr is a value that the guide asked for.
type Attr struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}
