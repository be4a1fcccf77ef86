// Package greeter greets whoever the path of a request names.
package greeter

import (
	"errors"
	"net/http"
	"strings"
)

// Handler answers requests for /NAME.
type Handler struct{ Greeting string }

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, err := nameOf(r.URL.Path)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	_, _ = w.Write([]byte(h.greet(name)))
}

func nameOf(path string) (string, error) {
	name := strings.Trim(path, "/")
	if name == "" {
		return "", errors.New("nobody to greet")
	}
	return name, nil
}

func (h *Handler) greet(name string) string {
	return h.Greeting + " " + name + "\n"
}
