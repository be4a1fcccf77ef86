//go:build go1.26

package probe

import (
	"encoding/binary"
	"encoding/hex"
)

// A Query asks for the calls of one trace.
type Query struct {
	// Trace is the W3C trace id: 32 lower-case hexadecimal digits.
	Trace string `json:"trace,omitempty"`
	// Revision asks for the calls that followed a write, not for a trace. It is the
	// revision that etcd gave the write; see After.
	//
	// The probe waits until the write's event has passed the last stage that every event
	// reaches, but no longer than TimeoutMillis.
	Revision int64 `json:"revision,omitempty"`
	// A trace without running calls is over if no call has begun or ended for
	// SettleMillis.
	SettleMillis int `json:"settleMillis"`
	// TimeoutMillis is the same time for a trace with running calls, such as a watch.
	// These calls are marked as unfinished. The probe answers after ten times this time
	// at the latest.
	TimeoutMillis int `json:"timeoutMillis"`
	// Follow begins the trace of the events in the program. From then on, each event
	// that the program takes from a watch begins a chain of calls in the trace. A query
	// without Follow, Pending and Peek fetches the trace and ends it. The trace also ends if
	// no query for it comes for a minute.
	Follow bool `json:"follow,omitempty"`
	// Pending asks how far the trace is. No records follow.
	Pending bool `json:"pending,omitempty"`
	// Peek asks for the calls so far. The trace goes on.
	Peek bool `json:"peek,omitempty"`
	// Secrets selects the error texts to withhold. "" withholds the texts of a request
	// on a resource that holds secrets, and of calls that follow a write.
	Secrets string `json:"secrets,omitempty"`
}

// Values of Query.Secrets.
const (
	SecretsCut  = "cut"  // withhold all error texts
	SecretsShow = "show" // withhold no error texts
)

// A Header opens the answer to a Query.
type Header struct {
	// Process is the name of the traced program: "kube-apiserver", "etcd".
	Process string `json:"process"`
	Trace   string `json:"trace"`
	// Calls is the number of Records that follow. It is 0 if the trace never reached
	// this process.
	Calls int `json:"calls"`
	// Dropped counts calls of this trace that are not among the Records, because the
	// trace had too many calls.
	Dropped int64 `json:"dropped,omitempty"`
	// Secret is set if the request is on a resource that holds secrets.
	Secret bool `json:"secret,omitempty"`
	// Undelivered counts calls of earlier traces that the probe dropped to free memory.
	Undelivered int64 `json:"undelivered,omitempty"`
	// Late counts calls of any trace that began after the trace was fetched.
	Late int64 `json:"late,omitempty"`
	// Mismatches lists the differences that the checking mode found, one sentence each.
	Mismatches []string `json:"mismatches,omitempty"`
	// Checked counts the calls that the checking mode compared with the real stack.
	Checked int64 `json:"checked,omitempty"`
	// Progress answers Query.Follow, Query.Pending and Query.Peek.
	Progress *Progress `json:"progress,omitempty"`
	// Error is set when the query could not be answered.
	Error string `json:"error,omitempty"`
}

// Progress says how far the trace of the events is.
type Progress struct {
	// Begun counts the calls that have begun, and Over those that are over.
	Begun int64 `json:"begun"`
	Over  int64 `json:"over"`
	// Queued lists the work that waits in queues.
	Queued []Queued `json:"queued,omitempty"`
}

// A Queued is a cause of work that waits in a queue.
type Queued struct {
	// Queue is the name of the queue in the guide.
	Queue string `json:"queue"`
	// Key is the item as the program names it, or "" if it has no name.
	Key string `json:"key,omitempty"`
	// By is the call that gave the work.
	By SpanID `json:"by"`
	// Due is when a timer passes the work on, in nanoseconds since the Unix epoch. It is 0
	// without a timer.
	Due int64 `json:"due,omitempty"`
}

// A Record is one call.
type Record struct {
	// Parent may be a call of another process, or the caller's span outside of any
	// process. It is 0 if the call has no parent.
	ID, Parent SpanID
	// Seq orders the calls of one trace within one process by time of entry.
	Seq        uint32
	Function   string
	File       string
	Line       int
	CallerLine int
	Goroutine  uint64
	// NewGoroutine is set if the parent, or a function called by the parent, started the
	// call's goroutine.
	NewGoroutine bool
	// Stage is set on a call that handles the event of a write. It is the number of the
	// event's stage, from 1. Such a call has no parent.
	Stage int
	// Leaf is set on a call of a function that calls nothing. Only its entry was
	// recorded. Its Duration is 0, and it has no Error and no Attrs.
	Leaf bool
	// Start is in nanoseconds since the Unix epoch, Duration in nanoseconds.
	Start      int64
	Duration   int64
	Unfinished bool
	Error      string
	Panic      string
	Attrs      []Attr
}

// A SpanID is the id of a W3C span.
type SpanID uint64

// String returns the id in W3C's form: 16 lower-case hexadecimal digits.
func (id SpanID) String() string {
	var raw [8]byte
	binary.BigEndian.PutUint64(raw[:], uint64(id))
	return hex.EncodeToString(raw[:])
}

// An Attr is a value of the guide.
type Attr struct {
	Key   string
	Value string
}
