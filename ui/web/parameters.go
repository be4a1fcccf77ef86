package web

import (
	"slices"
	"strconv"

	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
)

// check returns an error if the request has a query parameter that the route does
// not have, or an invalid value of a parameter.
func (r *route) check(request *restful.Request) error {
	var names []string
	for _, p := range r.query {
		names = append(names, p.name)
	}
	for name, values := range request.Request.URL.Query() {
		at := slices.Index(names, name)
		if at < 0 {
			return badRequest(message.Errorf("unknown parameter %q", name), didYouMean(name, names))
		}
		if len(values) > 1 {
			return badRequest(message.Errorf("parameter %q is given %d times", name, len(values)), message.Of("give it once"))
		}
		if err := r.query[at].check(values[0]); err != nil {
			return err
		}
	}
	for _, p := range r.query {
		if p.required && request.QueryParameter(p.name) == "" {
			return badRequest(message.Errorf("parameter %q is missing", p.name), message.Of("GET %s describes it", OpenAPIPath))
		}
	}
	for name, value := range request.PathParameters() {
		if err := pathParameters[name].check(value); err != nil {
			return err
		}
	}
	return nil
}

func didYouMean(name string, names []string) message.Message {
	switch near := text.Nearest(name, names, 1); {
	case len(near) > 0:
		return message.Of("did you mean %q?", near[0])
	case len(names) == 0:
		return message.Of("leave it out: the route takes none")
	}
	return message.Of("expected one of %s", message.List(names))
}

// check returns an error if a value is not valid.
func (p parameter) check(value string) error {
	if len(p.values) > 0 && !slices.Contains(p.values, value) {
		return badRequest(message.Errorf("%s is %q", p.name, value), message.Of("expected one of %s", message.List(p.values)))
	}
	if p.kind != "integer" {
		return nil
	}
	n, err := strconv.ParseInt(value, 10, 64)
	switch {
	case err != nil || n < 0:
		return badRequest(message.Errorf("%s is %q", p.name, value), message.Of("expected a whole number from 0 on"))
	case n < p.least:
		return badRequest(message.Errorf("%s is %d", p.name, n), message.Of("expected at least %d", p.least))
	case p.most > 0 && n > p.most:
		return badRequest(message.Errorf("%s is %d", p.name, n), message.Of("expected at most %d", p.most))
	}
	return nil
}

// queryOf returns the value of a query parameter, or its default. route.check
// must have checked the value.
func queryOf(r *restful.Request, p parameter) string {
	if v := r.QueryParameter(p.name); v != "" {
		return v
	}
	return p.otherwise
}

// number returns a number of the query or the path. If it is absent, number
// returns otherwise. route.check must have checked the value.
func number(r *restful.Request, name string, otherwise int64) int64 {
	value := r.QueryParameter(name)
	if value == "" {
		value = r.PathParameter(name)
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil { // the parameter is absent
		return otherwise
	}
	return n
}

// window returns the bounds of the requested part of a list of n elements.
func window(r *restful.Request, n int) (from, to int) {
	from = int(min(number(r, "from", 0), int64(n)))
	return from, min(n, from+int(number(r, "limit", usuallyListed)))
}
