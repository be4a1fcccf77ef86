package trace

import (
	"bufio"
	"context"
	"io"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// WriteOTLP writes the recording as OTLP JSON. Each request is one line with one
// TracesData object.
func WriteOTLP(ctx context.Context, w io.Writer, rec *Recording) error {
	if err := rec.Validate(); err != nil {
		return message.Errorf("writing OTLP JSON: %w", err)
	}
	out := bufio.NewWriter(w)
	for i := range rec.Requests {
		line, err := otlpLine(ctx, rec, &rec.Requests[i])
		if err != nil {
			return err
		}
		out.Write(line)
	}
	return out.Flush()
}

// otlpLine returns the OTLP JSON of one request, with a newline.
func otlpLine(ctx context.Context, rec *Recording, r *Request) ([]byte, error) {
	collector := newOTLPExporter()
	err := exportRequest(ctx, rec, r, collector)
	var line []byte
	if err == nil {
		line, err = new(ptrace.JSONMarshaler).MarshalTraces(collector.traces)
	}
	if err != nil {
		return nil, message.Errorf("writing %s %s as OTLP JSON: %w", r.Method, r.Path, err)
	}
	return append(line, '\n'), nil
}

// otlpExporter is an sdktrace.SpanExporter that collects spans as OTLP data.
type otlpExporter struct {
	traces ptrace.Traces
	// scopes holds the list of spans of each resource.
	scopes map[attribute.Distinct]ptrace.ScopeSpans
}

var _ sdktrace.SpanExporter = (*otlpExporter)(nil)

func newOTLPExporter() *otlpExporter {
	return &otlpExporter{traces: ptrace.NewTraces(), scopes: map[attribute.Distinct]ptrace.ScopeSpans{}}
}

func (e *otlpExporter) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	for _, span := range spans {
		if n := span.DroppedAttributes() + span.DroppedEvents() + span.DroppedLinks(); n > 0 {
			return message.Errorf("the SDK dropped %d attributes, events or links of span %q", n, span.Name())
		}
		fillSpan(e.scopeOf(span).Spans().AppendEmpty(), span)
	}
	return nil
}

// Shutdown does nothing, because there is nothing to close.
func (e *otlpExporter) Shutdown(context.Context) error { return nil }

func (e *otlpExporter) scopeOf(span sdktrace.ReadOnlySpan) ptrace.ScopeSpans {
	id := span.Resource().Equivalent()
	if scope, ok := e.scopes[id]; ok {
		return scope
	}
	rs := e.traces.ResourceSpans().AppendEmpty()
	fillAttributes(rs.Resource().Attributes(), span.Resource().Attributes())
	scope := rs.ScopeSpans().AppendEmpty()
	scope.Scope().SetName(span.InstrumentationScope().Name)
	scope.SetSchemaUrl(span.InstrumentationScope().SchemaURL)
	e.scopes[id] = scope
	return scope
}

func fillSpan(to ptrace.Span, from sdktrace.ReadOnlySpan) {
	to.SetTraceID(pcommon.TraceID(from.SpanContext().TraceID()))
	to.SetSpanID(pcommon.SpanID(from.SpanContext().SpanID()))
	to.SetParentSpanID(pcommon.SpanID(from.Parent().SpanID()))
	to.SetFlags(uint32(from.SpanContext().TraceFlags()))
	to.SetName(from.Name())
	to.SetKind(ptrace.SpanKindInternal)
	if from.SpanKind() == oteltrace.SpanKindServer {
		to.SetKind(ptrace.SpanKindServer)
	}
	to.SetStartTimestamp(pcommon.NewTimestampFromTime(from.StartTime()))
	to.SetEndTimestamp(pcommon.NewTimestampFromTime(from.EndTime()))
	if status := from.Status(); status.Code == codes.Error {
		to.Status().SetCode(ptrace.StatusCodeError)
		to.Status().SetMessage(status.Description)
	}
	fillAttributes(to.Attributes(), from.Attributes())
	for _, link := range from.Links() {
		l := to.Links().AppendEmpty()
		l.SetTraceID(pcommon.TraceID(link.SpanContext.TraceID()))
		l.SetSpanID(pcommon.SpanID(link.SpanContext.SpanID()))
	}
	for _, event := range from.Events() {
		e := to.Events().AppendEmpty()
		e.SetName(event.Name)
		e.SetTimestamp(pcommon.NewTimestampFromTime(event.Time))
		fillAttributes(e.Attributes(), event.Attributes)
	}
}

// fillAttributes copies the kinds of values that apitrace writes. It copies any
// other kind as text; only the environment's OTEL_RESOURCE_ATTRIBUTES could add
// such a value.
func fillAttributes(to pcommon.Map, from []attribute.KeyValue) {
	to.EnsureCapacity(len(from))
	for _, attr := range from {
		key := string(attr.Key)
		switch attr.Value.Type() {
		case attribute.BOOL:
			to.PutBool(key, attr.Value.AsBool())
		case attribute.INT64:
			to.PutInt(key, attr.Value.AsInt64())
		case attribute.STRINGSLICE:
			slice := to.PutEmptySlice(key)
			for _, s := range attr.Value.AsStringSlice() {
				slice.AppendEmpty().SetStr(s)
			}
		default:
			to.PutStr(key, attr.Value.String())
		}
	}
}
