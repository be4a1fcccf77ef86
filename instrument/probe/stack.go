//go:build go1.26

package probe

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"unsafe"
)

// The functions below read the runtime's own structures, and Go does not guarantee their
// layout. calibrate finds each offset by experiment when the program starts. If an
// experiment has no clear outcome, the probe is off.

// stack holds the outcome of calibrate.
var stack struct {
	wrapped bool    // framePointer is called through a wrapper that has a frame
	goid    uintptr // offset of the goroutine's id in its descriptor
	gopc    uintptr // offset of the pc of the go statement that made it
	panicPC uintptr // where runtime.gopanic calls deferred functions
}

// A frame is the value of the frame pointer in some function.
type frame uintptr

// pointer returns f as a pointer. It points into the goroutine's own stack.
//
//go:nosplit
func (f frame) pointer() unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&f)) }

// up returns the frame of the caller.
//
//go:nosplit
//go:nocheckptr
func (f frame) up() frame { return *(*frame)(f.pointer()) }

// returnPC returns the function's return address, which is in the caller.
//
//go:nosplit
//go:nocheckptr
func (f frame) returnPC() uintptr { return *(*uintptr)(unsafe.Add(f.pointer(), 8)) }

// frameOf converts the result of framePointer to the frame of the function that called
// framePointer. A frame is valid until the stack moves. Every call of a function that is
// not nosplit may move the stack.
//
//go:nosplit
func frameOf(fp uintptr) frame {
	if stack.wrapped {
		return frame(fp).up()
	}
	return frame(fp)
}

// A position is the place of a function on its goroutine's stack. It stays valid when the
// stack moves.
type position struct {
	depth uintptr // of the function's frame below the upper end of the stack
	pc    uintptr // in the function
}

// An arrival is the place and time of a goroutine's entry into an instrumented function.
type arrival struct {
	position
	goroutine goroutine
	count     int64 // result of counter
}

// ticks returns the time of the arrival.
func (a *arrival) ticks() int64 {
	if useCounter {
		return a.count
	}
	return ticks()
}

// callerOf takes the results of here. It returns the arrival in the function that called
// the caller of here.
//
//go:nosplit
func callerOf(g unsafe.Pointer, fp uintptr, count int64) arrival {
	f := frameOf(fp)
	return arrival{position{goroutine{g}.stackHi() - uintptr(f.up()), f.returnPC()}, goroutine{g}, count}
}

// A goroutine is the runtime's descriptor of a goroutine.
type goroutine struct{ g unsafe.Pointer }

//go:nosplit
//go:nocheckptr
func (g goroutine) word(offset uintptr) uintptr { return *(*uintptr)(unsafe.Add(g.g, offset)) }

func (g goroutine) id() uint64 { return uint64(g.word(stack.goid)) }

// creationPC returns the pc of the go statement that started the goroutine.
func (g goroutine) creationPC() uintptr { return g.word(stack.gopc) }

// The descriptor begins with the bounds of the stack. The linker and cgo rely on it.
//
//go:nosplit
func (g goroutine) stackLo() uintptr { return g.word(0) }

//go:nosplit
func (g goroutine) stackHi() uintptr { return g.word(unsafe.Sizeof(uintptr(0))) }

// callPC walks up the stack, from the frame at depth from to the frame at depth to. It
// returns the address in the second frame's function where control will return. It
// returns 0 if there is no such frame.
//
//go:nocheckptr
func (g goroutine) callPC(from, to uintptr) uintptr {
	lo, hi := g.stackLo(), g.stackHi()
	f, want := frame(hi-from), frame(hi-to)
	for range maxFrames {
		next := f.up()
		if next == want {
			return f.returnPC()
		}
		if next <= f || uintptr(next) < lo || uintptr(next)+16 > hi {
			return 0
		}
		f = next
	}
	return 0
}

// maxFrames limits a walk. Go itself limits only the size of a stack, to 1 GB.
const maxFrames = 10_000

// calibrate sets stack. Its error names the part that it could not find.
func calibrate() error {
	if !supportedArch {
		return fmt.Errorf("GOARCH %s is not supported: the probe knows amd64 and arm64", runtime.GOARCH)
	}
	stack.wrapped = frameIsWrappers()
	if err := findGoroutineFields(); err != nil {
		return err
	}
	return findPanicPC()
}

//go:noinline
func frameIsWrappers() bool {
	returnsTo := runtime.FuncForPC(frame(framePointer()).returnPC())
	return returnsTo != nil && returnsTo.Name() == callerName()
}

// callerName returns the full name of the function that calls it.
//
//go:noinline
func callerName() string {
	var pcs [1]uintptr
	runtime.Callers(2, pcs[:])
	f, _ := runtime.CallersFrames(pcs[:]).Next()
	return f.Function
}

// findGoroutineFields finds the id and the pc of the go statement in a goroutine's
// descriptor. It searches the descriptors of some new goroutines for the values that
// runtime.Stack prints.
func findGoroutineFields() error {
	const descriptorSize = 400 // a prefix of runtime.g, which is larger
	ids, pcs := words(descriptorSize), words(descriptorSize)
	here := callerName()
	for range 8 {
		done := make(chan error)
		go func() {
			g := goroutine{getg()}
			id, line, err := describeGoroutine()
			if err == nil {
				ids.keep(func(off uintptr) bool { return uint64(g.word(off)) == id })
				pcs.keep(func(off uintptr) bool { return isGoStatement(g.word(off), here, line) })
			}
			done <- err
		}()
		if err := <-done; err != nil {
			return err
		}
	}
	if len(*ids) != 1 || len(*pcs) != 1 {
		return fmt.Errorf("goroutine descriptor of %s: %d places for the id and %d for the go statement, expected one each", runtime.Version(), len(*ids), len(*pcs))
	}
	stack.goid, stack.gopc = (*ids)[0], (*pcs)[0]
	return nil
}

// offsets are the remaining candidates for the offset of a field in a descriptor.
type offsets []uintptr

func words(size uintptr) *offsets {
	var all offsets
	for off := uintptr(0); off < size; off += unsafe.Sizeof(off) {
		all = append(all, off)
	}
	return &all
}

func (o *offsets) keep(ok func(uintptr) bool) {
	var kept offsets
	for _, off := range *o {
		if ok(off) {
			kept = append(kept, off)
		}
	}
	*o = kept
}

// describeGoroutine parses the text that runtime.Stack prints for the current goroutine:
//
//	goroutine 7 [running]:
//	…
//	created by pkg.function in goroutine 1
//		/path/file.go:12 +0x5a
func describeGoroutine() (id uint64, goLine int, err error) {
	buf := make([]byte, 16<<10)
	buf = buf[:runtime.Stack(buf, false)]
	unknown := errors.New("runtime.Stack prints goroutines in a way that the probe does not know")
	fields := bytes.Fields(buf)
	if len(fields) < 2 {
		return 0, 0, unknown
	}
	if id, err = strconv.ParseUint(string(fields[1]), 10, 64); err != nil {
		return 0, 0, unknown
	}
	_, created, ok := bytes.Cut(buf, []byte("\ncreated by "))
	if !ok {
		return 0, 0, unknown
	}
	_, place, _ := bytes.Cut(created, []byte("\n"))
	place, _, _ = bytes.Cut(place, []byte(" +0x"))
	colon := bytes.LastIndexByte(place, ':')
	if goLine, err = strconv.Atoi(string(place[colon+1:])); err != nil {
		return 0, 0, unknown
	}
	return id, goLine, nil
}

// isGoStatement reports whether pc is on the given line of the named function.
func isGoStatement(pc uintptr, function string, line int) bool {
	f := runtime.FuncForPC(pc)
	if f == nil || f.Name() != function {
		return false
	}
	_, at := f.FileLine(pc - 1) // pc is where the go statement ends
	return at == line
}

// findPanicPC panics, to find where the runtime calls deferred functions of a panic.
func findPanicPC() error {
	panicWithExit()
	f := runtime.FuncForPC(stack.panicPC)
	if f == nil || f.Name() != "runtime.gopanic" {
		return fmt.Errorf("deferred functions are not called by runtime.gopanic in %s", runtime.Version())
	}
	return nil
}

func panicWithExit() {
	defer func() { _ = recover() }()
	var c *Call
	defer c.learnPanicPC(nil)
	panic("the probe looks where deferred functions are called from")
}

// learnPanicPC is deferred in the same way as Exit, through a wrapper that the compiler
// makes for the arguments.
//
//go:noinline
func (c *Call) learnPanicPC(*error) {
	stack.panicPC = frameOf(framePointer()).up().returnPC()
}
