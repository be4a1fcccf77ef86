// Package trace is the data model: calls, the request that caused them, and the
// recording that holds one or more requests.
//
// It also loads and saves recordings, and converts them to OpenTelemetry spans.
// Package view selects the parts of a trace that a reader sees, and package render
// draws them.
package trace

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// A Recording has the requests of one run of a scenario, or of one session.
type Recording struct {
	// Scenario is the name of the replayed scenario.
	Scenario string `json:"scenario"`
	// K8sVersion is the version of the traced kube-apiserver with its "v", such
	// as "v1.37.1".
	K8sVersion string `json:"k8sVersion"`
	// EtcdVersion is the version of the etcd behind it, with its "v".
	EtcdVersion string `json:"etcdVersion,omitempty"`
	// Servers lists the user's own API servers behind the aggregator, in the form
	// of OwnServer.String. It is nil if there are none.
	Servers []string `json:"servers,omitempty"`
	// Edited lists the traced programs' files that the user had changed, by their
	// paths as in Call.File. It is nil if no file was changed.
	Edited []string `json:"edited,omitempty"`
	// Edition identifies the packages that apitrace traced, and the way it linked calls. In
	// a recording with another edition, a function may be missing because it was not traced.
	// Edition ends with the packages that the user traced in addition; see More. It is "" if
	// unknown.
	Edition string `json:"edition,omitempty"`
	// Recorded is the time of the recording. It is zero if unknown.
	Recorded time.Time `json:"recorded,omitzero"`
	// Requests holds the traced requests in the order of sending. Among them are the events and
	// requests that they caused in the programs of a control plane.
	Requests []Request `json:"requests"`
}

// MethodStart is the Method of a program's start, which is not a request. The
// Path is the program's name.
const MethodStart = "START"

// MethodStop is the Method of a program's end, from the signal on. The Path is
// the program's name.
const MethodStop = "STOP"

// A Request is a traced HTTP request: all calls of one trace, in all processes.
type Request struct {
	// TraceID is the W3C trace id: 32 lower-case hexadecimal digits. All that was caused has
	// one trace id.
	TraceID string `json:"traceID"`
	Method  string `json:"method"`
	// Path is the request's URL path with its query, as in the scenario. A value kept from an
	// earlier answer is written ${name}, so that the path is the same each time.
	Path string `json:"path"`
	// Status is the HTTP status code that the client received, or 0 if it
	// received none.
	Status int `json:"status"`
	// Start is when the first call began. Call.StartNs counts from here.
	Start time.Time `json:"start,omitzero"`
	// Calls holds every call: parents before their children, siblings by time of entry. This is
	// the depth-first order of the tree. There is one exception: a call on a goroutine that its
	// parent started comes before siblings from later lines of the parent. The scheduler decides
	// when it really runs.
	Calls []Call `json:"calls"`
	// Incomplete says which parts this trace may lack and why, in one sentence
	// each. It is empty if the trace has every call that the probes recorded.
	Incomplete []string `json:"incomplete,omitempty"`
	// Stored lists the keys that the request changed in etcd.
	Stored []StoredKey `json:"stored,omitempty"`
	// Cause is the call of another request that caused this one: the call that sent it or,
	// for an event, the call in etcd that made the write. It is zero for the user's requests.
	Cause Cause `json:"cause,omitempty,omitzero"`
	// Pending lists the work that calls of the request gave to others, and that nobody had
	// taken when the recording ended.
	Pending []Pending `json:"pending,omitempty"`
}

// A Call is one execution of one function.
type Call struct {
	// ID identifies the call within its trace. It is the OpenTelemetry span id:
	// 16 lower-case hexadecimal digits.
	ID string `json:"id"`
	// Parent is the ID of the call that made this one, or "" for the first.
	Parent string `json:"parent"`
	// Function is the full name: import path, dot, receiver, function. It is the compiler's name
	// when nothing is inlined: "k8s.io/apiserver/pkg/storage/etcd3.(*store).Get",
	// "k8s.io/apiserver/pkg/endpoints/handlers.createHandler.func1.2".
	Function string `json:"function"`
	// File is the import path of the function's package, a slash, and the name of
	// the file: "k8s.io/apiserver/pkg/storage/etcd3/store.go". It is also the
	// file's path below the vendor folder of the workspace.
	File string `json:"file"`
	// Line is the line of the word "func" in the pristine file.
	Line int `json:"line"`
	// CallerLine is the line in the parent's file where control left it for this
	// call. It is 0 if unknown: for the first call of a process, and for a
	// goroutine that a library started for the parent.
	CallerLine int `json:"callerLine"`
	// Process names the traced program: "kube-apiserver", "sample-apiserver" or "etcd".
	Process string `json:"process"`
	// Goroutine is the runtime's goroutine id within the process.
	Goroutine uint64 `json:"goroutine"`
	// NewGoroutine is set if the call runs in the same process as its parent, but on another
	// goroutine. The parent, or one of its callees, started that goroutine.
	NewGoroutine bool `json:"newGoroutine,omitempty"`
	// StartNs counts nanoseconds from the first call's start.
	StartNs int64 `json:"startNs"`
	// DurationNs is in nanoseconds. If the call had not returned when the trace was
	// collected, it is the time until the collection; see Unfinished.
	DurationNs int64 `json:"durationNs"`
	// Leaf is set on a call of a function that calls nothing. Only its entry was
	// recorded. Its duration, results and panics are not known, and DurationNs
	// is 0.
	Leaf bool `json:"leaf,omitempty"`
	// Unfinished is set if the call had not returned when the trace was collected.
	Unfinished bool `json:"unfinished,omitempty"`
	// Error is the error that the call returned as its last result, or "".
	Error string `json:"error"`
	// Panic is the place of a panic that passed through the call: "function
	// (file:line)".
	Panic string `json:"panic,omitempty"`
	// Attributes holds the values that the guide selects, by attribute name. It
	// is nil if there are none.
	Attributes map[string]string `json:"attributes"`
}

// IsStart reports whether this is the start of a program, not a request.
func (r *Request) IsStart() bool { return r.Method == MethodStart }

// IsStop reports whether this is the end of a program, not a request.
func (r *Request) IsStop() bool { return r.Method == MethodStop }

// OfProgram reports whether this is a program's start or end, not a request.
func (r *Request) OfProgram() bool { return r.IsStart() || r.IsStop() }

// IsDryRun reports whether the URL of the request asks for a dry run, which
// writes nothing.
func (r *Request) IsDryRun() bool {
	_, query, _ := strings.Cut(r.Path, "?")
	values, err := url.ParseQuery(query)
	return err == nil && slices.Contains(values["dryRun"], "All")
}

// A StoredKey is a key of etcd that a request wrote or deleted.
type StoredKey struct {
	// Op is "PUT" or "DELETE".
	Op  string `json:"op"`
	Key string `json:"key"`
	// Revision is etcd's revision of the change.
	Revision int64 `json:"revision"`
	// Size is the value's size in bytes, 0 for a deletion.
	Size int `json:"size,omitempty"`
	// Encoding is "protobuf", "json", "encrypted" or "unknown".
	Encoding string `json:"encoding,omitempty"`
	// APIVersion and Kind describe the stored object: "apps/v1", "Deployment".
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
}
