//go:build !race && go1.26

package probe

import (
	"sync/atomic"
	"unsafe"
)

// publish sets the state of a call or a leaf after all other fields were written. The
// processor and the compiler keep the order of stores. atomic.Uint32.Store would also
// wait until all stores have left the core, which takes longer than the rest of a leaf.
func publish(state *atomic.Uint32, v uint32) { *(*uint32)(unsafe.Pointer(state)) = v }
