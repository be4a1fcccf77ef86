//go:build go1.26

package probe

import (
	"fmt"
	"reflect"
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
	taker string // full name of the function that takes the work up
	key   any
}

// Give offers the goroutine's current call as the parent of the taker's call that takes the
// key, or one of a Batch. No key, nil, is no offer.
func Give(labels unsafe.Pointer, taker string, key any) {
	c := fromLabels(labels)
	if c == nil || key == nil || c.trace.closed.Load() {
		return
	}
	offers.mu.Lock()
	defer offers.mu.Unlock()
	if offers.calls == nil || len(offers.calls) > maxOffers {
		offers.calls = map[offer]*Call{} // what is left was never taken: failed proposals
		offers.pending.Store(0)
	}
	for _, key := range keysOf(key) {
		offers.calls[offer{taker, key}] = c
	}
	offers.pending.Store(int64(len(offers.calls)))
}

const maxOffers = 10_000

// Offered tells whether a call waits for its work to be taken up.
func Offered() bool { return offers.pending.Load() != 0 }

// Bytes returns the key of work that travels as these very bytes, or nil if there are none: where they lie in memory.
func Bytes(data []byte) any {
	if len(data) == 0 {
		return nil
	}
	return unsafe.SliceData(data)
}

// Batch returns the key of pieces of work that are taken up together, for all who gave them at once: the call
// belongs to the first of them that is traced. list is a slice of structs, or of pointers to them, whose
// field of that name has the bytes of one piece.
func Batch(list any, field string) any { return batch{list, field} }

type batch struct {
	list  any
	field string
}

// keysOf returns the key alone or, for a batch, what Bytes returns for each piece that has bytes.
func keysOf(key any) (keys []any) {
	b, ok := key.(batch)
	if !ok {
		return []any{key}
	}
	list := reflect.ValueOf(b.list)
	for i := range list.Len() {
		if data, ok := reflect.Indirect(list.Index(i)).FieldByName(b.field).Interface().([]byte); ok && len(data) > 0 {
			keys = append(keys, Bytes(data))
		}
	}
	return keys
}

// attrHandoff is the attribute that names the queue by which work came to another goroutine.
const attrHandoff = "apitrace.handoff"

// Take begins a call below the one that gave the key. It is like Enter on a
// goroutine that is traced already, and returns nil if nobody gave that key.
//
//go:noinline
func Take(labels unsafe.Pointer, site *Site, queue string, key any) *Call {
	at := callerOf(here())
	parent := fromLabels(labels)
	if parent == nil || parent.trace.boot {
		if giver := takenUp(site.Function, key); giver != nil {
			c := begin(giver.trace, giver, labels, site, &at)
			if c != nil {
				c.Attr(attrHandoff, queue)
			}
			return c
		}
	}
	if parent == nil {
		return nil
	}
	return begin(parent.trace, parent, labels, site, &at)
}

// takenUp withdraws what was offered to the taker under the key, and returns the call that made the offer, or nil. Of
// a batch it withdraws all, and returns the first whose trace goes on.
func takenUp(taker string, key any) (giver *Call) {
	if !Offered() {
		return nil
	}
	offers.mu.Lock()
	defer offers.mu.Unlock()
	for _, key := range keysOf(key) {
		o := offer{taker, key}
		c := offers.calls[o]
		delete(offers.calls, o)
		if giver == nil && c != nil && !c.trace.closed.Load() {
			giver = c
		}
	}
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
