//go:build go1.26

package probe

import (
	"path"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
)

// callSites remembers the source line of each pc from which a call was made.
//
// A pc alone does not tell: where the compiler has inlined a library function
// into the caller, the runtime names the library's line, and only on the live stack
// does it name the caller's as well. So the first call from a pc looks at the stack.
var callSites lineTable

// An entry has the lower half of a pc, which tells it from all others of a program of less than 4 GB, in its upper half, and in its
// lower half the line plus one. Call sites that lie near each other in the program are near each other in the table: a function
// that makes several calls needs few of the processor's cache lines.
type lineTable [1 << 16]atomic.Uint64

// slot returns the ith place to look for pc.
func (t *lineTable) slot(pc uintptr, i int) *atomic.Uint64 {
	return &t[(pc>>4^pc>>20+uintptr(i))%uintptr(len(t))]
}

// learn notes the line of pc, an address in the function of the call parent, if it is new.
// It must be called on the goroutine and below the frames that pc was found in.
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

// line returns what was learned of pc, or 0.
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

// lineInCaller looks up the stack for the nearest frame of parent's function above
// the instrumented function that is being entered, and returns the line it is at.
func lineInCaller(parent *Call) int {
	entry := runtime.FuncForPC(parent.self).Entry()
	self := true
	for f := range frames {
		if f.Func == nil || isProbe(f.Function) {
			continue // inlined, so not the function itself; or ours
		}
		if !self && f.Entry == entry {
			return f.Line
		}
		self = false
	}
	return 0
}

// frames goes through the goroutine's stack, innermost first.
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

// isProbe tells whether the named function belongs to this package.
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

// place renders where a frame is, the file without the folders that hold it.
func place(f runtime.Frame) string {
	return path.Base(f.File) + ":" + strconv.Itoa(f.Line)
}

// panicOrigin walks the stack of a panicking goroutine to where the panic was raised.
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
