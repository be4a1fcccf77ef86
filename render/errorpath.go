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
	// ErrorStatus is where it became the Status that the client received.
	ErrorStatus ErrorKind = "Status"
)

// Attributes by which the guide says what the handlers did with an error.
const (
	attrError  = "apitrace.error"
	attrReason = "apitrace.status.reason"
	attrCode   = "http.response.status_code"
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

// errorPath returns the path of the error with which a request failed, or nil if
// the request did not fail or the recording does not say how.
func errorPath(tree *trace.Tree) *ErrorPath {
	if tree.Request.Status < http.StatusBadRequest {
		return nil
	}
	handled := firstWith(tree, 0, attrError)
	if handled < 0 {
		return nil
	}
	path := &ErrorPath{Calls: map[int]bool{}}
	text := tree.Call(handled).Attributes[attrError]
	if top := outermost(tree, handled, text); top >= 0 {
		path.descend(tree, top)
		if tree.Call(top).Error != text {
			path.add(tree.Parent(handled), ErrorWrapped, text)
		}
	} else {
		path.add(tree.Parent(handled), ErrorBorn, text)
	}
	if status := firstWith(tree, handled, attrReason); status >= 0 {
		attributes := tree.Call(status).Attributes
		path.add(status, ErrorStatus, strings.TrimSpace(attributes[attrReason]+" "+attributes[attrCode]))
	}
	return path
}

func (p *ErrorPath) add(call int, kind ErrorKind, text string) {
	if call >= 0 {
		p.Steps = append(p.Steps, ErrorStep{call, kind, text})
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

// outermost returns the first call before the given one that returned the error,
// or, if none did, the first whose error is a part of its text; -1 if there is none.
func outermost(tree *trace.Tree, before int, text string) int {
	part := -1
	for i := range before {
		switch err := tree.Call(i).Error; {
		case err == "":
		case err == text:
			return i
		case part < 0 && strings.Contains(text, err):
			part = i
		}
	}
	return part
}

// descend follows the error from call i, which returned it, down to its birth, and
// adds the steps in the order in which they happened.
func (p *ErrorPath) descend(tree *trace.Tree, i int) {
	p.Calls[i] = true
	text := tree.Call(i).Error
	cause := causeBelow(tree, i)
	if cause >= 0 {
		p.descend(tree, cause)
		if tree.Call(cause).Error != text {
			p.add(i, ErrorWrapped, text)
		}
	} else if cause = causeBefore(tree, i); cause >= 0 {
		p.descend(tree, cause)
		p.add(i, ErrorTurned, text)
	} else {
		p.add(i, ErrorBorn, text)
	}
}

// causeBelow returns the call from which call i has its error: the first one below
// that returned the same, else the last one whose error is a part of it; -1 if none
// is. Between the two may be calls that return no error, such as the function of a
// goroutine.
func causeBelow(tree *trace.Tree, i int) int {
	text, cause := tree.Call(i).Error, -1
	for below := i + 1; below < tree.End(i); {
		switch err := tree.Call(below).Error; {
		case err == text:
			return below
		case err != "" && strings.Contains(text, err):
			cause = below
		}
		if tree.Call(below).Error == "" {
			below++
		} else {
			below = tree.End(below)
		}
	}
	return cause
}

// causeBefore returns the call whose error call i was made to replace: its caller
// passed i's error on, and since that call failed it had called nothing but i and
// what stands on the same line, i's arguments. -1 if there is none.
func causeBefore(tree *trace.Tree, i int) int {
	parent := tree.Parent(i)
	if parent < 0 || tree.Call(parent).Error != tree.Call(i).Error {
		return -1
	}
	cause := -1
	for child := range tree.Children(parent) {
		switch {
		case child >= i:
			return cause
		case tree.Call(child).Error != "":
			cause = child
		case tree.Call(child).CallerLine != tree.Call(i).CallerLine:
			cause = -1
		}
	}
	return cause
}
