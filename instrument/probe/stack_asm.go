//go:build (amd64 || arm64) && go1.26

package probe

import "unsafe"

const supportedArch = true

// getg returns the runtime's descriptor of the current goroutine.
func getg() unsafe.Pointer

// framePointer returns the frame pointer register. Go keeps it in every frame
// on these architectures: at the address it points to lie the caller's frame
// pointer and, one word up, the return address.
func framePointer() uintptr

// here returns what getg, framePointer and counter return, for the price of one call.
func here() (gp unsafe.Pointer, fp uintptr, count int64)

// counter reads the processor's counter of time.
func counter() int64
