package render

import (
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
)

// Attributes by which the guide tells upstream's own tracing from other calls.
const (
	upstreamPrefix = "apitrace.upstream."
	attrSpan       = upstreamPrefix + "span"
	attrEvent      = upstreamPrefix + "event"
)

// upstream reports whether the call is one of upstream's own tracing: it begins or
// ends a span, or adds an event.
func upstream(call *trace.Call) bool {
	for name := range call.Attributes {
		if strings.HasPrefix(name, upstreamPrefix) {
			return true
		}
	}
	return false
}

// upstreamSays reports whether the call names a span or an event, and does not
// only end a span.
func upstreamSays(call *trace.Call) bool {
	return call.Attributes[attrSpan] != "" || call.Attributes[attrEvent] != ""
}

// upstreamLabel is what a call of upstream's own tracing does, in words.
func upstreamLabel(call *trace.Call) string {
	switch {
	case call.Attributes[attrSpan] != "":
		return `upstream span "` + oneLine(call.Attributes[attrSpan]) + `"`
	case call.Attributes[attrEvent] != "":
		return `upstream event "` + oneLine(call.Attributes[attrEvent]) + `"`
	}
	return "upstream span ends"
}
