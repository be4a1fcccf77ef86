package trace

import (
	"slices"
	"strconv"
)

// HandoffWatch is the value of AttrHandoff for a write's event on its way to watching
// clients. This work may continue after the request's answer.
const HandoffWatch = "watch"

// HandoffTimer is the value of AttrHandoff for work that the timer of a queue passed on.
const HandoffTimer = "timer"

// SetHandoff marks a call that took a write's event from a queue. queue is the value of
// AttrHandoff. revision is etcd's revision of the write.
func (c *Call) SetHandoff(queue string, revision int64) {
	if c.Attributes == nil {
		c.Attributes = map[string]string{}
	}
	c.Attributes[AttrHandoff] = queue
	c.Attributes[AttrEtcdRevision] = strconv.FormatInt(revision, 10)
}

// Afterwards reports whether the call took an event from a queue. A write of the same
// request caused the event. The call's parent is the stage that passed on the event or,
// for the first stage, the request's first call. The parent neither made the call nor
// waited for it.
func (c *Call) Afterwards() bool { return c.Attributes[AttrHandoff] == HandoffWatch }

// revision returns the etcd revision that the call recorded, or 0.
func (c *Call) revision() int64 {
	revision, err := strconv.ParseInt(c.Attributes[AttrEtcdRevision], 10, 64)
	if err != nil {
		return 0
	}
	return revision
}

// Revisions returns the etcd revisions that the request's own transactions made,
// in order, as recorded in etcd.
func (r *Request) Revisions() []int64 {
	var revisions []int64
	for i := range r.Calls {
		c := &r.Calls[i]
		if rev := c.revision(); rev != 0 && c.Attributes[AttrEtcdTxnSucceeded] == "true" && !slices.Contains(revisions, rev) {
			revisions = append(revisions, rev)
		}
	}
	slices.Sort(revisions)
	return revisions
}

// SinceWrite returns how long after a write a call started, in nanoseconds. The
// write is the request's write that made the call's revision. The time counts
// from the start of the write in etcd, because the event of a write may arrive
// before its answer. SinceWrite returns 0 if the request has no such write.
func (r *Request) SinceWrite(c *Call) int64 {
	if w := r.writeOf(c.revision()); w != nil {
		return max(c.StartNs-w.StartNs, 0)
	}
	return 0
}

// writeOf returns the innermost call in etcd of the write that made a revision: the
// last call in order of entry. It returns nil if there is none.
func (r *Request) writeOf(revision int64) *Call {
	for i := range slices.Backward(r.Calls) {
		if c := &r.Calls[i]; c.Attributes[AttrEtcdTxnSucceeded] == "true" && c.revision() == revision {
			return c
		}
	}
	return nil
}
