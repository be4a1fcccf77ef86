package viewtest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/kubeapitrace/apitrace/trace"
)

// AnyRecording draws a recording of one request. Names have any width, and
// some texts contain line breaks and escape sequences for terminals.
func AnyRecording(t *rapid.T) *trace.Recording {
	text := rapid.OneOf(rapid.Just(""), rapid.String(), rapid.SampledFrom([]string{
		"not found", "wrapped: not found", "二进制对象太大了" + strings.Repeat("长", 60), "a\nb\r\x1b[44mc\x1b]8;;http://x\x07", strings.Repeat("x", 300),
	}))
	r := trace.Request{
		TraceID: strings.Repeat("a", 32), Method: "GET", Status: rapid.SampledFrom([]int{200, 404, 0}).Draw(t, "status"),
		Path:       "/" + strings.Repeat("长n", rapid.IntRange(0, 90).Draw(t, "path")),
		Incomplete: rapid.SliceOfN(text, 0, 2).Draw(t, "incomplete"),
	}
	for range rapid.IntRange(0, 1).Draw(t, "stored") {
		r.Stored = append(r.Stored, trace.StoredKey{Op: "PUT", Key: text.Draw(t, "key"), Size: 5, Kind: text.Draw(t, "kind")})
	}
	uneventful := rapid.Bool().Draw(t, "uneventful") // makes many siblings equal
	for i := range rapid.IntRange(1, 60).Draw(t, "calls") {
		c := trace.Call{
			ID: fmt.Sprintf("%016x", i+1), Line: i, CallerLine: i,
			Function: "k8s.io/p.f" + rapid.SampledFrom([]string{"key1", "key2", "group1", "group2", "plumbing", "数据" + strings.Repeat("长", 60)}).Draw(t, "function"),
			File:     "k8s.io/p/" + strings.Repeat("文f", rapid.IntRange(0, 30).Draw(t, "file")) + ".go",
			Process:  rapid.SampledFrom([]string{trace.ProcessAPIServer, trace.ProcessAPIServer, trace.ProcessEtcd}).Draw(t, "process"),
			Error:    text.Draw(t, "error"), Panic: text.Draw(t, "panic"),
			Unfinished: rapid.Bool().Draw(t, "unfinished"), NewGoroutine: rapid.Bool().Draw(t, "goroutine"),
			DurationNs: rapid.Int64Range(0, 1<<50).Draw(t, "duration"),
		}
		if uneventful {
			c.Process, c.Error, c.Panic, c.Unfinished, c.NewGoroutine = trace.ProcessAPIServer, "", "", false, false
		}
		if value := text.Draw(t, "value"); value != "" {
			name := rapid.SampledFrom([]string{"apitrace.value", trace.AttrError, trace.AttrStatusReason, trace.AttrUpstreamSpan, trace.AttrUpstreamEvent, "apitrace.upstream.end"}).Draw(t, "name")
			c.Attributes = map[string]string{name: value, trace.AttrNamespace: value}
		}
		if i > 0 { // often a chain, so that the tree becomes deep
			c.Parent = fmt.Sprintf("%016x", rapid.OneOf(rapid.Just(i), rapid.IntRange(1, i)).Draw(t, "parent"))
		}
		r.Calls = append(r.Calls, c)
	}
	if err := r.Sort(); err != nil {
		t.Fatal(err)
	}
	for i := range r.Calls {
		last := i+1 == len(r.Calls) || r.Calls[i+1].Parent != r.Calls[i].ID
		if c := &r.Calls[i]; i > 0 && last && rapid.Bool().Draw(t, "leaf") {
			c.Leaf, c.DurationNs, c.Error, c.Panic, c.Unfinished = true, 0, "", "", false
		}
	}
	return &trace.Recording{Scenario: text.Draw(t, "scenario"), K8sVersion: "v1.37.1", Requests: []trace.Request{r}}
}
