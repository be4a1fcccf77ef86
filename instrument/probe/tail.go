//go:build go1.26

package probe

import (
	"strconv"
	"sync/atomic"
	"time"
	"unsafe"
)

// What a write causes goes on after its answer: etcd tells its watchers, the watch
// cache takes the event up and hands it to each client that watches. No goroutine
// on that way works for the request, but each knows the revision that the write
// has got. A tail is what is known of one revision.

// tails holds the tails that nobody has fetched, by revision. Most belong to writes
// that nobody traces and are dropped.
var tails = registry{full: func(r *registry) bool { return len(r.order) >= maxTails }, base: nextTailBase}

const (
	maxTails = 512
	// aftermath is for how long after the last trace was fetched tails are recorded.
	aftermath = 5 * time.Second
	forever   = 1<<63 - 1
)

// Following tells whether tails are recorded: somebody traces requests.
func Following() bool {
	until := traces.lively.Load()
	return until == forever || until != 0 && time.Now().UnixNano() < until
}

// After begins a call that takes up the event of a write, known by the revision
// of etcd, at the given stage of its way. settled says that this stage is the last that
// every event reaches. On a goroutine that is traced already, a watch's for one, it is
// like Enter. It returns nil if revision is no number.
//
//go:noinline
func After(labels unsafe.Pointer, site *Site, stage int, settled bool, revision any) *Call {
	at := callerOf(here())
	rev := format(revision)
	if parent := fromLabels(labels); parent != nil && !parent.trace.closed.Load() {
		c := begin(parent.trace, parent, labels, site, &at)
		if c != nil {
			c.Attr(attrRevision, rev)
		}
		return c
	}
	if _, err := strconv.ParseInt(rev, 10, 64); err != nil || !Following() {
		return nil
	}
	t := tails.open(tailID(rev))
	t.secret.Store(true) // nothing here tells of what resource the event is
	c := begin(t, nil, labels, site, &at)
	if c != nil {
		c.note(note{kind: noteStage, stage: stage})
		c.Attr(attrRevision, rev)
	}
	if settled {
		t.settled.Store(true)
	}
	return c
}

// attrRevision is the attribute that links what follows a write to the write.
const attrRevision = "apitrace.etcd.revision"

// tailsBegun numbers the tails, so that the ids of their calls differ from those of the
// request that they end up in, and of each other: a request may write many times.
var tailsBegun atomic.Uint32

func nextTailBase() uint32 { return (tailsBegun.Add(1)%2047 + 1) * 2 * maxCalls }

func tailID(revision string) string { return "revision " + revision }

// awaitTail returns the tail of a revision once it has settled, or what there is of it
// when the time is over: nil if the event never came by.
func awaitTail(revision int64, timeout time.Duration) *tracing {
	id := tailID(strconv.FormatInt(revision, 10))
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		t := tails.get(id)
		if t != nil && t.settled.Load() || time.Since(start) >= timeout {
			return t
		}
	}
}
