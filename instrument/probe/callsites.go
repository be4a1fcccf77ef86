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

type lineTable [1 << 15]struct {
	pc   atomic.Uintptr
	line atomic.Int64 // plus one, 0 while it is not known
}

// learn notes the line of pc, an address in the function of the call parent, if it is new.
// It must be called on the goroutine and below the frames that pc was found in.
func (t *lineTable) learn(pc uintptr, parent *Call) {
	if pc == 0 {
		return
	}
	for i := range t {
		e := &t[(pc^pc>>15+uintptr(i))%uintptr(len(t))]
		switch e.pc.Load() {
		case 0:
			if !e.pc.CompareAndSwap(0, pc) && e.pc.Load() != pc {
				continue // another pc has taken the entry
			}
		case pc:
		default:
			continue
		}
		// Whoever else has just taken the entry for pc may not have its line yet, and the
		// call that is being entered needs it.
		if e.line.Load() == 0 {
			e.line.Store(int64(lineInCaller(parent)) + 1)
		}
		return
	}
}

// line returns what was learned of pc, or 0.
func (t *lineTable) line(pc uintptr) int {
	for i := range t {
		e := &t[(pc^pc>>15+uintptr(i))%uintptr(len(t))]
		switch e.pc.Load() {
		case pc:
			return int(max(e.line.Load()-1, 0))
		case 0:
			return 0
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
