package collect

import (
	"net/url"
	"strings"

	"github.com/kubeapitrace/apitrace/instrument/probe"
	"github.com/kubeapitrace/apitrace/trace"
)

// Secrets say which requests are on resources that hold secrets, and what becomes of the texts of
// their errors, which may quote a whole object. The zero value is safe.
type Secrets struct {
	// Show keeps the texts. The first call of such a trace says so: see attrSecrets.
	Show bool
	// Kinds are resources that hold secrets beyond those that the probes know: see [probe.HoldsSecrets].
	Kinds []string
}

// attrSecrets is the attribute of the first call of a request on secrets whose errors were not cut.
const attrSecrets = "apitrace.secrets"

// Hidden tells whether the errors of a request with the given path, and what the server answers
// when it fails, are not shown.
func (s Secrets) Hidden(path string) bool { return !s.Show && s.Hold(path) }

// Hold tells whether a path, which may have a query, is that of a resource that holds secrets.
func (s Secrets) Hold(path string) bool {
	path, _, _ = strings.Cut(path, "?")
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	return probe.HoldsSecrets(path, s.Kinds...)
}

// query is what the probes are asked to do with the errors of a request.
func (s Secrets) query(path string) string {
	switch {
	case s.Show:
		return probe.SecretsShow
	case s.Hold(path):
		return probe.SecretsCut
	}
	return ""
}

// withhold takes the request's own secret values out of all texts of its trace. Nothing should
// be left of them when the probes have cut the errors; this is for what nobody foresaw.
func withhold(r *trace.Request, values []string) {
	const shortest = 4 // "a" is everywhere
	var inErrors, anywhere []string
	for _, v := range values {
		if len(v) < shortest || strings.Contains(r.Path, v) {
			continue
		}
		inErrors = append(inErrors, v)
		// A revision may have the digits of a password.
		if len(v) >= 6 && strings.Trim(v, "0123456789") != "" {
			anywhere = append(anywhere, v)
		}
	}
	for i := range r.Calls {
		c := &r.Calls[i]
		c.Error = without(c.Error, inErrors)
		c.Panic = without(c.Panic, anywhere)
		for name, value := range c.Attributes {
			c.Attributes[name] = without(value, anywhere)
		}
	}
}

// without returns a text without some values, of which the longest come first.
func without(text string, values []string) string {
	for _, v := range values {
		text = strings.ReplaceAll(text, v, "(secret)")
	}
	return text
}
