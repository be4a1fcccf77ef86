package render

import (
	"net/http"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
)

// An ErrorPath tells how a failed request came to its answer.
type ErrorPath struct {
	// Steps lead from where the error was born to where it became a Status.
	Steps []ErrorStep
	// Calls are the calls that returned the error, in whatever form, by index.
	Calls map[int]bool
}

// An ErrorStep is a call in which the error changed.
type ErrorStep struct {
	// Call is an index of View.Tree.
	Call int
	Kind ErrorKind
	// Text is what the error said from here on; of a Status, its reason and code.
	Text string
}

// An ErrorKind says what a call did to an error.
type ErrorKind string

// The kinds of an ErrorStep.
const (
	// ErrorBorn is where an error was made.
	ErrorBorn ErrorKind = "born"
	// ErrorWrapped is where text was added to it.
	ErrorWrapped ErrorKind = "wrapped"
	// ErrorTurned is where it was replaced by another one: the call returned its own
	// error right after the one before had failed, and that one was passed on.
	ErrorTurned ErrorKind = "turned"
	// ErrorDenied is where somebody said no without an error: an authorizer that did not
	// allow the request, authenticators none of which knew the caller.
	ErrorDenied ErrorKind = "denied"
	// ErrorRefused is the admission plugin that the error comes out of.
	ErrorRefused ErrorKind = "refused"
	// ErrorStatus is where it became the Status that the client received.
	ErrorStatus ErrorKind = "Status"
)

// Attributes by which the guide says what the handlers did with an error.
const (
	attrError  = "apitrace.error"
	attrReason = "apitrace.status.reason"
	attrCode   = "http.response.status_code"
	attrPlugin = "apitrace.admission.plugin"
)

// At returns the step that call i is, or nil.
func (p *ErrorPath) At(i int) *ErrorStep {
	if p == nil {
		return nil
	}
	for s := range p.Steps {
		if p.Steps[s].Call == i {
			return &p.Steps[s]
		}
	}
	return nil
}

// Has reports whether call i is a step, or returned the error.
func (p *ErrorPath) Has(i int) bool { return p != nil && (p.Calls[i] || p.At(i) != nil) }

// An errorFinder looks for the error path of one request.
type errorFinder struct {
	tree       *trace.Tree
	classifier Classifier
	path       *ErrorPath
}

// errorPath returns the path of the error with which a request failed, or nil if
// the request did not fail or the recording does not say how.
func errorPath(tree *trace.Tree, classifier Classifier) *ErrorPath {
	if tree.Request.Status < http.StatusBadRequest {
		return nil
	}
	handled := firstWith(tree, 0, attrError)
	if handled < 0 {
		return nil
	}
	f := &errorFinder{tree, classifier, &ErrorPath{Calls: map[int]bool{}}}
	text := tree.Call(handled).Attributes[attrError]
	if top := outermost(tree, handled, text); top >= 0 {
		f.descend(top)
		if tree.Call(top).Error != text {
			f.add(f.maker(handled), ErrorWrapped, text)
		}
	} else {
		f.answered(handled, text)
	}
	if status := statusOf(tree, handled); status >= 0 {
		attributes := tree.Call(status).Attributes
		f.add(status, ErrorStatus, strings.TrimSpace(attributes[attrReason]+" "+attributes[attrCode]))
	}
	return f.path
}

func (f *errorFinder) add(call int, kind ErrorKind, text string) {
	if call >= 0 {
		f.path.Steps = append(f.path.Steps, ErrorStep{call, kind, text})
	}
}

// maker returns the call that decided on the error which call i got: its caller, or
// the nearest above that which is no constructor.
func (f *errorFinder) maker(i int) int {
	i = f.tree.Parent(i)
	for i > 0 && f.classifier.Constructor(f.tree.Call(i).Function) {
		i = f.tree.Parent(i)
	}
	return i
}

// answered adds the steps of an error that no call returned: who answered the request
// made it, because somebody had said no.
func (f *errorFinder) answered(handled int, text string) {
	maker := f.maker(handled)
	switch no := f.lastNo(handled); {
	case no < 0:
		f.add(maker, ErrorBorn, text)
	case f.tree.Call(no).Error != "":
		f.descend(no)
		f.add(maker, ErrorTurned, text)
	default:
		f.add(no, ErrorDenied, whyNot(f.tree, no))
		f.add(maker, ErrorBorn, text)
	}
}

// firstWith returns the first call from i on that has the attribute, or -1.
func firstWith(tree *trace.Tree, i int, attribute string) int {
	for ; i < tree.Len(); i++ {
		if tree.Call(i).Attributes[attribute] != "" {
			return i
		}
	}
	return -1
}

// statusOf returns the first call from i on that made a Status of the error, or -1. Not
// every Status has a reason.
func statusOf(tree *trace.Tree, i int) int {
	for ; i < tree.Len(); i++ {
		if _, ok := tree.Call(i).Attributes[attrReason]; ok {
			return i
		}
	}
	return -1
}

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
	} else if cause = max(f.causeBefore(i), f.lastFailure(i)); cause >= 0 {
		f.descend(cause)
		f.add(i, ErrorTurned, call.Error)
	} else {
		f.add(i, ErrorBorn, call.Error)
	}
	if plugin := call.Attributes[attrPlugin]; plugin != "" {
		f.add(i, ErrorRefused, plugin)
	}
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

// causeBefore returns the call whose error call i was made to replace: its caller
// passed i's error on, and since that call failed it had called nothing but i and
// what stands on the same line, i's arguments. -1 if there is none.
func (f *errorFinder) causeBefore(i int) int {
	parent := f.tree.Parent(i)
	if parent < 0 || f.tree.Call(parent).Error != f.tree.Call(i).Error {
		return -1
	}
	cause := -1
	for child := range f.tree.Children(parent) {
		switch {
		case child >= i:
			return cause
		case f.tree.Call(child).Error != "":
			cause = child
		case f.tree.Call(child).CallerLine != f.tree.Call(i).CallerLine:
			cause = -1
		}
	}
	return cause
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
