package view

import (
	"iter"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
)

// outermost returns the first call before the given one that returned the error,
// or, if none did, the first whose error is a part of its text; -1 if there is none.
func outermost(tree *trace.Tree, before int, text string) int {
	part := -1
	for i := range before {
		switch err := tree.Call(i).Error; {
		case err == "":
		case err == text:
			return i
		case part < 0 && includes(text, err):
			part = i
		}
	}
	return part
}

// includes reports whether text contains the text of another error. An aggregate of errors has
// brackets around it, which are missing where the aggregate is part of a longer text.
func includes(text, err string) bool {
	return strings.Contains(text, strings.TrimSuffix(strings.TrimPrefix(err, "["), "]"))
}

// descend follows the error from call i, which returned it, down to its origin, and
// adds the steps in the order in which they happened.
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

// born adds the step of a call that made its error itself and, before it, the step of the call
// that had refused it something.
func (f *errorFinder) born(i int) {
	if no := f.lastNo(i+1, f.tree.End(i)); no >= 0 && f.tree.Call(no).Error == "" {
		f.say(no, ErrorDenied, whyNot(f.tree, no))
	}
	f.add(i, ErrorBorn, f.tree.Call(i).Error)
}

// causeBelow returns the call from which call i got its error: the first call below
// that returned the same error, else the last one whose error is a part of it, else -1.
// Between the two may be calls that return no error, such as the function of a
// goroutine. A constructor is not a cause: its caller decided on the error.
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

// causeBeside returns the last call before call i by the same caller that returned a part of
// i's error, or -1. That error was passed to i, which added text to it.
func (f *errorFinder) causeBeside(i int) int {
	cause, text := -1, f.tree.Call(i).Error
	for sibling := range f.before(i) {
		if err := f.tree.Call(sibling).Error; err != "" && err != text && includes(text, err) {
			cause = sibling
		}
	}
	return cause
}

// causeBefore returns the call whose error the error of call i replaces, or -1: the caller
// passed i's error on, and between the failed call and i it made no calls other than those on
// the same line, for i's arguments, and for metrics or tracing. If i was its caller's first
// call, the caller itself may have been called to replace an error.
func (f *errorFinder) causeBefore(i int) int {
	for parent := f.tree.Parent(i); parent >= 0 && f.tree.Call(parent).Error == f.tree.Call(i).Error; parent = f.tree.Parent(i) {
		cause, first := -1, true
		for sibling := range f.before(i) {
			call := f.tree.Call(sibling)
			if keepsBooks(call) {
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

// keepsBooks reports whether a call only counts or traces what happened.
func keepsBooks(call *trace.Call) bool {
	return Upstream(call) || strings.HasPrefix(call.ShortName(), "metrics.Record")
}

// lastFailure returns the last call that call i made if that call failed, after which i
// returned an error of its own; -1 if the last call succeeded.
func (f *errorFinder) lastFailure(i int) int {
	last := -1
	for child := range f.tree.Children(i) {
		switch {
		case f.classifier.Constructor(f.tree.Call(child).Function):
		case f.tree.Call(child).Error != "":
			last = child
		default:
			last = -1
		}
	}
	return last
}

// failedBefore returns the call that failed right before call i, which made the answer:
// the last call that i's caller had made before i or, if i was its first, the last that the
// caller's caller had made. It returns -1 if that call succeeded.
func (f *errorFinder) failedBefore(i int) int {
	for ; i > 0; i = f.tree.Parent(i) {
		last := -1
		for sibling := range f.before(i) {
			// Of a call whose entry alone was recorded it is not known whether it failed.
			if c := f.tree.Call(sibling); !c.Leaf && !f.classifier.Constructor(c.Function) {
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

// failedIn returns call i if it failed, and otherwise the last call in a function literal that its
// function called immediately, since such a literal sets the function's own variables.
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
