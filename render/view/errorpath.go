package view

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
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
	Text message.Message
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
	// ErrorAnswered is where an HTTP code was written of which no error tells, as when no
	// handler is registered for a path.
	ErrorAnswered ErrorKind = "answered"
	// ErrorStatus is where it became the Status that the client received.
	ErrorStatus ErrorKind = "Status"
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

// has reports whether call i is a step, or returned the error.
func (p *ErrorPath) has(i int) bool { return p != nil && (p.Calls[i] || p.At(i) != nil) }

// An errorFinder looks for the error path of one request.
type errorFinder struct {
	tree       *trace.Tree
	classifier Classifier
	path       *ErrorPath
}

// errorPath returns the path of the error with which a request failed, or nil if
// the request did not fail or the recording does not say how.
func errorPathOf(tree *trace.Tree, classifier Classifier) *ErrorPath {
	if tree.Request.Status < http.StatusBadRequest {
		return nil
	}
	f := &errorFinder{tree, classifier, &ErrorPath{Calls: map[int]bool{}}}
	handled := firstWith(tree, 0, trace.AttrError)
	if handled < 0 {
		return f.withoutError()
	}
	text := tree.Call(handled).Attributes[trace.AttrError]
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
		f.add(status, ErrorStatus, strings.TrimSpace(attributes[trace.AttrStatusReason]+" "+attributes[trace.AttrStatusCode]))
	}
	return f.path
}

func (f *errorFinder) add(call int, kind ErrorKind, text string) {
	f.say(call, kind, message.Of("%s", text))
}

func (f *errorFinder) say(call int, kind ErrorKind, text message.Message) {
	if call >= 0 {
		f.path.Steps = append(f.path.Steps, ErrorStep{call, kind, text})
	}
}

// maker returns the call that decided on the error which call i got: its caller, or
// the nearest above it that is not a constructor.
func (f *errorFinder) maker(i int) int {
	i = f.tree.Parent(i)
	for i > 0 && f.classifier.Constructor(f.tree.Call(i).Function) {
		i = f.tree.Parent(i)
	}
	return i
}

// answered adds the steps of an error that no call returned: who answered the request
// made it, because a call had failed right before or somebody had said no.
func (f *errorFinder) answered(handled int, text string) {
	maker := f.maker(handled)
	no := f.lastNo(0, handled)
	if no >= 0 && f.layer(no) != f.layer(maker) {
		no = -1 // it was asked about something else
	}
	cause := f.failedBefore(handled)
	if cause < 0 && no >= 0 && f.tree.Call(no).Error != "" {
		cause = no
	}
	switch {
	case cause >= 0:
		f.descend(cause)
		f.add(maker, ErrorTurned, text)
	case no >= 0:
		f.say(no, ErrorDenied, whyNot(f.tree, no))
		f.add(maker, ErrorBorn, text)
	default:
		f.add(maker, ErrorBorn, text)
	}
}

func (f *errorFinder) layer(i int) string { return f.classifier.Layer(f.tree.Call(i).Function) }

// withoutError returns the path of a request that failed without an error, nil if it is not
// known who answered it.
func (f *errorFinder) withoutError() *ErrorPath {
	for i := range f.tree.Len() {
		if strings.HasSuffix(f.tree.Call(i).Function, ").WriteHeader") { // of a http.ResponseWriter
			f.add(f.tree.Parent(i), ErrorAnswered, strconv.Itoa(f.tree.Request.Status))
			return f.path
		}
	}
	return nil
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
		if _, ok := tree.Call(i).Attributes[trace.AttrStatusReason]; ok {
			return i
		}
	}
	return -1
}
