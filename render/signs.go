package render

import (
	"bufio"
	"io"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// signs explains parts of a real drawing: the output of "apitrace show get-node".
var signs = []struct {
	drawn, means message.Message
}{
	{message.Of("── 4 Authorization ──────────"), message.Of("A section: what happens in one layer of the server. Sections are numbered in the order in which the request comes to them.")},
	{message.Of("        RBAC allows it by ClusterRoleBinding \"learner-reads-nodes\" ..."), message.Of("The decisions in the section or, if there are none, the purpose of its first step.")},
	{message.Of("        called by flowcontrol.(*configController).Handle in 3, indirectly"), message.Of("The caller of the first step: a step of section 3, through folded calls.")},
	{message.Of("%s", " 1.02ms endpoints/filters.withAuthorization.func1\n        │  filters/authorization.go:61 "+unicodeGlyphs.Folded+"15"), message.Of("A step: its time with all calls below, the function, the file and line where the function begins, and %s15: 15 calls below it are folded.", unicodeGlyphs.Folded)},
	{message.Of("%s", " 1.87µs ├─ endpoints/filters.GetAuthorizerAttributes"), message.Of("Called directly by the step that it is indented under. Steps are in the order of time.")},
	{message.Of("%s", " 43.4µs ├┄ authorization/union.unionAuthzHandler.Authorize"), message.Of("Called through folded calls by the step that it is indented under.")},
	{message.Of("%s", "        │  │  decision=Allow"), message.Of("A recorded value of the call, unless a sentence already has it. A bold value decided the request.")},
	{message.Of("  960µs └┄ server.director.ServeHTTP %s 5 Routing", unicodeGlyphs.Into), message.Of("This call enters another layer: section 5 begins with it.")},
	{message.Of("  165µs └┄ %s ×20", message.Of("admission plugin")), message.Of("20 calls in a row, drawn as one.")},
	{message.Of(" 1.04µs ✗ error born in this function"), message.Of("What a call did to the error with which the request failed.")},
}

// WriteSigns explains the signs of a tree, each below an example.
func WriteSigns(w io.Writer, o Options) error {
	p := newPen(&o.Options, &o.Layout)
	out := bufio.NewWriter(w)
	for _, sign := range signs {
		drawn := sign.drawn.In(o.Lang)
		if o.ASCII {
			drawn = strings.NewReplacer("─", "-", "├", "+", "└", "`", "│", "|", "┄", ".", unicodeGlyphs.Folded, asciiGlyphs.Folded, unicodeGlyphs.Into, asciiGlyphs.Into, "×", "x", "✗", "!", "µ", "u").Replace(drawn)
		}
		for line := range strings.SplitSeq(drawn, "\n") {
			out.WriteString(p.Key.Render(p.fit(line, p.width)) + "\n")
		}
		for _, line := range wrap(sign.means.In(o.Lang), p.width-4) {
			out.WriteString("    " + p.Facts.Render(line) + "\n")
		}
	}
	return out.Flush()
}
