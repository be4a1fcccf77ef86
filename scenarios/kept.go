package scenarios

import (
	"encoding/json"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/strictyaml"
)

// kept holds the values that requests kept from their answers, and the properties of the
// run's webhooks ("labeler.url"), by name.
type kept map[string]string

// placeholder matches the placeholder of a kept value.
var placeholder = regexp.MustCompile(`\$\{(\w+(?:\.\w+)?)\}`)

// take keeps the answer's values that h.Keep names. It returns an error for a value that
// is missing or is not a text.
func (k kept) take(h *HTTP, answer []byte) error {
	for _, name := range slices.Sorted(maps.Keys(h.Keep)) {
		var all any
		if err := json.Unmarshal(answer, &all); err != nil {
			return message.Errorf("reading the answer to %s %s: %w", h.Method, h.Path, err)
		}
		value, isText := valueAt(all, h.Keep[name]).(string)
		if !isText {
			return message.Errorf("the answer to %s %s has no text at %q that could be kept as %q", h.Method, h.Path, h.Keep[name], name)
		}
		k[name] = value
	}
	return nil
}

// fill returns a copy of h with kept values in place of the placeholders.
func (k kept) fill(h *HTTP) *HTTP {
	filled := *h
	filled.Path = k.replace(h.Path, url.QueryEscape)
	filled.Headers = maps.Clone(h.Headers)
	for name, value := range h.Headers {
		filled.Headers[name] = k.replace(value, unchanged)
	}
	if h.Body != nil {
		body := k.fillDocument(*h.Body)
		filled.Body = &body
	}
	return &filled
}

func (k kept) fillDocument(d Document) Document {
	escape := inJSON
	if d.raw {
		escape = unchanged
	}
	d.json = []byte(k.replace(string(d.json), escape))
	return d
}

// fillAll returns copies of the objects with values in place of the placeholders.
func (k kept) fillAll(objects []Document) []Document {
	var filled []Document
	for _, d := range objects {
		filled = append(filled, k.fillDocument(d))
	}
	return filled
}

// replace replaces placeholders by their values. Text that looks like a placeholder, but
// has no value, stays: it can be part of an object.
func (k kept) replace(text string, escape func(string) string) string {
	return placeholder.ReplaceAllStringFunc(text, func(found string) string {
		value, is := k[placeholder.FindStringSubmatch(found)[1]]
		if !is {
			return found
		}
		return escape(value)
	})
}

func unchanged(value string) string { return value }

func inJSON(value string) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // a string can always be marshalled
	}
	return string(text[1 : len(text)-1])
}

// validateKept returns a mistake if a request uses a value that no earlier request keeps,
// or if an object uses an unknown webhook.
func (s *Scenario) validateKept() *strictyaml.Mistake {
	known := map[string]bool{}
	for _, w := range s.Setup.Webhooks {
		known[w.Name+".url"], known[w.Name+".caBundle"] = true, true
	}
	for i := range s.Setup.Objects {
		if bad := unknownWebhookIn(&s.Setup.Objects[i], known); bad != "" {
			return strictyaml.MistakeAt(message.Of("there is no webhook for %q: list it under setup.webhooks, or write another name", bad), "setup", "objects", i)
		}
	}
	for i := range s.Requests {
		for _, h := range s.Requests[i].all() {
			if name := h.unknownIn(known); name != "" {
				return unknownKept(name, known, "requests", i)
			}
		}
	}
	return nil
}

// unknownWebhookIn returns a placeholder of an unknown webhook in an object, or "". Other
// texts that look like placeholders belong to the object.
func unknownWebhookIn(d *Document, known map[string]bool) string {
	for _, found := range placeholder.FindAllStringSubmatch(string(d.json), -1) {
		if is := strings.HasSuffix(found[1], ".url") || strings.HasSuffix(found[1], ".caBundle"); is && !known[found[1]] {
			return found[0]
		}
	}
	return ""
}

// unknownIn returns the name of an unknown value that h uses. If there is none, it
// returns "" and adds the names that h keeps to known.
func (h *HTTP) unknownIn(known map[string]bool) string {
	texts := append([]string{h.Path, h.BodyText}, slices.Sorted(maps.Values(h.Headers))...)
	if h.Body != nil {
		texts = append(texts, string(h.Body.json))
	}
	for _, found := range placeholder.FindAllStringSubmatch(strings.Join(texts, "\n"), -1) {
		if !known[found[1]] {
			return found[1]
		}
	}
	for name := range h.Keep {
		known[name] = true
	}
	return ""
}

func unknownKept(name string, known map[string]bool, at ...any) *strictyaml.Mistake {
	text := message.Of("no request before this one keeps a value as %q", name)
	if len(known) > 0 {
		return strictyaml.MistakeAt(message.Of("%s%s", text, strictyaml.Suggest(name, slices.Sorted(maps.Keys(known)))), at...)
	}
	return strictyaml.MistakeAt(message.Of("%s: give one of them \"keep: {%s: metadata.resourceVersion}\", or write another name", text, name), at...)
}
