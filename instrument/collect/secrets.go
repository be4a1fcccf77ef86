package collect

import (
	"net/url"
	"strings"
	"time"

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

// hide withholds the texts of errors where they may quote a secret: in a request for
// secrets, in all its consequences, and in the event that made a program send the request. cut has
// the calls without these texts.
func (f *Following) hide(requests, caused []trace.Request, cut *everything) {
	all := make([]*trace.Request, 0, len(requests)+len(caused))
	for i := range requests {
		all = append(all, &requests[i])
	}
	for i := range caused {
		all = append(all, &caused[i])
	}
	about, sent := make([]bool, len(all)), make([]bool, len(all))
	for i, by := range trace.CausedBy(all) {
		about[i] = !all[i].IsEvent() && f.secrets.Hold(all[i].Path) || by >= 0 && by < i && about[by]
		if about[i] && by >= 0 {
			sent[by] = true
		}
	}
	known := map[string]trace.Call{}
	for i := range cut.calls {
		c := cut.calls[i].inTrace(time.Time{})
		known[c.ID] = c
	}
	for i := len(requests); i < len(all); i++ {
		if about[i] || sent[i] {
			for j := range all[i].Calls {
				withhold(&all[i].Calls[j], known)
			}
		}
	}
}

// withhold replaces a call's error and values by the error and values in known.
func withhold(c *trace.Call, known map[string]trace.Call) {
	k, ok := known[c.ID]
	if !ok && c.Error != "" { // it began later
		k.Error = "(text not shown: it may quote a secret)"
	}
	c.Error = k.Error
	for name := range c.Attributes {
		value, ok := k.Attributes[name]
		switch {
		case name == trace.AttrCauses || name == trace.AttrHandoff || name == trace.AttrEtcdRevision:
		case ok:
			c.Attributes[name] = value
		default:
			delete(c.Attributes, name)
		}
	}
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
