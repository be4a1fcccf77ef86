//go:build go1.26

package probe

import (
	"fmt"
	"strconv"
	"sync/atomic"
	"unsafe"
)

// A Site is an instrumented function. The rewriter adds a table of Sites to each
// instrumented package.
type Site struct {
	Function string // full name, see Record.Function
	File     string // import path, slash, file name
	Line     int    // of the word "func"
}

// A Call is one execution of an instrumented function for a traced request. The Call of a
// goroutine's innermost instrumented function is the goroutine's label pointer.
//
// The goroutine that makes the call writes the fields. The reader's goroutine reads them
// once state says that they are written.
//
// A Call holds addresses instead of pointers, because the garbage collector would follow
// each pointer of each call. An object with such an address never moves. The call's chunk
// keeps it in memory.
type Call struct {
	labels    labelWords // must be first: see fromLabels
	traceAddr uintptr    // of a tracing
	prevAddr  uintptr    // the goroutine's label pointer before this call; see tracing.keep

	siteAddr  uintptr // of a Site, a package variable
	goroutine uint64
	seq       uint32
	parent    uint32 // the parent's seq plus one, 0 for the first call of the trace in this process
	depth     uint32 // of the function's frame below the upper end of the stack
	state     atomic.Uint32

	self       uintptr // a pc in the function
	callPC     uintptr // where control left the parent, 0 if unknown
	start, end int64   // in ticks
}

func (c *Call) site() *Site { return *(**Site)(unsafe.Pointer(&c.siteAddr)) }

func (c *Call) trace() *tracing { return *(**tracing)(unsafe.Pointer(&c.traceAddr)) }

// prev returns the goroutine's label pointer before this call.
func (c *Call) prev() unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&c.prevAddr)) }

// inherits reports whether the call's goroutine inherited its parent's labels from the
// goroutine that started it.
func (c *Call) inherits(parent *Call) bool {
	return parent != nil && parent.goroutine != c.goroutine && fromLabels(c.prev()) == parent
}

// A note is a fact that only some calls have. A call's notes are in order of time.
//
// The goroutine that makes the call writes a note. The reader's goroutine reads it once
// ready is set.
type note struct {
	key   string // of a value
	text  text   // of a value or an error; the origin of a panic
	call  uint32 // the call's seq
	stage uint16
	kind  noteKind
	ready atomic.Bool
}

type noteKind uint8

const (
	noteValue noteKind = iota // a value of the guide
	noteError
	notePanic
	noteStage // see After
)

// note adds a note. Only the goroutine that makes the call may call it.
func (c *Call) note(kind noteKind, key string, of text, stage uint16) {
	t := c.trace()
	if t.closed.Load() {
		return
	}
	n, _ := newItem(t, &t.notes)
	if n == nil {
		return
	}
	n.key, n.text, n.call, n.stage, n.kind = key, of, c.seq, stage, kind
	t.addText(len(of.full))
	n.ready.Store(true)
}

// States of a Call.
const (
	beginning = iota // its fields are being written
	running
	returned
)

// Enter begins a call below the call of labels, the goroutine's label pointer. If the
// labels are not the probe's, or the trace takes no more calls, Enter returns nil, which
// Exit accepts.
//
// The instrumented function itself must call Enter.
//
//go:noinline
func Enter(labels unsafe.Pointer, site *Site) *Call {
	at := callerOf(here())
	parent := fromLabels(labels)
	if parent == nil {
		return nil
	}
	return begin(parent.trace(), parent, labels, site, &at)
}

// Root begins the first call of a trace if traceparent asks for a trace. traceparent is a
// string, or a []string from gRPC metadata.
//
// On a goroutine that is already traced, Root is like Enter, unless the trace is of the
// program's start.
//
//go:noinline
func Root(labels unsafe.Pointer, site *Site, traceparent any) *Call {
	at := callerOf(here())
	parent := fromLabels(labels)
	if parent != nil && !parent.trace().boot {
		return begin(parent.trace(), parent, labels, site, &at)
	}
	traceID, remote, flags, ok := parseTraceparent(traceparent)
	if !ok || !listening.Load() {
		return beginUnrecorded(parent, labels)
	}
	c := begin(traces.open(traceID), nil, labels, site, &at)
	if c != nil {
		c.trace().setRemote(c.seq, remote)
		if flags&flagSecret != 0 {
			c.trace().secret.Store(true)
		}
	}
	return c
}

// begin begins a call for Enter, Root, Take or After. at is the arrival in the function
// that called one of them.
func begin(t *tracing, parent *Call, labels unsafe.Pointer, site *Site, at *arrival) *Call {
	c := t.newCall()
	if c == nil {
		return nil
	}
	g := at.goroutine
	c.labels, c.traceAddr, c.prevAddr, c.siteAddr = wordsOf(t.labels), uintptr(unsafe.Pointer(t)), uintptr(labels), uintptr(unsafe.Pointer(site))
	if labels != nil && labels != unsafe.Pointer(parent) {
		t.keep(labels)
	}
	c.goroutine, c.self, c.depth = g.id(), at.pc, uint32(at.depth)
	if parent != nil {
		c.parent = parent.seq + 1
		if parent.goroutine == c.goroutine {
			c.callPC = g.callPC(at.depth, uintptr(parent.depth))
			callSites.learn(c.callPC, parent)
		} else if c.inherits(parent) {
			c.callPC = g.creationPC()
		}
	}
	c.start = at.ticks()
	if checking {
		check(c, parent)
		c.start = ticks()
	}
	publish(&c.state, running)
	setLabels(unsafe.Pointer(c))
	return c
}

// Exit ends the call. The instrumented function must defer it. err is the address of the
// function's last result if the result's type is error, else nil.
//
//go:noinline
func (c *Call) Exit(err *error) {
	if c == nil {
		return
	}
	_, fp, count := here()
	panicking := frameOf(fp).up().returnPC() == stack.panicPC
	c.end = count
	if !useCounter {
		c.end = ticks()
	}
	setLabels(c.prev())
	if err != nil && *err != nil {
		c.note(noteError, "", textOf(*err), 0)
	}
	if panicking {
		c.note(notePanic, "", text{full: panicOrigin()}, 0)
	}
	publish(&c.state, returned)
}

// Attr records a value, unless it is nil.
func (c *Call) Attr(key string, v any) {
	if v == nil {
		return
	}
	var noted text
	switch v := v.(type) {
	case string: // these types have no methods that format could call
		noted.full = bounded(v, maxAttr)
	case bool:
		noted.full = strconv.FormatBool(v)
	case int:
		noted.full = strconv.Itoa(v)
	case int64:
		noted.full = strconv.FormatInt(v, 10)
	default:
		noted.full, _ = Value(func() any { return bounded(format(v), maxAttr) }).(string)
		if err, ok := v.(error); ok {
			noted.kind = textOf(err).kind
		}
	}
	c.note(noteValue, key, noted, 0)
}

// Fail records the error of a function with a last result of a type that the guide lists
// under failures. err is an error, or nil.
func (c *Call) Fail(err any) {
	if err, ok := err.(error); ok {
		c.note(noteError, "", textOf(err), 0)
	}
}

// Value computes an expression of the guide. If the expression panics, for example at a
// nil pointer, Value returns nil. The expression may call instrumented methods. These
// calls are not part of the request, so Value traces nothing meanwhile.
func Value(compute func() any) (v any) {
	labels := Labels()
	setLabels(nil)
	defer func() {
		_ = recover()
		setLabels(labels)
	}()
	return compute()
}

// Limits on the length of recorded values, in bytes.
const (
	maxAttr  = 512
	maxError = 2048
)

func bounded(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && s[limit]&0xC0 == 0x80 { // not in the middle of a rune
		limit--
	}
	return fmt.Sprintf("%s… (%d bytes more)", s[:limit], len(s)-limit)
}
