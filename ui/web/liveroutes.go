package web

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// bodyOf reads the body of a request. The body must be
// one JSON object, without fields that T does not have.
func bodyOf[T any](r *restful.Request) (body T, err error) {
	decoder := json.NewDecoder(r.Request.Body)
	decoder.DisallowUnknownFields()
	err = decoder.Decode(&body)
	if err == nil {
		if _, more := decoder.Token(); !errors.Is(more, io.EOF) {
			err = message.NewError("unexpected data after the JSON object")
		}
	}
	return body, bodyError(err)
}

// bodyError gives an error of reading a body its HTTP status.
// It returns nil for nil.
func bodyError(err error) error {
	large := new(http.MaxBytesError)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &large):
		return newError(http.StatusRequestEntityTooLarge, message.Errorf("the body is too large: at most %d bytes are accepted", large.Limit), message.Of("send a smaller one"))
	}
	return badRequest(message.Errorf("invalid body: %w", err), message.Of("GET %s describes it", OpenAPIPath))
}

func (a *api) getLive(r *restful.Request) (any, error) {
	return a.live.state(r.Request.Context(), printerOf(r))
}

func (a *api) startServer(r *restful.Request) (any, error) {
	order, err := bodyOf[ServerOrder](r)
	if err != nil {
		return nil, err
	}
	s, err := a.live.start(order)
	return s.in(printerOf(r)), err
}

func (a *api) stopServer(r *restful.Request) (any, error) {
	s, err := a.live.stop(r.PathParameter("server"))
	return s.in(printerOf(r)), err
}

func (a *api) replay(r *restful.Request) (any, error) {
	order, err := bodyOf[ReplayOrder](r)
	if err != nil {
		return nil, err
	}
	kept, err := a.live.replay(r.Request.Context(), r.PathParameter("server"), order)
	return kept.in(printerOf(r)), err
}

func (a *api) sendRequest(r *restful.Request) (any, error) {
	order, err := bodyOf[RequestOrder](r)
	if err != nil {
		return nil, err
	}
	kept, err := a.live.request(r.Request.Context(), r.PathParameter("server"), order)
	return kept.in(printerOf(r)), err
}
