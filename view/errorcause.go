package view

import (
	"iter"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
)

// outermost returns the first of the calls 0 to before-1 that returned the error
// with this text. If none did, it returns the first call with an error that is a
// part of text, or -1.
func outermost(tree *trace.Tree, before int, text string) int {
	part := -1
	for i := range before {
		switch err := tree.Call(i).Error; {
		case err == "":
		case sameError(err, text):
			return i
		case part < 0 && includes(text, err):
			part = i
		}
	}
	return part
}

// descend follows the error from call i, which returned it, down to its origin.
// It adds the steps in the order of events.
func (f *errorFinder) descend(i int) {
	f.path.Calls[i] = true
	call := f.tree.Call(i)
	if cause := f.causeBelow(i); cause >= 0 {
		f.descend(cause)
		if f.tree.Call(cause).Error != call.Error {
			f.add(i, ErrorWrapped, call.Error)
		}
	} else if cause = f.causeBeside(i); cause >= 0 {
		f.descend(cause)
		f.add(i, ErrorWrapped, call.Error)
	} else if cause = max(f.causeBefore(i), f.lastFailure(i)); cause >= 0 {
		f.descend(cause)
		f.add(i, ErrorTurned, call.Error)
	} else {
		f.born(i)
	}
	if plugin := call.Attributes[trace.AttrAdmissionPlugin]; plugin != "" {
		f.add(i, ErrorRefused, plugin)
	}
}

// born adds the step of call i, which made its error itself. If another process
// that i called had panicked, or a call below i had refused something, that
// step comes first.
func (f *errorFinder) born(i int) {
	if crashed := f.crashedBelow(i); crashed >= 0 {
		f.panicked(crashed)
	} else if no := f.lastNo(i+1, f.tree.End(i)); no >= 0 && f.tree.Call(no).Error == "" {
		f.say(no, ErrorDenied, whyNot(f.tree, no))
	}
	f.add(i, ErrorBorn, f.tree.Call(i).Error)
}

// crashedBelow returns the first call below call i that entered another
// process and panicked, or -1. The client of such a process only sees that the
// connection broke.
func (f *errorFinder) crashedBelow(i int) int {
	for below := i + 1; below < f.tree.End(i); below++ {
		call := f.tree.Call(below)
		if call.Panic != "" && call.Process != f.tree.Call(f.tree.Parent(below)).Process {
			return below
		}
	}
	return -1
}

// causeBelow returns the call that passed its error to call i. This is the
// first call below i with the same error, or else the last call with an error
// that is a part of i's error. If there is none, it returns -1.
//
// Calls in between may return no error, such as the function of a goroutine. A
// constructor is not a cause, because the error begins in its caller.
func (f *errorFinder) causeBelow(i int) int {
	text, cause := f.tree.Call(i).Error, -1
	for below := i + 1; below < f.tree.End(i); {
		call := f.tree.Call(below)
		constructor := f.classifier.Constructor(call.Function)
		switch {
		case call.Error == "" || constructor:
		case call.Error == text:
			return below
		case includes(text, call.Error):
			cause = below
		}
		if call.Error == "" && !constructor {
			below++
		} else {
			below = f.tree.End(below)
		}
	}
	return cause
}

// causeBeside returns the last call that call i's caller made before i and
// that failed with a part of i's error, or -1. The caller passed this error to
// i, and i added text to it.
func (f *errorFinder) causeBeside(i int) int {
	cause, text := -1, f.tree.Call(i).Error
	for sibling := range f.before(i) {
		if err := f.tree.Call(sibling).Error; err != "" && err != text && includes(text, err) {
			cause = sibling
		}
	}
	return cause
}

// causeBefore returns the failed call before call i if i's error replaces the
// error of the failed call, or -1. The caller must have returned i's error.
// Between the failed call and i, the caller may only have made calls on i's line,
// for i's arguments, and calls for metrics or tracing. If i was its caller's
// first call, causeBefore looks in the same way before the caller.
func (f *errorFinder) causeBefore(i int) int {
	for parent := f.tree.Parent(i); parent >= 0 && f.tree.Call(parent).Error == f.tree.Call(i).Error; parent = f.tree.Parent(i) {
		cause, first := -1, true
		for sibling := range f.before(i) {
			call := f.tree.Call(sibling)
			if recordsMetrics(call) || readsError(call) {
				continue
			}
			first = false
			switch {
			case call.Error != "":
				cause = sibling
			case call.CallerLine != f.tree.Call(i).CallerLine:
				cause = -1
			}
		}
		if !first {
			return cause
		}
		i = parent
	}
	return -1
}

// recordsMetrics reports whether a call only records metrics or traces.
func recordsMetrics(call *trace.Call) bool {
	return Upstream(call) || strings.HasPrefix(call.ShortName(), "metrics.Record")
}

// readsError reports whether a call only returns the text of an error.
func readsError(call *trace.Call) bool { return strings.HasSuffix(call.Function, ").Error") }

// lastFailure returns the last call that call i made, or -1 if that call
// succeeded. It ignores constructors and calls that only read an error.
func (f *errorFinder) lastFailure(i int) int {
	last := -1
	for child := range f.tree.Children(i) {
		switch call := f.tree.Call(child); {
		case f.classifier.Constructor(call.Function), readsError(call):
		case call.Error != "":
			last = child
		default:
			last = -1
		}
	}
	return last
}

// failedBefore returns the call that failed right before call i made the
// answer. This is the last call that i's caller made before i. If i was the
// first, it is the last call that the caller's caller made before, and so on.
// failedBefore returns -1 if that call succeeded.
func (f *errorFinder) failedBefore(i int) int {
	for ; i > 0; i = f.tree.Parent(i) {
		last := -1
		for sibling := range f.before(i) {
			// A leaf may have failed: only its entry was recorded.
			if c := f.tree.Call(sibling); !c.Leaf && !f.classifier.Constructor(c.Function) && !readsError(c) {
				last = sibling
			}
		}
		if last >= 0 {
			return f.failedIn(last)
		}
	}
	return -1
}

// before yields the calls that call i's caller made before call i.
func (f *errorFinder) before(i int) iter.Seq[int] {
	return func(yield func(int) bool) {
		parent := f.tree.Parent(i)
		if parent < 0 {
			return
		}
		for sibling := range f.tree.Children(parent) {
			if sibling >= i || !yield(sibling) {
				return
			}
		}
	}
}

// failedIn returns call i if it failed. If i succeeded and is a function
// literal of its caller, failedIn looks at the last call of the literal: such
// a literal may have set the caller's own variables. failedIn returns -1 if
// this call did not fail, either.
func (f *errorFinder) failedIn(i int) int {
	for f.tree.Call(i).Error == "" {
		if !strings.HasPrefix(f.tree.Call(i).Function, f.tree.Call(f.tree.Parent(i)).Function+".func") {
			return -1
		}
		last := -1
		for child := range f.tree.Children(i) {
			last = child
		}
		if last < 0 {
			return -1
		}
		i = last
	}
	return i
}
