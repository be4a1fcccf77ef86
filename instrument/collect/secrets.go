package collect

import (
	"net/url"
	"strings"

	"github.com/kubeapitrace/apitrace/instrument/probe"
	"github.com/kubeapitrace/apitrace/trace"
)

// Secrets says which resources hold secrets, and how to treat the error texts of requests for
// them. Such a text may quote a whole object. The zero value is safe.
type Secrets struct {
	// Show keeps the texts. The first call of such a trace is marked with attrSecrets.
	Show bool
	// Kinds are further resources that hold secrets. [probe.HoldsSecrets] knows
	// the others.
	Kinds []string
}

// attrSecrets is the attribute of the first call of a request for secrets if
// its errors were not cut.
const attrSecrets = "apitrace.secrets"

// Hidden reports whether to hide the errors of a request with this path, and
// the server's answer if the request fails.
func (s Secrets) Hidden(path string) bool { return !s.Show && s.Hold(path) }

// Hold reports whether path names a resource that holds secrets. path may have
// a query.
func (s Secrets) Hold(path string) bool {
	path, _, _ = strings.Cut(path, "?")
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	return probe.HoldsSecrets(path, s.Kinds...)
}

// query returns how the probes must treat the errors of a request.
func (s Secrets) query(path string) string {
	switch {
	case s.Show:
		return probe.SecretsShow
	case s.Hold(path):
		return probe.SecretsCut
	}
	return ""
}

// redactValues removes the request's own secret values from all texts of its trace.
// It is a safeguard: after the probes have cut the errors, no such value should
// be left.
func redactValues(r *trace.Request, values []string) {
	const shortest = 4 // many texts contain a shorter value, such as "a"
	var inErrors, anywhere []string
	for _, v := range values {
		if len(v) < shortest || strings.Contains(r.Path, v) {
			continue
		}
		inErrors = append(inErrors, v)
		// A number, such as a revision, may contain a short or numeric password.
		if len(v) >= 6 && strings.Trim(v, "0123456789") != "" {
			anywhere = append(anywhere, v)
		}
	}
	for i := range r.Calls {
		c := &r.Calls[i]
		c.Error = redact(c.Error, inErrors)
		c.Panic = redact(c.Panic, anywhere)
		for name, value := range c.Attributes {
			c.Attributes[name] = redact(value, anywhere)
		}
	}
}

// redact removes values from a text. The values must be sorted from the
// longest to the shortest.
func redact(text string, values []string) string {
	for _, v := range values {
		text = strings.ReplaceAll(text, v, "(secret)")
	}
	return text
}
