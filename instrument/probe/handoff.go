//go:build go1.26

package probe

import (
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Some work moves to another goroutine through a queue. For example, etcd's server hands
// a proposal to raft, and the apply loop takes it out again. Both sides identify the work
// by a key.

// offers holds the calls with work that nobody has taken yet.
var offers struct {
	pending atomic.Int64
	mu      sync.Mutex
	calls   map[offer]*Call
}

type offer struct {
	taker string // full name of the function that takes the work
	key   any
}

// Give offers the goroutine's current call to taker: the call becomes the parent of
// taker's call with the key. If key is a Batch, Give makes an offer for each piece. If
// key is nil, it makes none.
func Give(labels unsafe.Pointer, taker string, key any) {
	c := fromLabels(labels)
	if c == nil || key == nil || c.trace().closed.Load() {
		return
	}
	offers.mu.Lock()
	defer offers.mu.Unlock()
	if offers.calls == nil || len(offers.calls) > maxOffers {
		offers.calls = map[offer]*Call{} // the remaining offers were never taken: failed proposals
		offers.pending.Store(0)
	}
	for _, key := range keysOf(key) {
		offers.calls[offer{taker, key}] = c
	}
	offers.pending.Store(int64(len(offers.calls)))
}

const maxOffers = 10_000

// Offered reports whether a call waits for its work to be taken.
func Offered() bool { return offers.pending.Load() != 0 }

// Bytes returns the key of work that travels as these very bytes: their address in
// memory. It returns nil if there are no bytes.
func Bytes(data []byte) any {
	if len(data) == 0 {
		return nil
	}
	return unsafe.SliceData(data)
}

// Batch returns the key of pieces of work that are taken together. The call that takes
// them belongs to the first traced call that gave one of them. list is a slice of
// structs, or of pointers to structs. Their named field has the bytes of one piece.
func Batch(list any, field string) any { return batch{list, field} }

type batch struct {
	list  any
	field string
}

// keysOf returns the key alone. For a batch, it returns the key from Bytes for each piece
// that has bytes.
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

// attrHandoff is the attribute for the name of the queue through which work came to
// another goroutine.
const attrHandoff = "apitrace.handoff"

// Take begins a call below the call that gave the key. On a goroutine that is already
// traced, Take is like Enter, unless the trace is of the program's start. If nobody gave
// the key on an untraced goroutine, Take returns nil.
//
//go:noinline
func Take(labels unsafe.Pointer, site *Site, queue string, key any) *Call {
	at := callerOf(here())
	parent := fromLabels(labels)
	if parent == nil || parent.trace().boot {
		if giver := takenUp(site.Function, key); giver != nil {
			c := begin(giver.trace(), giver, labels, site, &at)
			if c != nil {
				c.Attr(attrHandoff, queue)
			}
			return c
		}
	}
	if parent == nil {
		return nil
	}
	return begin(parent.trace(), parent, labels, site, &at)
}

// takenUp withdraws the offer to the taker for the key, and returns the call that made
// it, or nil. For a batch, it withdraws the offers for all pieces. It returns the first
// of the calls with a trace that is not over.
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
		if giver == nil && c != nil && !c.trace().closed.Load() {
			giver = c
		}
	}
	offers.pending.Store(int64(len(offers.calls)))
	return giver
}

// Traceparent returns the goroutine's current call as a traceparent for another process.
// It returns "" if there is no such call.
func Traceparent(labels unsafe.Pointer) string {
	c := fromLabels(labels)
	if c == nil || c.trace().closed.Load() {
		return ""
	}
	flags := byte(flagSampled)
	if c.trace().secret.Load() {
		flags |= flagSecret
	}
	return fmt.Sprintf("00-%s-%s-%02x", c.trace().id, c.spanID(), flags)
}

// spanID returns the id of a call. The id is unique within the trace, across processes,
// and among a trace and the tails of its writes.
func (c *Call) spanID() SpanID { return spanID(c.trace().base + c.seq) }

// spanID returns the nth id of this process.
func spanID(n uint32) SpanID { return SpanID(processID)<<32 | SpanID(n+1) }
