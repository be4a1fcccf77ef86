//go:build go1.26

package probe

import (
	"path"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
)

// callSites remembers the source line of each call, by the call's pc.
//
// A pc alone is not enough. If the compiler has inlined a library function into the
// caller, the runtime returns the library's line for the pc. For a live stack, it returns
// the caller's line, too. So the first call from a pc looks at the stack.
var callSites lineTable

// A lineTable is a hash table of lines by pc. The upper half of an entry is the lower
// half of the pc, which is unique in a program of less than 4 GB. The lower half of an
// entry is the line plus one.
//
// Call sites that are close in the program are close in the table. So a function with
// several calls needs few of the processor's cache lines.
type lineTable [1 << 16]atomic.Uint64

// slot returns the ith place to look for pc.
func (t *lineTable) slot(pc uintptr, i int) *atomic.Uint64 {
	return &t[(pc>>4^pc>>20+uintptr(i))%uintptr(len(t))]
}

// learn records the line of pc if pc is new. pc is an address in the function of parent,
// found on the goroutine's stack. The same goroutine must call learn, while the frame
// with pc is on its stack.
func (t *lineTable) learn(pc uintptr, parent *Call) {
	if t.slot(pc, 0).Load()>>32 != uint64(uint32(pc)) && pc != 0 {
		t.insert(pc, parent)
	}
}

func (t *lineTable) insert(pc uintptr, parent *Call) {
	line := -1
	for i := range t {
		slot := t.slot(pc, i)
		if slot.Load() == 0 {
			if line < 0 {
				line = lineInCaller(parent)
			}
			if slot.CompareAndSwap(0, uint64(uint32(pc))<<32|uint64(line+1)) {
				return
			}
		}
		if slot.Load()>>32 == uint64(uint32(pc)) {
			return
		}
	}
}

// line returns the line that was learned for pc, or 0.
func (t *lineTable) line(pc uintptr) int {
	for i := range t {
		switch e := t.slot(pc, i).Load(); {
		case e == 0:
			return 0
		case e>>32 == uint64(uint32(pc)):
			return int(uint32(e)) - 1
		}
	}
	return 0
}

// lineInCaller returns the current line of parent's function, or 0. It takes the nearest
// frame of that function above the instrumented function that is being entered.
func lineInCaller(parent *Call) int {
	entry := runtime.FuncForPC(parent.self).Entry()
	self := true
	for f := range frames {
		if f.Func == nil || isProbe(f.Function) {
			continue // an inlined function, or a function of the probe
		}
		if !self && f.Entry == entry {
			return f.Line
		}
		self = false
	}
	return 0
}

// frames iterates over the goroutine's stack, innermost first.
func frames(yield func(runtime.Frame) bool) {
	pcs := make([]uintptr, 64)
	n := runtime.Callers(2, pcs)
	for n == len(pcs) {
		pcs = make([]uintptr, 4*len(pcs))
		n = runtime.Callers(2, pcs)
	}
	all := runtime.CallersFrames(pcs[:n])
	for {
		f, more := all.Next()
		if f.PC != 0 && !yield(f) || !more {
			return
		}
	}
}

// isProbe reports whether the named function belongs to this package.
func isProbe(function string) bool {
	return strings.HasPrefix(function, packagePath+".")
}

// packagePath is this package's import path in the program.
var packagePath = func() string {
	name := callerName()
	for i := len(name) - 1; i >= 0 && name[i] != '/'; i-- {
		if name[i] == '.' {
			name = name[:i]
		}
	}
	return name
}()

// place returns a frame's file, without folders, and line.
func place(f runtime.Frame) string {
	return path.Base(f.File) + ":" + strconv.Itoa(f.Line)
}

// panicOrigin returns the function that raised the panic, and its place. The panicking
// goroutine must call it.
func panicOrigin() string {
	raised := false
	for f := range frames {
		switch {
		case f.Function == "runtime.gopanic":
			raised = true
		case raised && !strings.HasPrefix(f.Function, "runtime."):
			return f.Function + " (" + place(f) + ")"
		}
	}
	return "unknown"
}
