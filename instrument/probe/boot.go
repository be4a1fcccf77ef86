//go:build go1.26

package probe

import (
	"fmt"
	"os"
	"path"
	"runtime"
	"runtime/pprof"
	"unsafe"
)

// traceBoot begins the trace of the program's start. The first call of the trace is
// runtime.main, which is already running. It initialises the packages, then it calls
// main.main.
func traceBoot(traceparent string) {
	if traceparent == "" {
		return
	}
	traceID, _, _, ok := parseTraceparent(traceparent)
	if !ok {
		fmt.Fprintf(os.Stderr, "apitrace probe: the start is not traced: %s=%q is no sampled W3C traceparent\n", EnvBoot, traceparent)
		return
	}
	main, site := mainFunction()
	if site == nil {
		fmt.Fprintf(os.Stderr, "apitrace probe: the start is not traced: the probe was not initialised by runtime.main in %s\n", runtime.Version())
		return
	}
	t := traces.open(traceID)
	t.boot = true
	g, c := goroutine{getg()}, t.newCall()
	c.labels, c.traceAddr, c.siteAddr = wordsOf(t.labels), uintptr(unsafe.Pointer(t)), uintptr(unsafe.Pointer(site))
	c.goroutine, c.self, c.depth = g.id(), main.pc, uint32(main.depth)
	checks.sites.Store(runtime.FuncForPC(main.pc).Entry(), site)
	c.start = ticks()
	publish(&c.state, running)
	setLabels(unsafe.Pointer(c))
}

// mainSite is the Site of runtime.main. mainFunction sets it.
var mainSite Site

// mainFunction returns the position of runtime.main on the goroutine's stack, and its
// Site. If runtime.main is not on the stack, the Site is nil.
func mainFunction() (position, *Site) {
	var site *Site
	var entry uintptr
	for f := range frames {
		if f.Function == "runtime.main" {
			file, line := f.Func.FileLine(f.Entry)
			mainSite = Site{Function: f.Function, File: "runtime/" + path.Base(file), Line: line}
			site, entry = &mainSite, f.Entry
		}
	}
	if site == nil {
		return position{}, nil
	}
	for _, at := range callers() {
		// Compare entries, not names: a pc may have the name of an inlined function.
		if at.pc != 0 && runtime.FuncForPC(at.pc).Entry() == entry {
			return at, site
		}
	}
	return position{}, nil
}

// callers returns the positions of the functions on the goroutine's stack, innermost first.
//
//go:noinline
func callers() (all [64]position) {
	hi := goroutine{getg()}.stackHi()
	f := frameOf(framePointer())
	for i := range all {
		up := f.up()
		if up <= f || uintptr(up)+16 > hi {
			break
		}
		all[i] = position{hi - uintptr(up), f.returnPC()}
		f = up
	}
	return all
}

// noTrace holds the labels of work that is not part of any trace.
var noTrace = func() *tracing {
	t := &tracing{in: &traces, boot: true, labels: pprof.Labels(labelKey, "")}
	t.closed.Store(true)
	return t
}()

// An unrecordedCall is in no chunk, so it keeps the previous labels in memory itself.
type unrecordedCall struct {
	Call
	labels unsafe.Pointer
}

// beginUnrecorded begins a call that is not recorded, and neither are the calls below it.
// Without a parent, beginUnrecorded returns nil.
//
// The goroutines that serve requests begin during the program's start, so they inherit
// its labels. An untraced request on such a goroutine is not part of the start.
func beginUnrecorded(parent *Call, labels unsafe.Pointer) *Call {
	if parent == nil {
		return nil
	}
	o := &unrecordedCall{Call: Call{labels: wordsOf(noTrace.labels), traceAddr: uintptr(unsafe.Pointer(noTrace)), prevAddr: uintptr(labels)}, labels: labels}
	setLabels(unsafe.Pointer(&o.Call))
	return &o.Call
}
