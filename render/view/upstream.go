package view

import (
	"strings"

	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace"
)

// upstreamPrefix begins the attributes by which the guide tells upstream's own tracing from other calls.
const upstreamPrefix = "apitrace.upstream."

// upstream reports whether the call is one of upstream's own tracing: it begins or
// ends a span, or adds an event.
func Upstream(call *trace.Call) bool {
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
	return call.Attributes[trace.AttrUpstreamSpan] != "" || call.Attributes[trace.AttrUpstreamEvent] != ""
}

// UpstreamLabel is what a call of upstream's own tracing does, in words.
func UpstreamLabel(call *trace.Call) string {
	switch {
	case call.Attributes[trace.AttrUpstreamSpan] != "":
		return `upstream span "` + text.Escape(call.Attributes[trace.AttrUpstreamSpan]) + `"`
	case call.Attributes[trace.AttrUpstreamEvent] != "":
		return `upstream event "` + text.Escape(call.Attributes[trace.AttrUpstreamEvent]) + `"`
	}
	return "upstream span ends"
}
