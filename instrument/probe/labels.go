//go:build go1.26

package probe

import (
	"context"
	"errors"
	"runtime/pprof"
	"sync/atomic"
	"unsafe"
)

// on is whether a goroutine may work for a traced request.
var on atomic.Bool

// On tells whether a goroutine may work for a traced request. Inserted code asks this first: where nothing is traced, a
// call costs the load of a variable that all of them share, and neither a call nor a register.
func On() bool { return on.Load() }

// Labels returns the goroutine's label pointer: nil unless the goroutine works
// for a traced request, or somebody else has set profiler labels.
//
//go:linkname Labels runtime/pprof.runtime_getProfLabel
func Labels() unsafe.Pointer

//go:linkname setLabels runtime/pprof.runtime_setProfLabel
func setLabels(unsafe.Pointer)

// labelKey is the key of the one label that a traced goroutine has. It is made
// at run time so that no other string of the program shares its bytes: their
// address is what tells our labels from others.
var labelKey = string([]byte("apitrace"))

// A profilerLabel has the layout of the runtime's internal label.Label.
type profilerLabel struct{ key, value string }

// fromLabels returns the call that a label pointer stands for, or nil if the
// labels are not ours.
//
// What the runtime's profiler expects behind the pointer is a struct that begins
// with a slice of labels. A Call begins with a pprof.LabelSet, which is the same.
func fromLabels(p unsafe.Pointer) *Call {
	if p == nil {
		return nil
	}
	set := *(*[]profilerLabel)(p)
	if len(set) == 0 || unsafe.StringData(set[0].key) != unsafe.StringData(labelKey) {
		return nil
	}
	return (*Call)(p)
}

// checkLabelLayout proves that this Go release lays labels out as fromLabels
// assumes. Reading somebody else's labels under a wrong assumption could crash
// the program.
func checkLabelLayout() error {
	bad := errors.New("this Go release lays out profiler labels in a way that the probe does not know")
	done := make(chan error)
	go func() {
		ctx := pprof.WithLabels(context.Background(), pprof.Labels(labelKey, "value"))
		pprof.SetGoroutineLabels(ctx)
		set := *(*[]profilerLabel)(Labels())
		if len(set) != 1 || cap(set) > 16 || unsafe.StringData(set[0].key) != unsafe.StringData(labelKey) || set[0].value != "value" {
			done <- bad
			return
		}
		done <- nil
	}()
	return <-done
}
