//go:build go1.26

package probe

import (
	"fmt"
	"runtime/pprof"
	"strconv"
	"sync/atomic"
	"unsafe"
)

// A Site is an instrumented function. The rewriter puts a table of them into each
// instrumented package.
type Site struct {
	Function string // full name, see Record.Function
	File     string // import path, slash, file name
	Line     int    // of the word "func"
}

// A Call is one execution of an instrumented function for a traced request. It
// is also the label pointer of the goroutine while that function is the
// innermost instrumented one.
//
// The goroutine that makes the call writes the fields; the reader's goroutine
// looks at them once state says that they are written.
//
// The garbage collector looks into each pointer of each call, so there are few.
type Call struct {
	labels pprof.LabelSet // must be first: see fromLabels
	trace  *tracing
	prev   unsafe.Pointer       // the goroutine's labels before this call
	notes  atomic.Pointer[note] // the latest; nil for most calls

	siteAt    uintptr // of a Site, which is a variable of a package and never moves
	goroutine uint64
	seq       uint32
	parent    uint32 // Call.seq plus one, 0 for the first call of the trace in this process
	depth     uint32 // of the function's frame below the upper end of the stack
	state     atomic.Uint32

	self       uintptr // a pc in the function
	callPC     uintptr // where control left the parent, 0 if unknown
	start, end int64   // in ticks
}

// site is the function.
func (c *Call) site() *Site { return *(**Site)(unsafe.Pointer(&c.siteAt)) }

// inherits tells whether the goroutine got the labels of the call's parent from the one that started it.
func (c *Call) inherits(parent *Call) bool {
	return parent != nil && parent.goroutine != c.goroutine && fromLabels(c.prev) == parent
}

// A note is what is worth noting on some calls only. Once it is in the list of a call it does not change, so that the reader
// needs no lock.
type note struct {
	before *note
	kind   noteKind
	key    string // of a value
	text   text   // of a value or an error; the origin of a panic
	stage  int
}

type noteKind uint8

const (
	noteValue noteKind = iota // one that the guide asked for
	noteError
	notePanic
	noteStage // see After
)

// note adds to the call's notes. Only the goroutine that makes the call does that.
func (c *Call) note(n note) {
	n.before = c.notes.Load()
	c.notes.Store(&n)
}

// States of a Call.
const (
	beginning = iota // its fields are being written
	running
	returned
)

// Enter begins a call below the one that labels, the goroutine's label pointer,
// stands for. It returns nil, which Exit accepts, if the labels are not ours.
// It must be called by the instrumented function itself.
//
//go:noinline
func Enter(labels unsafe.Pointer, site *Site) *Call {
	at := callerOf(here())
	parent := fromLabels(labels)
	if parent == nil {
		return nil
	}
	return begin(parent.trace, parent, labels, site, &at)
}

// Root begins the first call of a trace if traceparent asks for one, and is like
// Enter on a goroutine that is traced already. traceparent is a string or what
// gRPC metadata holds, a []string.
//
//go:noinline
func Root(labels unsafe.Pointer, site *Site, traceparent any) *Call {
	at := callerOf(here())
	parent := fromLabels(labels)
	if parent != nil && !parent.trace.boot {
		return begin(parent.trace, parent, labels, site, &at)
	}
	traceID, remote, flags, ok := parseTraceparent(traceparent)
	if !ok || !listening.Load() {
		return outside(parent, labels)
	}
	c := begin(traces.open(traceID), nil, labels, site, &at)
	if c != nil {
		c.trace.setRemote(c.seq, remote)
		if flags&flagSecret != 0 {
			c.trace.secret.Store(true)
		}
	}
	return c
}

// begin does the work of Enter, Root, Take and After, which were called by
// the function at which the goroutine has arrived.
func begin(t *tracing, parent *Call, labels unsafe.Pointer, site *Site, at *arrival) *Call {
	c := t.newCall()
	if c == nil {
		return nil
	}
	g := at.goroutine
	c.labels, c.trace, c.prev, c.siteAt = t.labels, t, labels, uintptr(unsafe.Pointer(site))
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

// Exit ends the call. It is deferred by the instrumented function, with the
// address of the function's last result if that is an error.
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
	setLabels(c.prev)
	if err != nil && *err != nil {
		c.note(note{kind: noteError, text: textOf(*err)})
	}
	if panicking {
		c.note(note{kind: notePanic, text: text{full: panicOrigin()}})
	}
	publish(&c.state, returned)
}

// Attr notes a value, if there is one.
func (c *Call) Attr(key string, v any) {
	if v == nil {
		return
	}
	var noted text
	switch v := v.(type) {
	case string: // these have no methods that format could call
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
	c.note(note{key: key, text: noted})
}

// Fail notes the error of a function whose last result holds errors without being one.
// err is an error, or nil.
func (c *Call) Fail(err any) {
	if err, ok := err.(error); ok {
		c.note(note{kind: noteError, text: textOf(err)})
	}
}

// Value computes an expression of the guide. It may meet nil pointers, which must
// not reach the program, and call instrumented methods, which nobody asked for:
// Value returns nil for the first and traces nothing meanwhile.
func Value(compute func() any) (v any) {
	labels := Labels()
	setLabels(nil)
	defer func() {
		_ = recover()
		setLabels(labels)
	}()
	return compute()
}

// Limits on what is kept of values, in bytes.
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
