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

// includes reports whether an error says what another one said. Several errors in
// one stand in brackets, which are not there where they are part of more.
func includes(text, err string) bool {
	return strings.Contains(text, strings.TrimSuffix(strings.TrimPrefix(err, "["), "]"))
}

// descend follows the error from call i, which returned it, down to its birth, and
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

// born adds the step of a call that made its error itself, and before it the one of who
// had said no to it.
func (f *errorFinder) born(i int) {
	if no := f.lastNo(i+1, f.tree.End(i)); no >= 0 && f.tree.Call(no).Error == "" {
		f.say(no, ErrorDenied, whyNot(f.tree, no))
	}
	f.add(i, ErrorBorn, f.tree.Call(i).Error)
}

// causeBelow returns the call from which call i has its error: the first one below
// that returned the same, else the last one whose error is a part of it; -1 if none
// is. Between the two may be calls that return no error, such as the function of a
// goroutine. A constructor is no cause: who called it decided.
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
// i's error: it was handed to i, which said more about it. -1 if there is none.
func (f *errorFinder) causeBeside(i int) int {
	cause, text := -1, f.tree.Call(i).Error
	for sibling := range f.before(i) {
		if err := f.tree.Call(sibling).Error; err != "" && err != text && includes(text, err) {
			cause = sibling
		}
	}
	return cause
}

// causeBefore returns the call whose error call i was made to replace: its caller
// passed i's error on, and since that call failed it had called nothing but i, what stands on
// the same line, i's arguments, and what only keeps the books. If i was its caller's first
// call, the caller may be what replaced an error. -1 if there is none.
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

// lastFailure returns the last call that call i made if that one failed: it was then
// that i returned an error of its own. -1 if the last one succeeded.
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

// failedBefore returns the call that failed right before call i, which led to an answer:
// the last one that i's caller had made until then or, if i was its first, its caller's
// caller. -1 if that one succeeded.
func (f *errorFinder) failedBefore(i int) int {
	for ; i > 0; i = f.tree.Parent(i) {
		last := -1
		for sibling := range f.before(i) {
			if !f.classifier.Constructor(f.tree.Call(sibling).Function) {
				last = sibling
			}
		}
		if last >= 0 {
			return f.failedIn(last)
		}
	}
	return -1
}

// before yields the calls that call i's caller had made when it made call i.
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

// failedIn returns call i if it failed, and the last call of a function literal that its
// function called on the spot, since such a literal sets the function's own variables.
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
