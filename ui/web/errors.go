package web

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/workshop/classroom"
)

// An Error is the answer to a refused or failed request.
type Error struct {
	Status  int    `json:"status" description:"HTTP status code."`
	Message string `json:"message" description:"The error: what was requested, what was found, what was expected."`
	Action  string `json:"action" description:"What to do about it; empty if there is nothing to do."`
	Field   string `json:"field,omitempty" description:"The property of the body that is wrong; absent if it is not one alone."`
}

// A refusal is an error with an HTTP status, and with advice for the client.
type refusal struct {
	status int
	cause  error
	action message.Message
	field  string
}

func (e *refusal) Error() string { return e.cause.Error() }

// Unwrap returns the cause.
func (e *refusal) Unwrap() error { return e.cause }

// in returns the answer in the language of p.
func (e *refusal) in(p message.Printer) *Error {
	return &Error{Status: e.status, Message: p.Error(e.cause), Action: e.action.Localize(p), Field: e.field}
}

// printerFor returns the printer for the language
// that a client prefers: Chinese or English.
func printerFor(r *http.Request) message.Printer {
	if strings.HasPrefix(r.Header.Get("Accept-Language"), "zh") {
		return message.For("zh")
	}
	return message.For("en")
}

func newError(status int, err error, action message.Message) *refusal {
	return &refusal{status: status, cause: err, action: action}
}

func badRequest(err error, action message.Message) error {
	return newError(http.StatusBadRequest, err, action)
}

func conflict(err error, action message.Message) error {
	return newError(http.StatusConflict, err, action)
}

// failed returns the error for a request that the
// traced server or a replay failed to handle.
func failed(err error) error {
	return newError(http.StatusBadGateway, err, message.Of("fix the cause that the message names, and try again"))
}

// gone returns the error for a client that no
// longer waits for its answer. Its status is 499.
func gone(err error) error { return newError(499, err, message.Message{}) }

func notFound(err error, action message.Message) error {
	if known := new(refusal); errors.As(err, &known) {
		return err
	}
	return newError(http.StatusNotFound, err, action)
}

// reportIt is the advice for errors that are bugs of apitrace.
var reportIt = message.Of("this is a bug in apitrace: please report it with the requested address")

// errorOf returns err as a refusal. An unknown error gets status 500.
func errorOf(err error) *refusal {
	if known := new(refusal); errors.As(err, &known) {
		return known
	}
	if refused := new(classroom.Error); errors.As(err, &refused) {
		return newError(classroomStatus[refused.Reason], refused.Unwrap(), refused.Action)
	}
	switch {
	case errors.As(err, new(*recordings.UnknownVersionError)):
		return newError(http.StatusNotFound, err, message.Of("GET %s lists the releases", Base+"/releases"))
	case errors.As(err, new(*recordings.UnknownScenarioError)), errors.As(err, new(*scenarios.UnknownError)), errors.As(err, new(*message.UsageError)):
		return newError(http.StatusNotFound, err, message.Of("GET %s lists the scenarios, with the releases that have recorded them", Base+"/scenarios"))
	case errors.As(err, new(*trace.UnknownFunctionError)), errors.As(err, new(*trace.AmbiguousFunctionError)):
		return newError(http.StatusNotFound, err, message.Of("GET %s finds functions by a part of their names", Base+"/search?text=…"))
	}
	return newError(http.StatusInternalServerError, err, reportIt)
}

// classroomStatus has the HTTP status for each reason of a classroom.Error.
var classroomStatus = map[classroom.Reason]int{
	classroom.Invalid: http.StatusBadRequest, classroom.WrongCode: http.StatusForbidden, classroom.Stranger: http.StatusUnauthorized,
	classroom.NoPoll: http.StatusConflict, classroom.TooMany: http.StatusTooManyRequests,
}

// refuse answers with an error, in the language of the client.
func refuse(w http.ResponseWriter, p message.Printer, e *refusal) {
	w.Header().Set("Content-Type", restful.MIME_JSON)
	w.WriteHeader(e.status)
	write(w, e.in(p))
}

// write writes JSON. It ignores errors of a client that left before the end.
func write(w http.ResponseWriter, value any) {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		slog.Debug("writing an answer", "error", err)
	}
}

// withoutFiles replaces the error for an unknown scenario. The
// original text also mentions files, but only commands read files.
func withoutFiles(err error) error {
	if unknown := new(scenarios.UnknownError); errors.As(err, &unknown) {
		return message.Errorf("%q is not the name of a scenario", unknown.Name)
	}
	return err
}
