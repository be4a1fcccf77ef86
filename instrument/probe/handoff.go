//go:build go1.26

package probe

import (
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Some work changes goroutines by way of a queue: etcd's server hands a proposal
// to raft, and the apply loop takes it out again. Both sides know it by a key.

// offers holds the calls that wait for their work to be taken up.
var offers struct {
	pending atomic.Int64
	mu      sync.Mutex
	calls   map[offer]*Call
}

type offer struct {
	link string
	key  any
}

// Give offers the goroutine's current call as the parent of whoever takes the key.
func Give(labels unsafe.Pointer, link string, key any) {
	c := fromLabels(labels)
	if c == nil || c.trace.closed.Load() {
		return
	}
	offers.mu.Lock()
	defer offers.mu.Unlock()
	if offers.calls == nil || len(offers.calls) > maxOffers {
		offers.calls = map[offer]*Call{} // what is left was never taken: failed proposals
		offers.pending.Store(0)
	}
	offers.calls[offer{link, key}] = c
	offers.pending.Store(int64(len(offers.calls)))
}

const maxOffers = 10_000

// attrHandoff is the attribute that names the queue by which work came to another goroutine.
const attrHandoff = "apitrace.handoff"

// Take begins a call below the one that gave the key. It is like Enter on a
// goroutine that is traced already, and returns nil if nobody gave that key.
//
//go:noinline
func Take(labels unsafe.Pointer, site *Site, link string, key any) *Call {
	at := callerOf(framePointer())
	parent := fromLabels(labels)
	if parent == nil || parent.trace.boot {
		if giver := taken(offer{link, key}); giver != nil {
			c := begin(giver.trace, giver, labels, site, at)
			if c != nil {
				c.Attr(attrHandoff, link)
			}
			return c
		}
	}
	if parent == nil {
		return nil
	}
	return begin(parent.trace, parent, labels, site, at)
}

// taken withdraws an offer and returns the call that made it, or nil.
func taken(o offer) *Call {
	if offers.pending.Load() == 0 {
		return nil
	}
	offers.mu.Lock()
	defer offers.mu.Unlock()
	giver := offers.calls[o]
	delete(offers.calls, o)
	offers.pending.Store(int64(len(offers.calls)))
	return giver
}

// Traceparent renders the goroutine's current call for another process to
// continue, or "" if there is none.
func Traceparent(labels unsafe.Pointer) string {
	c := fromLabels(labels)
	if c == nil || c.trace.closed.Load() {
		return ""
	}
	flags := byte(flagSampled)
	if c.trace.secret.Load() {
		flags |= flagSecret
	}
	return fmt.Sprintf("00-%s-%s-%02x", c.trace.id, c.spanID(), flags)
}

// spanID makes the id of a call: unique within its trace, across processes, and
// among a trace and the tails of its writes.
func (c *Call) spanID() string { return fmt.Sprintf("%08x%08x", processID, c.trace.base+c.seq+1) }
