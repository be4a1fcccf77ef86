package view

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// An ErrorPath is the path of an error from its origin to the response of a
// failed request.
type ErrorPath struct {
	// Steps lead from the origin of the error to the Status.
	Steps []ErrorStep
	// Calls are the calls that returned the error, in any form.
	Calls map[int]bool
}

// An ErrorStep is a call that changed the error.
type ErrorStep struct {
	// Call is an index of View.Tree.
	Call int
	Kind ErrorKind
	// Text is the text of the error from this step on. For a Status, it is the
	// reason and the code.
	Text message.Message
	// Line is the line in the call's file at which the call made its error. It is
	// 0 if the recording does not have it.
	Line int
}

// An ErrorKind says how a call changed an error.
type ErrorKind string

// The kinds of an ErrorStep.
const (
	// ErrorBorn: the call made the error.
	ErrorBorn ErrorKind = "born"
	// ErrorWrapped: the call added text to the error.
	ErrorWrapped ErrorKind = "wrapped"
	// ErrorTurned: the call replaced the error. Right before, another call had
	// failed. Then this call returned its own error, which was passed on.
	ErrorTurned ErrorKind = "turned"
	// ErrorDenied: the call refused the request without an error. For example,
	// an authorizer did not allow the request, or the authenticators did not
	// know the user.
	ErrorDenied ErrorKind = "denied"
	// ErrorRefused: the call is the admission plugin that the error comes from.
	ErrorRefused ErrorKind = "refused"
	// ErrorAnswered: the call wrote an HTTP status code without an error. For
	// example, no handler is registered for the path.
	ErrorAnswered ErrorKind = "answered"
	// ErrorTimedOut: the time of the request was over, and the call wrote the
	// answer in place of the handler, which was still running.
	ErrorTimedOut ErrorKind = "timed out"
	// ErrorPanicked: the call panicked.
	ErrorPanicked ErrorKind = "panicked"
	// ErrorStatus: the call turned the error into the Status that the client
	// received.
	ErrorStatus ErrorKind = "Status"
)

// At returns the step of call i, or nil.
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

// has reports whether call i is a step or returned the error.
func (p *ErrorPath) has(i int) bool { return p != nil && (p.Calls[i] || p.At(i) != nil) }

// contributed marks the failed calls that had a part in the error: the calls on
// the path, and calls below them with an error that is a part of their caller's
// error. An example of these is a second validator that found the same mistake.
func (p *ErrorPath) contributed(tree *trace.Tree) []bool {
	all := make([]bool, tree.Len())
	failed := make([]int, tree.Len()) // the innermost failed call at or above each call, or -1
	for i := range all {              // parents before their children
		caller := -1
		if parent := tree.Parent(i); parent >= 0 {
			caller = failed[parent]
		}
		failed[i] = caller
		if err := tree.Call(i).Error; err != "" {
			all[i] = p.has(i) || caller >= 0 && all[caller] && includes(tree.Call(caller).Error, err)
			failed[i] = i
		}
	}
	return all
}

// OtherErrors returns the calls in which other errors or panics began, in
// order of entry. It leaves out the calls of the error path, calls that had a
// part in its error, and calls that only passed an error on.
func (v *View) OtherErrors() []int {
	var all []int
	contributed := v.ErrorPath.contributed(v.Tree)
	for i, began := range origins(v.Tree) {
		if began && hasFailed(v.Tree.Call(i)) && !v.ErrorPath.has(i) && !contributed[i] {
			all = append(all, i)
		}
	}
	return all
}

// An errorFinder looks for the error path of one request.
type errorFinder struct {
	tree       *trace.Tree
	classifier Classifier
	path       *ErrorPath
}

// ErrorPathOf returns the path of the error that made a request fail. It
// returns nil if the request did not fail or the recording does not show how.
func ErrorPathOf(tree *trace.Tree, classifier Classifier) *ErrorPath {
	f := &errorFinder{tree, classifier, &ErrorPath{Calls: map[int]bool{}}}
	switch status := tree.Request.Status; {
	case status == 0 && !tree.Request.OfProgram() && tree.Call(0).Panic != "":
		f.panicked(0)
		return f.path
	case status < http.StatusBadRequest:
		return nil
	case f.timedOut():
		return f.path
	}
	handled := firstWith(tree, 0, trace.AttrError)
	if handled < 0 {
		return f.withoutError()
	}
	text := tree.Call(handled).Attributes[trace.AttrError]
	if top := outermost(tree, handled, text); top >= 0 {
		f.descend(top)
		if !sameError(tree.Call(top).Error, text) {
			f.add(f.maker(handled), ErrorWrapped, text)
		}
	} else {
		f.answered(handled, text)
	}
	if status := statusOf(tree, handled); status >= 0 {
		f.status(status)
	}
	return f.path
}

// status adds the step of call i, which turned the error into a Status.
func (f *errorFinder) status(i int) {
	attributes := f.tree.Call(i).Attributes
	f.add(i, ErrorStatus, strings.TrimSpace(attributes[trace.AttrStatusReason]+" "+attributes[trace.AttrStatusCode]))
}

// add adds a step unless call is -1.
func (f *errorFinder) add(call int, kind ErrorKind, text string) {
	f.say(call, kind, message.Of("%s", text))
}

func (f *errorFinder) say(call int, kind ErrorKind, text message.Message) {
	if call >= 0 {
		f.path.Steps = append(f.path.Steps, ErrorStep{Call: call, Kind: kind, Text: text, Line: f.lineOf(call)})
	}
}

// lineOf returns the line at which call i made an error: the line of its last call
// of a constructor. It returns 0 if there is none. The line of the return statement
// is not recorded.
func (f *errorFinder) lineOf(i int) int {
	line := 0
	for child := range f.tree.Children(i) {
		call := f.tree.Call(child)
		if f.classifier.Constructor(call.Function) && (call.Error == "" || f.tree.Call(i).Error == "" || includes(f.tree.Call(i).Error, call.Error)) {
			line = call.CallerLine
		}
	}
	return line
}

// maker returns the call that made the error passed to call i. This is i's
// nearest caller that is not a constructor.
func (f *errorFinder) maker(i int) int {
	i = f.tree.Parent(i)
	for i > 0 && f.classifier.Constructor(f.tree.Call(i).Function) {
		i = f.tree.Parent(i)
	}
	return i
}

// answered adds the steps of an error that no call returned. The call that
// answered the request made the error. If a call had failed right before, the
// error replaces the failed call's error. Otherwise, if a call of the same
// layer had refused the request, its refusal is the first step.
func (f *errorFinder) answered(handled int, text string) {
	maker := f.maker(handled)
	no := f.lastNo(0, handled)
	if no >= 0 && f.layer(no) != f.layer(maker) {
		no = -1 // that decision was about something else
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

// timedOut reports whether upstream's filter for timeouts wrote the answer. If
// so, it adds the step of this filter. The handler's own answer is thrown away.
// If the handler had begun its answer, the filter panics instead
// (apiserver/pkg/server/filters/timeout.go).
func (f *errorFinder) timedOut() bool {
	for i := range f.tree.Len() {
		call := f.tree.Call(i)
		if strings.HasSuffix(call.Function, "/server/filters.(*baseTimeoutWriter).timeout") && call.Panic == "" {
			f.add(i, ErrorTimedOut, strconv.Itoa(f.tree.Request.Status))
			return true
		}
	}
	return false
}

// panicked adds the step of the call in which the panic of call i began.
func (f *errorFinder) panicked(i int) {
	for at := i; at >= 0; {
		i, at = at, -1
		f.path.Calls[i] = true
		for child := range f.tree.Children(i) {
			if f.tree.Call(child).Panic != "" {
				at = child
			}
		}
	}
	f.add(i, ErrorPanicked, f.tree.Call(i).Panic)
}

// withoutError returns the error path of a failed request if no call recorded
// the error of the answer. The path ends at the call that wrote the HTTP
// status, or made the Status. If there is no such call, withoutError returns
// nil.
func (f *errorFinder) withoutError() *ErrorPath {
	if f.notWritten() {
		return f.path
	}
	for i := range f.tree.Len() {
		if strings.HasSuffix(f.tree.Call(i).Function, ").WriteHeader") { // of a http.ResponseWriter
			f.add(f.tree.Parent(i), ErrorAnswered, strconv.Itoa(f.tree.Request.Status))
			return f.path
		}
	}
	return nil
}

// notWritten reports whether the result could not be written in a form that
// the client accepts. If so, it adds the steps of this error. Upstream writes a
// Status in place of the result (WriteObjectNegotiated in
// apiserver/pkg/endpoints/handlers/responsewriters/writers.go).
func (f *errorFinder) notWritten() bool {
	code := strconv.Itoa(f.tree.Request.Status)
	for i := statusOf(f.tree, 0); i >= 0; i = statusOf(f.tree, i+1) {
		if cause := f.failedBefore(i); cause >= 0 && f.tree.Call(i).Attributes[trace.AttrStatusCode] == code {
			f.descend(cause)
			f.status(i)
			return true
		}
	}
	return false
}

// firstWith returns the first call from i on with the attribute, or -1.
func firstWith(tree *trace.Tree, i int, attribute string) int {
	for ; i < tree.Len(); i++ {
		if tree.Call(i).Attributes[attribute] != "" {
			return i
		}
	}
	return -1
}

// statusOf returns the first call from i on that made a Status from an error,
// or -1. The reason of the Status may be empty.
func statusOf(tree *trace.Tree, i int) int {
	for ; i < tree.Len(); i++ {
		if _, ok := tree.Call(i).Attributes[trace.AttrStatusReason]; ok {
			return i
		}
	}
	return -1
}
