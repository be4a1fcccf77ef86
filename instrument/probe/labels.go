//go:build go1.26

package probe

import (
	"context"
	"errors"
	"runtime/pprof"
	"sync/atomic"
	"unsafe"
)

// on says whether a goroutine may work for a traced request.
var on atomic.Bool

// On reports whether a goroutine may work for a traced request. Inserted code calls On
// first. While nothing is traced, On costs the load of a variable that all goroutines
// share. It costs no function call and no register.
func On() bool { return on.Load() }

// Labels returns the goroutine's label pointer. It is nil unless the goroutine works for
// a traced request, or other code has set profiler labels.
//
//go:linkname Labels runtime/pprof.runtime_getProfLabel
func Labels() unsafe.Pointer

//go:linkname setLabels runtime/pprof.runtime_setProfLabel
func setLabels(unsafe.Pointer)

// labelKey is the key of the only label of a traced goroutine. It is made at run time, so
// that no other string of the program shares its bytes. The address of these bytes
// distinguishes the probe's labels from other labels.
var labelKey = string([]byte("apitrace"))

// A profilerLabel has the layout of the runtime's internal label.Label.
type profilerLabel struct{ key, value string }

// fromLabels returns the call that a label pointer stands for, or nil if the labels are
// not the probe's.
//
// The runtime's profiler expects that the pointer points to a struct that begins with a
// slice of labels. A Call begins with the words of such a slice.
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

// labelWords are the three words of a slice of labels.
type labelWords [3]uintptr

// wordsOf returns the words of a set of labels. They do not keep the set in memory.
func wordsOf(set pprof.LabelSet) labelWords { return *(*labelWords)(unsafe.Pointer(&set)) }

var errLabelLayout = errors.New("this Go release lays out profiler labels in a way that the probe does not know")

// checkLabelLayout returns an error if this Go release lays labels out in another way
// than fromLabels assumes. Reading the labels of other code under a wrong assumption
// could crash the program.
func checkLabelLayout() error {
	if unsafe.Sizeof(pprof.LabelSet{}) != unsafe.Sizeof(labelWords{}) {
		return errLabelLayout
	}
	done := make(chan error)
	go func() {
		ctx := pprof.WithLabels(context.Background(), pprof.Labels(labelKey, "value"))
		pprof.SetGoroutineLabels(ctx)
		set := *(*[]profilerLabel)(Labels())
		if len(set) != 1 || cap(set) > 16 || unsafe.StringData(set[0].key) != unsafe.StringData(labelKey) || set[0].value != "value" {
			done <- errLabelLayout
			return
		}
		done <- nil
	}()
	return <-done
}
