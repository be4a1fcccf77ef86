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
// a proposal to raft, and the apply loop takes it. Both sides identify the work by a key.

// offers holds the calls with work that no goroutine has taken yet.
var offers struct {
	pending atomic.Int64
	mu      sync.Mutex
	calls   map[offer]*Call
}

type offer struct {
	taker string // full name of the function that takes the work
	key   any
}

// Give offers the goroutine's current call to the function taker. The call becomes the
// parent of taker's call with the same key. If key is a Batch, Give makes an offer for
// each piece. If key is nil, it makes no offer.
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

// Offered reports whether there are offers.
func Offered() bool { return offers.pending.Load() != 0 }

// Bytes returns the key of work that travels as a slice of bytes. The key is the slice's
// address in memory, or nil if the slice is empty.
func Bytes(data []byte) any {
	if len(data) == 0 {
		return nil
	}
	return unsafe.SliceData(data)
}

// Batch returns the key of pieces of work that are taken together. The call that takes
// them gets the first traced call that gave a piece as its parent.
//
// list is a slice of structs, or of pointers to structs. Their named field has the bytes
// of one piece.
func Batch(list any, field string) any { return batch{list, field} }

type batch struct {
	list  any
	field string
}

// keysOf returns the key itself. For a batch, it returns the key of each piece that is
// not empty; see Bytes.
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

// attrHandoff is the attribute for the queue's name, on the call that took the work.
const attrHandoff = "apitrace.handoff"

// Take begins a call below the call that gave the key. If no call gave it and the
// goroutine is untraced, Take returns nil.
//
// On a goroutine that is already traced, Take is like Enter, unless the trace is of the
// program's start.
//
//go:noinline
func Take(labels unsafe.Pointer, site *Site, queue string, key any) *Call {
	at := callerOf(here())
	parent := fromLabels(labels)
	if parent == nil || parent.trace().boot {
		if giver := takeOffers(site.Function, key); giver != nil {
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

// takeOffers removes the offers to the taker for the key, which are several for a batch.
// It returns the first call that made one of them and belongs to an open trace, or nil.
func takeOffers(taker string, key any) (giver *Call) {
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

// spanID returns the id of a call. The id is unique among all processes of a trace and
// the tails of the trace's writes.
func (c *Call) spanID() SpanID { return spanID(c.trace().base + c.seq) }

// spanID returns the nth id of this process.
func spanID(n uint32) SpanID { return SpanID(processID)<<32 | SpanID(n+1) }
