package trace

import (
	"strconv"
	"strings"
	"time"
)

// A Follow is what requests caused after their answers, in the programs of a control plane:
// chains of calls that events began, and the requests that these calls sent. Each event is
// that of a write, by a request of the recording or by one of Requests.
type Follow struct {
	// TraceID is the W3C trace id of all Chains and Requests.
	TraceID string `json:"traceID"`
	// Chains are in the order of their start.
	Chains []Chain `json:"chains"`
	// Requests are those that Chains sent, in the order of their start. They have the same
	// TraceID.
	Requests []CausedRequest `json:"requests"`
	// Pending lists the work that was caused and not done when the following ended.
	Pending []Pending `json:"pending,omitempty"`
	// Complete is set if nothing that was caused was running or about to run. Pending then
	// has only timers.
	Complete bool `json:"complete"`
	// Incomplete says which parts may be missing and why, in one sentence each.
	Incomplete []string `json:"incomplete,omitempty"`
}

// A Chain is what one event caused in one process. Its calls are one tree. Work that other
// events also caused is in the chain of its first cause.
type Chain struct {
	// Process names the program, such as "kube-scheduler".
	Process string `json:"process"`
	// Cause is the ID of the call in etcd that made the write, and Revision is etcd's
	// revision of the write, which is the resourceVersion of the event's object.
	Cause    string `json:"cause"`
	Revision int64  `json:"revision"`
	// Start is when the first call began. Call.StartNs counts from here.
	Start time.Time `json:"start,omitzero"`
	// Calls are ordered as in Request.
	Calls []Call `json:"calls"`
}

// A CausedRequest is a request that a call of a chain sent.
type CausedRequest struct {
	Request
	// Sender is the ID of that call.
	Sender string `json:"sender"`
}

// A Pending is work that waits for a goroutine to take it, or for a timer.
type Pending struct {
	Process string `json:"process"`
	// Queue is the name of the queue, as in AttrHandoff.
	Queue string `json:"queue"`
	// Item is the name of the work in the program, or "" if it has none.
	Item string `json:"item,omitempty"`
	// By is the ID of the call that gave the work.
	By string `json:"by"`
	// Due is when a timer passes the work on. It is zero without a timer.
	Due time.Time `json:"due,omitzero"`
}

// Write returns the etcd revision that the call wrote as its last write, or 0. Only calls
// in etcd write.
func (c *Call) Write() int64 {
	if c.Attributes[AttrEtcdTxnSucceeded] != "true" {
		return 0
	}
	return c.revision()
}

// Event returns the revision of the write whose event begins a chain with this call, or 0.
func (c *Call) Event() int64 {
	revision, err := strconv.ParseInt(c.Attributes[AttrEtcdRevision], 10, 64)
	if c.Parent != "" || err != nil {
		return 0
	}
	return revision
}

// Causes returns the IDs of the calls that gave the same work as the call's parent, later.
// The parent is the first cause.
func (c *Call) Causes() []string { return strings.Fields(c.Attributes[AttrCauses]) }

// Status returns the HTTP status that the call wrote, or 0.
func (c *Call) Status() int {
	status, _ := strconv.Atoi(c.Attributes[AttrStatusCode])
	return status
}
