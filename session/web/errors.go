package web

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"

	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// An Error is the answer to a request that cannot be served.
type Error struct {
	Status  int    `json:"status" description:"HTTP status code."`
	Message string `json:"message" description:"What was asked for, what was found, what was expected."`
	Action  string `json:"action" description:"What to do about it; empty if there is nothing to do."`
}

func (e *Error) Error() string { return e.Message }

func badRequest(err error, action string) error {
	return &Error{http.StatusBadRequest, err.Error(), action}
}

func notFound(err error, action string) error {
	if known := new(Error); errors.As(err, &known) {
		return err
	}
	return &Error{http.StatusNotFound, err.Error(), action}
}

// errorOf gives an error of the engine its status.
func errorOf(err error) *Error {
	if known := new(Error); errors.As(err, &known) {
		return known
	}
	switch {
	case errors.As(err, new(*recordings.UnknownVersionError)):
		return &Error{http.StatusNotFound, err.Error(), "GET " + Base + "/releases lists the releases"}
	case errors.As(err, new(*recordings.UnknownScenarioError)), errors.As(err, new(*scenarios.UnknownError)), errors.As(err, new(*usage.Error)):
		return &Error{http.StatusNotFound, err.Error(), "GET " + Base + "/scenarios lists the scenarios, with the releases that have recorded them"}
	case errors.As(err, new(*trace.UnknownFunctionError)), errors.As(err, new(*trace.AmbiguousFunctionError)):
		return &Error{http.StatusNotFound, err.Error(), "GET " + Base + "/search?text=… finds functions by a part of their names"}
	}
	return &Error{http.StatusInternalServerError, err.Error(), "this is a bug of apitrace: please report it with the address that was asked for"}
}

// refuse answers with an error outside of the container.
func refuse(w http.ResponseWriter, status int, message, action string) {
	w.Header().Set("Content-Type", restful.MIME_JSON)
	w.WriteHeader(status)
	write(w, &Error{status, message, action})
}

// write writes JSON. A client that left before the end is none of our business.
func write(w http.ResponseWriter, value any) {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		slog.Debug("writing an answer", "error", err)
	}
}
