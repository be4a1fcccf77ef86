package trace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
)

// readOTLP reads what WriteOTLP wrote, or what an OpenTelemetry collector made of
// it: the spans of a trace may be spread over lines.
func readOTLP(data []byte) (*Recording, error) {
	var b recordingBuilder
	if err := eachTraces(data, b.add); err != nil {
		return nil, err
	}
	return b.recording()
}

// eachTraces reads OTLP JSON objects, one behind the other, and says in which line
// one is wrong.
func eachTraces(data []byte, add func(ptrace.Traces) error) error {
	for rest := bytes.TrimLeft(data, " \t\r\n"); len(rest) > 0; {
		line := 1 + bytes.Count(data[:len(data)-len(rest)], []byte("\n"))
		object, after, err := cutObject(rest)
		if err != nil {
			return fmt.Errorf("line %d: %w", line, explainSyntax(err))
		}
		traces, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces(object)
		if err != nil {
			return fmt.Errorf("line %d is no OTLP trace data: %w", line, err)
		}
		if err := add(traces); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		rest = bytes.TrimLeft(after, " \t\r\n")
	}
	return nil
}

// cutObject returns the JSON object that data begins with, and what follows it.
func cutObject(data []byte) (object, rest []byte, err error) {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	if json.Valid(line) { // one object per line, as it should be: twice as fast as the decoder
		return line, rest, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	err = decoder.Decode((*json.RawMessage)(&object))
	return object, data[decoder.InputOffset():], err
}

// A recordingBuilder gathers spans into the recording that they came from.
type recordingBuilder struct {
	rec    Recording
	traces map[string]int  // index in rec.Requests by trace id; nil before the first resource
	spans  [][]orderedCall // per request
}

// An orderedCall is a call on its way from a span: its StartNs counts from the
// Unix epoch.
type orderedCall struct {
	Call
	order int64
}

func (b *recordingBuilder) add(traces ptrace.Traces) error {
	for _, rs := range traces.ResourceSpans().All() {
		if err := b.addResource(rs.Resource().Attributes()); err != nil {
			return err
		}
		process := text(rs.Resource().Attributes(), semconv.ServiceNameKey)
		for _, scope := range rs.ScopeSpans().All() {
			for _, span := range scope.Spans().All() {
				if err := b.addSpan(process, span); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// addResource takes what the recording has in common from the first resource,
// and demands the same of all others.
func (b *recordingBuilder) addResource(attrs pcommon.Map) error {
	if _, ok := attrs.Get(string(attrScenario)); !ok {
		return fmt.Errorf("the resource has no attribute %q: these spans were not saved by apitrace", attrScenario)
	}
	rec := Recording{
		Scenario:    text(attrs, attrScenario),
		K8sVersion:  text(attrs, attrK8sVersion),
		EtcdVersion: text(attrs, attrEtcdVersion),
	}
	if recorded := text(attrs, attrRecorded); recorded != "" {
		var err error
		if rec.Recorded, err = time.Parse(time.RFC3339Nano, recorded); err != nil {
			return fmt.Errorf("attribute %q: %w", attrRecorded, err)
		}
	}
	if b.traces == nil {
		b.rec, b.traces = rec, map[string]int{}
	}
	if rec.Scenario != b.rec.Scenario || rec.K8sVersion != b.rec.K8sVersion || rec.EtcdVersion != b.rec.EtcdVersion || !rec.Recorded.Equal(b.rec.Recorded) {
		return fmt.Errorf("spans of another recording (scenario %q on %s, before: %q on %s): expected one recording per file",
			rec.Scenario, rec.K8sVersion, b.rec.Scenario, b.rec.K8sVersion)
	}
	return nil
}

func (b *recordingBuilder) addSpan(process string, span ptrace.Span) error {
	i, ok := b.traces[span.TraceID().String()]
	if !ok {
		i = len(b.rec.Requests)
		b.traces[span.TraceID().String()] = i
		b.rec.Requests = append(b.rec.Requests, Request{TraceID: span.TraceID().String()})
		b.spans = append(b.spans, nil)
	}
	root := span.ParentSpanID().IsEmpty()
	if root {
		if err := fillRequest(&b.rec.Requests[i], span); err != nil {
			return fmt.Errorf("span %q: %w", span.Name(), err)
		}
	}
	b.spans[i] = append(b.spans[i], orderedCall{callOf(process, span, root), integer(span.Attributes(), attrOrder)})
	return nil
}

func (b *recordingBuilder) recording() (*Recording, error) {
	for i := range b.rec.Requests {
		r := &b.rec.Requests[i]
		slices.SortStableFunc(b.spans[i], func(x, y orderedCall) int { return cmp.Compare(x.order, y.order) })
		r.Calls = make([]Call, len(b.spans[i]))
		for c, ordered := range b.spans[i] {
			r.Calls[c] = ordered.Call
		}
		countFromRoot(r)
		if err := r.Sort(); err != nil {
			return nil, fmt.Errorf("trace %s (%s %s): %w", r.TraceID, r.Method, r.Path, err)
		}
	}
	return &b.rec, b.rec.Validate()
}

// countFromRoot makes StartNs count from the first call instead of the epoch.
func countFromRoot(r *Request) {
	root := slices.IndexFunc(r.Calls, func(c Call) bool { return c.Parent == "" })
	if root < 0 {
		return // Sort will say so
	}
	first := r.Calls[root].StartNs
	if first != 0 {
		r.Start = time.Unix(0, first).UTC()
	}
	for i := range r.Calls {
		r.Calls[i].StartNs -= first
	}
}

func fillRequest(r *Request, span ptrace.Span) error {
	attrs := span.Attributes()
	r.Method = text(attrs, semconv.HTTPRequestMethodKey)
	r.Path = text(attrs, semconv.URLPathKey)
	if query, ok := attrs.Get(string(semconv.URLQueryKey)); ok {
		r.Path += "?" + query.Str()
	}
	r.Status = int(integer(attrs, semconv.HTTPResponseStatusCodeKey))
	r.Incomplete = texts(attrs, attrIncomplete)
	r.Stored = nil
	for _, stored := range texts(attrs, attrStored) {
		var key StoredKey
		if err := json.Unmarshal([]byte(stored), &key); err != nil {
			return fmt.Errorf("attribute %q: %w", attrStored, err)
		}
		r.Stored = append(r.Stored, key)
	}
	return nil
}

func callOf(process string, span ptrace.Span, root bool) Call {
	attrs := span.Attributes()
	call := Call{
		ID:           span.SpanID().String(),
		Parent:       span.ParentSpanID().String(),
		Function:     text(attrs, semconv.CodeFunctionNameKey),
		File:         text(attrs, semconv.CodeFilePathKey),
		Line:         int(integer(attrs, semconv.CodeLineNumberKey)),
		CallerLine:   int(integer(attrs, attrCallerLine)),
		Process:      process,
		Goroutine:    uint64(integer(attrs, attrGoroutine)),
		NewGoroutine: boolean(attrs, attrNewGoroutine),
		StartNs:      int64(span.StartTimestamp()),
		DurationNs:   int64(span.EndTimestamp() - span.StartTimestamp()),
		Unfinished:   boolean(attrs, attrUnfinished),
		Error:        span.Status().Message(),
	}
	for _, event := range span.Events().All() {
		if event.Name() == eventException {
			call.Panic = text(event.Attributes(), semconv.ExceptionStacktraceKey)
		}
	}
	for name, value := range attrs.All() {
		if isReserved(name, root) {
			continue
		}
		if call.Attributes == nil {
			call.Attributes = map[string]string{}
		}
		call.Attributes[name] = value.AsString()
	}
	return call
}

// text, texts, integer and boolean return the value of an attribute, or the zero
// value where there is none of that type.

func text(attrs pcommon.Map, key attribute.Key) string {
	v, ok := attrs.Get(string(key))
	if !ok || v.Type() != pcommon.ValueTypeStr {
		return ""
	}
	return v.Str()
}

func texts(attrs pcommon.Map, key attribute.Key) []string {
	v, ok := attrs.Get(string(key))
	if !ok || v.Type() != pcommon.ValueTypeSlice {
		return nil
	}
	var all []string
	for _, item := range v.Slice().All() {
		all = append(all, item.AsString())
	}
	return all
}

func integer(attrs pcommon.Map, key attribute.Key) int64 {
	v, ok := attrs.Get(string(key))
	if !ok {
		return 0
	}
	return v.Int()
}

func boolean(attrs pcommon.Map, key attribute.Key) bool {
	v, ok := attrs.Get(string(key))
	return ok && v.Bool()
}
