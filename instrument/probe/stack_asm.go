//go:build (amd64 || arm64) && go1.26

package probe

import "unsafe"

const supportedArch = true

// getg returns the runtime's descriptor of the current goroutine.
func getg() unsafe.Pointer

// framePointer returns the frame pointer register. On these architectures, Go saves it in
// every frame. It points to the caller's frame pointer. The return address follows.
func framePointer() uintptr

// here returns the results of getg, framePointer and counter, at the cost of one call.
func here() (gp unsafe.Pointer, fp uintptr, count int64)

// counter reads the processor's time counter.
func counter() int64
