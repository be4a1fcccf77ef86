//go:build go1.26

package probe

import (
	"context"
	"errors"
	"runtime/pprof"
	"sync/atomic"
	"unsafe"
)

// on is the result of On.
var on atomic.Bool

// On reports whether any goroutine may work for a traced request. Inserted code calls On
// first. While nothing is traced, On costs the load of a shared variable. It costs no
// function call and no register.
func On() bool { return on.Load() }

// Labels returns the goroutine's label pointer. It is nil unless the goroutine works for
// a traced request, or other code has set labels.
//
//go:linkname Labels runtime/pprof.runtime_getProfLabel
func Labels() unsafe.Pointer

//go:linkname setLabels runtime/pprof.runtime_setProfLabel
func setLabels(unsafe.Pointer)

// labelKey is the key of the only label of a traced goroutine. Its address distinguishes
// the probe's labels from other labels. It is made at run time, so that no other string
// of the program shares its bytes.
var labelKey = string([]byte("apitrace"))

// A profilerLabel has the layout of the runtime's internal label.Label.
type profilerLabel struct{ key, value string }

// fromLabels returns the call of a label pointer, or nil if the labels are not the
// probe's.
//
// The runtime's profiler expects a pointer to a struct that begins with a slice of
// labels. A Call begins with the words of such a slice.
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

// wordsOf returns the words of a set of labels. The words do not keep it in memory.
func wordsOf(set pprof.LabelSet) labelWords { return *(*labelWords)(unsafe.Pointer(&set)) }

var errLabelLayout = errors.New("this Go release lays out profiler labels in a way that the probe does not know")

// checkLabelLayout returns an error if this Go release has another layout of labels than
// fromLabels expects. With another layout, reading the labels of other code could crash
// the program.
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
