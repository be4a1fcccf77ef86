package view

import (
	"strings"

	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace"
)

// upstreamPrefix is the prefix of the guide's attributes for calls of
// upstream's own tracing.
const upstreamPrefix = "apitrace.upstream."

// Upstream reports whether the call belongs to upstream's own tracing: it
// begins or ends a span, or adds an event.
func Upstream(call *trace.Call) bool {
	for name := range call.Attributes {
		if strings.HasPrefix(name, upstreamPrefix) {
			return true
		}
	}
	return false
}

// upstreamSays reports whether the call begins a span or adds an event. A call
// that only ends a span has no name to show.
func upstreamSays(call *trace.Call) bool {
	return call.Attributes[trace.AttrUpstreamSpan] != "" || call.Attributes[trace.AttrUpstreamEvent] != ""
}

// UpstreamLabel describes a call of upstream's own tracing.
func UpstreamLabel(call *trace.Call) string {
	switch {
	case call.Attributes[trace.AttrUpstreamSpan] != "":
		return `upstream span "` + text.Escape(call.Attributes[trace.AttrUpstreamSpan]) + `"`
	case call.Attributes[trace.AttrUpstreamEvent] != "":
		return `upstream event "` + text.Escape(call.Attributes[trace.AttrUpstreamEvent]) + `"`
	}
	return "upstream span ends"
}
