//go:build go1.26

package probe

import (
	"encoding/hex"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// A tracing holds the calls of one trace in this process.
type tracing struct {
	id     string
	in     *registry
	base   uint32 // the ids of its calls begin after it
	labels pprof.LabelSet
	began  moment
	boot   bool // the trace of the program's start; goroutines outlive it

	called  list[Call]
	leaves  list[leaf]
	notes   list[note]
	texts   atomic.Int64 // bytes of the texts of the notes
	closed  atomic.Bool
	dropped atomic.Int64
	settled atomic.Bool // of a tail: see After
	secret  atomic.Bool // its error texts stay here: see About

	mu      sync.Mutex
	remotes map[uint32]SpanID // by Call.seq: the parent in another process
	kept    []unsafe.Pointer  // see keep
}

// Limits. They are variables so that tests can change them.
var (
	// maxCalls limits the calls of one trace, and separately its leaves. Further calls
	// count as dropped. When a trace has so many calls, all further leaves count as
	// dropped, too, because the caller of a leaf may be a dropped call.
	maxCalls uint32 = 1 << 20
	// maxRetained limits the memory of all traces that no reader has fetched, in bytes.
	// Beyond the limit, the oldest trace is dropped and counts as undelivered. A call
	// takes 112 bytes, so there is room for half a million calls.
	maxRetained int64 = 64 << 20
)

// keep keeps labels in memory, so that Exit can restore them. The labels belong to other
// code or to another trace.
func (t *tracing) keep(labels unsafe.Pointer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, labels)
}

// addText adds to the memory that the trace's texts take.
func (t *tracing) addText(bytes int) {
	t.texts.Add(int64(bytes))
	t.in.retained.Add(int64(bytes))
}

// newCall returns an empty call, or nil if the trace is over or too large.
func (t *tracing) newCall() *Call {
	c, seq := newItem(t, &t.called)
	if c != nil {
		c.seq = seq
	}
	return c
}

// progress returns the number of calls that have begun, and how many are over.
func (t *tracing) progress() (begun, over int64) {
	for c := range t.called.items(&t.mu) {
		switch c.state.Load() {
		case returned:
			over++
			fallthrough
		case running:
			begun++
		}
	}
	return begun, over
}

func (t *tracing) setRemote(seq uint32, parent SpanID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.remotes == nil {
		t.remotes = map[uint32]SpanID{}
	}
	t.remotes[seq] = parent
}

func (t *tracing) remote(seq uint32) SpanID {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.remotes[seq]
}

// parentOf returns the call's parent in this process, or nil.
func (t *tracing) parentOf(c *Call) *Call {
	if c.parent == 0 {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.called.at(c.parent - 1)
}

// traces holds the traces that no reader has fetched yet.
var traces = registry{full: func(r *registry) bool { return r.retained.Load() > maxRetained }}

// A registry holds traces by their id, up to a limit.
type registry struct {
	full func(*registry) bool
	base func() uint32 // returns tracing.base for a new trace; nil for 0

	mu          sync.Mutex
	byID        map[string]*tracing
	order       []*tracing // oldest first
	retained    atomic.Int64
	undelivered atomic.Int64
	late        atomic.Int64 // calls by goroutines that outlived their trace
	tailsEnd    atomic.Int64 // when the recording of tails ends, in Unix nanoseconds

	// See scheduleOff; guarded by mu.
	offScheduled bool
	idleSince    time.Time
	lateAtIdle   int64
}

// open returns the trace with the given id. A new trace begins now.
func (r *registry) open(id string) *tracing {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.byID[id]; t != nil {
		return t
	}
	if r.byID == nil {
		r.byID = map[string]*tracing{}
	}
	for len(r.order) > 0 && r.full(r) {
		r.undelivered.Add(r.order[0].size())
		r.drop(r.order[0])
	}
	t := &tracing{id: id, in: r, labels: pprof.Labels(labelKey, id), began: now()}
	if r.base != nil {
		t.base = r.base()
	}
	r.byID[id] = t
	r.order = append(r.order, t)
	r.tailsEnd.Store(forever)
	on.Store(true)
	return t
}

func (r *registry) get(id string) *tracing {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byID[id]
}

// remove ends a trace that is about to be delivered.
func (r *registry) remove(t *tracing) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(t)
}

// restore undoes remove, but the trace stays closed. If another trace with its id has
// begun since, its calls count as undelivered instead.
func (r *registry) restore(t *tracing) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byID[t.id] != nil {
		r.undelivered.Add(t.size())
		return
	}
	r.byID[t.id] = t
	r.order = append(r.order, t)
	r.retained.Add(t.memory())
	r.tailsEnd.Store(forever)
}

// drop ends a trace. r.mu must be held.
func (r *registry) drop(t *tracing) {
	if r.byID[t.id] != t {
		return
	}
	t.closed.Store(true)
	delete(r.byID, t.id)
	if r.order[0] == t { // usual if no reader fetches; thousands may follow it
		r.order[0] = nil
		r.order = r.order[1:]
	} else {
		r.order = slices.DeleteFunc(r.order, func(o *tracing) bool { return o == t })
	}
	r.retained.Add(-t.memory())
	if len(r.order) == 0 {
		r.tailsEnd.Store(time.Now().Add(tailsAfterLast).UnixNano())
		if r == &traces { // the tail of a write comes soon after its trace
			r.scheduleOff()
		}
	}
}

// offDelay is the time without traces until inserted code stops looking for labels. A
// goroutine that outlives its trace may still have labels. Each call that it makes counts
// as late and restarts the time. offDelay is a variable so that tests can change it.
var offDelay = time.Minute

// scheduleOff sets on to false once there was no trace and no late call for offDelay.
// r.mu must be held.
func (r *registry) scheduleOff() {
	r.idleSince, r.lateAtIdle = time.Now(), r.late.Load()
	if r.offScheduled {
		return
	}
	r.offScheduled = true
	var timer *time.Timer
	timer = time.AfterFunc(offDelay, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if late := r.late.Load(); late != r.lateAtIdle {
			r.idleSince, r.lateAtIdle = time.Now(), late
		}
		left := offDelay - time.Since(r.idleSince)
		switch {
		case len(r.order) > 0: // dropping the last trace calls scheduleOff again
			r.offScheduled = false
		case left > 0:
			timer.Reset(left)
		default:
			r.offScheduled = false
			on.Store(false)
		}
	})
}

// notesByCall returns the notes of calls, by Call.seq.
func (t *tracing) notesByCall() map[uint32][]*note {
	notes := map[uint32][]*note{}
	for n := range t.notes.items(&t.mu) {
		if n.ready.Load() {
			notes[n.call] = append(notes[n.call], n)
		}
	}
	return notes
}

// size returns the number of the trace's calls and leaves.
func (t *tracing) size() int64 { return t.called.size() + t.leaves.size() }

// room returns the memory of the trace, in bytes.
func (t *tracing) memory() int64 {
	return t.called.memory(&t.mu) + t.leaves.memory(&t.mu) + t.notes.memory(&t.mu) + t.texts.Load()
}

// Flags of a traceparent. flagSecret is not a W3C flag. It marks a request on secrets for
// the next traced process. Only Traceparent sets it.
const (
	flagSampled = 0x01
	flagSecret  = 0x80
)

// parseTraceparent parses a W3C traceparent, "00-<trace id>-<parent id>-<flags>", from a
// string or from the []string of gRPC metadata. ok reports whether it is valid and
// sampled.
func parseTraceparent(v any) (traceID string, parent SpanID, flags byte, ok bool) {
	s, isString := v.(string)
	if list, isList := v.([]string); isList && len(list) > 0 {
		s, isString = list[0], true
	}
	// Later versions may append fields; version ff is forbidden.
	if !isString || len(s) < 55 || s[2] != '-' || s[35] != '-' || s[52] != '-' || s[:2] == "ff" || (len(s) > 55 && (s[:2] == "00" || s[55] != '-')) {
		return "", 0, 0, false
	}
	traceID = s[3:35]
	for _, part := range []string{s[:2], traceID, s[36:52], s[53:55]} {
		if _, err := hex.DecodeString(part); err != nil || part != strings.ToLower(part) {
			return "", 0, 0, false
		}
	}
	id, _ := strconv.ParseUint(s[36:52], 16, 64)
	if strings.Trim(traceID, "0") == "" || id == 0 {
		return "", 0, 0, false
	}
	bits, _ := hex.DecodeString(s[53:55])
	return traceID, SpanID(id), bits[0], bits[0]&flagSampled != 0
}
