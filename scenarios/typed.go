package scenarios

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// A TypedRequest is a request typed by a person: on a command line, or as the answer to
// an exercise.
type TypedRequest struct {
	Method, Path string
	// Headers have the form "Name: value", as for curl.
	Headers []string
	// As is the user, one of Askers. "" means the learner.
	As string
	// Body is YAML or JSON, sent as JSON, or unchanged if Headers have a Content-Type.
	// nil means no body.
	Body []byte
	// BodyFile names the body in errors.
	BodyFile string
}

// Askers lists the users of requests: the values of HTTP.As.
func Askers() []string { return slices.Clone(askers) }

// HTTP validates the request and returns it. The error is a *FieldError.
func (t *TypedRequest) HTTP() (*HTTP, error) {
	headers, err := parseHeaders(t.Headers)
	switch {
	case err != nil:
		return nil, &FieldError{"headers", err}
	case !httpguts.ValidHeaderFieldName(t.Method): // RFC 9110: a method is a token, like the name of a header
		return nil, &FieldError{"method", message.Errorf("invalid method %q: expected one such as GET, POST, PUT, PATCH or DELETE", t.Method)}
	case !strings.HasPrefix(t.Path, "/"):
		return nil, &FieldError{"path", message.Errorf("invalid path %q: expected one that begins with a slash, such as /api/v1/nodes", t.Path)}
	case t.pathMistake() != nil:
		return nil, &FieldError{"path", message.Errorf("invalid path %q: %w; no such request reaches the handlers of kube-apiserver", t.Path, t.pathMistake())}
	case t.As != "" && !slices.Contains(askers, t.As):
		return nil, &FieldError{"as", message.Errorf("unknown user %q: expected one of %s", t.As, message.List(askers))}
	}
	h := &HTTP{Method: t.Method, Path: t.Path, As: t.As, Headers: headers}
	switch {
	case t.Body == nil:
	case headers["Content-Type"] != "":
		h.Body = rawDocument(t.Body)
	default:
		h.Body, err = parseDocument(t.Body)
		if several := severalError(0); errors.As(err, &several) {
			return nil, &FieldError{"body", message.Errorf("the body in %s has %d YAML documents, and a request sends one: send each of them with a request of its own, or let a client send them all, as in \"apitrace exec -- kubectl apply -f FILE\"", t.BodyFile, int(several))}
		}
		if err != nil {
			return nil, &FieldError{"body", message.Errorf("the body in %s is neither YAML nor JSON: %w; to send it unchanged, give the request a header Content-Type", t.BodyFile, err)}
		}
	}
	return h, nil
}

// A FieldError is an error in one field of a TypedRequest.
type FieldError struct {
	// Field is method, path, as, headers or body.
	Field string
	Err   error
}

func (e *FieldError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *FieldError) Unwrap() error { return e.Err }

// pathMistake returns why an HTTP client cannot send the path.
func (t *TypedRequest) pathMistake() error {
	_, err := url.ParseRequestURI(t.Path)
	var why *url.Error
	if errors.As(err, &why) {
		return why.Err // without the path, which the message already has
	}
	return err
}

func parseHeaders(lines []string) (map[string]string, error) {
	headers := map[string]string{}
	for _, line := range lines {
		name, value, found := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !found || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, message.Errorf("invalid header %q: expected one such as \"Accept: application/json\"", line)
		}
		headers[http.CanonicalHeaderKey(name)] = value
	}
	return headers, nil
}
