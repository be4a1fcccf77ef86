//go:build go1.26

package probe

import (
	"fmt"
	"runtime/pprof"
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
type Call struct {
	labels pprof.LabelSet // must be first: see fromLabels
	trace  *tracing
	parent *Call          // nil for the first call of the trace in this process
	prev   unsafe.Pointer // the goroutine's labels before this call
	site   *Site
	seq    uint32
	state  atomic.Uint32

	goroutine uint64
	inherited bool    // the goroutine got the labels from the one that started it
	depth     uintptr // of the function's frame below the upper end of the stack
	self      uintptr // a pc in the function
	callPC    uintptr // where control left the parent, 0 if unknown

	start, end int64  // in ticks
	notes      *notes // nil for most calls; guarded by trace.mu
}

// notes are what is worth noting on some calls only.
type notes struct {
	err      text
	panicked string
	stage    int // see After
	attrs    []value
}

// A value is one that the guide asked for.
type value struct {
	key  string
	text text
}

// note changes the call's notes.
func (c *Call) note(change func(*notes)) {
	c.trace.mu.Lock()
	defer c.trace.mu.Unlock()
	if c.notes == nil {
		c.notes = &notes{}
	}
	change(c.notes)
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
	parent := fromLabels(labels)
	if parent == nil {
		return nil
	}
	return begin(parent.trace, parent, labels, site, callerOf(framePointer()))
}

// Root begins the first call of a trace if traceparent asks for one, and is like
// Enter on a goroutine that is traced already. traceparent is a string or what
// gRPC metadata holds, a []string.
//
//go:noinline
func Root(labels unsafe.Pointer, site *Site, traceparent any) *Call {
	at := callerOf(framePointer())
	parent := fromLabels(labels)
	if parent != nil && !parent.trace.boot {
		return begin(parent.trace, parent, labels, site, at)
	}
	traceID, remote, flags, ok := parseTraceparent(traceparent)
	if !ok || !listening.Load() {
		return outside(parent, labels)
	}
	c := begin(traces.open(traceID), nil, labels, site, at)
	if c != nil {
		c.trace.setRemote(c.seq, remote)
		if flags&flagSecret != 0 {
			c.trace.secret.Store(true)
		}
	}
	return c
}

// begin does the work of Enter, Root, Take and After, which were called by
// the function at the given position.
func begin(t *tracing, parent *Call, labels unsafe.Pointer, site *Site, at position) *Call {
	c := t.newCall()
	if c == nil {
		return nil
	}
	g := goroutine{getg()}
	c.labels, c.trace, c.parent, c.prev, c.site = t.labels, t, parent, labels, site
	c.goroutine, c.self, c.depth = g.id(), at.pc, at.depth
	if parent != nil {
		if parent.goroutine == c.goroutine {
			c.callPC = g.callPC(at.depth, parent.depth)
			callSites.learn(c.callPC, parent)
		} else if fromLabels(labels) == parent {
			c.inherited = true
			c.callPC = g.creationPC()
		}
	}
	if checking {
		check(c)
	}
	c.start = ticks()
	c.state.Store(running)
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
	c.end = ticks()
	setLabels(c.prev)
	if err != nil && *err != nil {
		text := textOf(*err)
		c.note(func(n *notes) { n.err = text })
	}
	if frameOf(framePointer()).up().returnPC() == stack.panicPC {
		origin := panicOrigin()
		c.note(func(n *notes) { n.panicked = origin })
	}
	c.state.Store(returned)
}

// Attr notes a value, if there is one.
func (c *Call) Attr(key string, v any) {
	if v == nil {
		return
	}
	var noted text
	noted.full, _ = Value(func() any { return bounded(format(v), maxAttr) }).(string)
	if err, ok := v.(error); ok {
		noted.kind = textOf(err).kind
	}
	c.note(func(n *notes) { n.attrs = append(n.attrs, value{key, noted}) })
}

// Fail notes the error of a function whose last result holds errors without being one.
// err is an error, or nil.
func (c *Call) Fail(err any) {
	if err, ok := err.(error); ok {
		text := textOf(err)
		c.note(func(n *notes) { n.err = text })
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
