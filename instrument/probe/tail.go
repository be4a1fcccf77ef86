//go:build go1.26

package probe

import (
	"strconv"
	"sync/atomic"
	"time"
	"unsafe"
)

// The effects of a write go on after its answer. etcd notifies its watchers. The watch
// cache adds the event and sends it to each watching client. No goroutine on this way
// works for the request, but each knows the revision that etcd gave the write. A tail
// holds the calls for one revision.

// tails holds the tails that no reader has fetched, by revision. Most tails belong to
// untraced writes and are dropped.
var tails = registry{full: func(r *registry) bool { return len(r.order) >= maxTails }, base: nextTailBase}

const (
	maxTails = 512
	// Tails are recorded until tailsAfterLast has passed since the last trace was
	// fetched.
	tailsAfterLast = 5 * time.Second
	forever        = 1<<63 - 1
)

// Following reports whether tails are recorded. They are recorded while there are traces,
// and some seconds longer.
func Following() bool {
	until := traces.tailsEnd.Load()
	return until == forever || until != 0 && time.Now().UnixNano() < until
}

// After begins a call that handles the event of a write, at the given stage of the
// event's way. revision is the revision that etcd gave the write. settled marks the last
// stage that every event reaches.
//
// On a goroutine that is already traced, such as the goroutine of a watch, After is like
// Enter. Otherwise, it returns nil if revision is not a number, or if tails are not
// recorded.
//
//go:noinline
func After(labels unsafe.Pointer, site *Site, stage int, settled bool, revision any) *Call {
	at := callerOf(here())
	rev := format(revision)
	if parent := fromLabels(labels); parent != nil && !parent.trace().closed.Load() {
		c := begin(parent.trace(), parent, labels, site, &at)
		if c != nil {
			c.Attr(attrRevision, rev)
		}
		return c
	}
	if _, err := strconv.ParseInt(rev, 10, 64); err != nil || !Following() {
		return nil
	}
	t := tails.open(tailID(rev))
	t.secret.Store(true) // the resource of the event is not known here
	c := begin(t, nil, labels, site, &at)
	if c != nil {
		c.note(noteStage, "", text{}, uint16(stage))
		c.Attr(attrRevision, rev)
	}
	if settled {
		t.settled.Store(true)
	}
	return c
}

// attrRevision is the attribute that links the calls after a write to the write.
const attrRevision = "apitrace.etcd.revision"

// tailsBegun numbers the tails. A tail is delivered with its request, and a request may
// write many times. The number makes the ids of calls unique among the request and its
// tails.
var tailsBegun atomic.Uint32

func nextTailBase() uint32 { return (tailsBegun.Add(1)%2047 + 1) * 2 * maxCalls }

func tailID(revision string) string { return "revision " + revision }

// awaitTail returns the tail of a revision once it has settled. After timeout, it returns
// the unsettled tail, or nil if there is no tail.
func awaitTail(revision int64, timeout time.Duration) *tracing {
	id := tailID(strconv.FormatInt(revision, 10))
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		t := tails.get(id)
		if t != nil && t.settled.Load() || time.Since(start) >= timeout {
			return t
		}
	}
}
