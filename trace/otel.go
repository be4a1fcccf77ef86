package trace

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// scopeName is the instrumentation scope of every span that apitrace writes.
const scopeName = "github.com/kubeapitrace/apitrace"

// The semantic conventions do not have these attributes.
const (
	// On the resource: the properties of the whole recording.
	attrScenario    = attribute.Key("apitrace.scenario")
	attrK8sVersion  = attribute.Key("apitrace.k8s.version")
	attrEtcdVersion = attribute.Key("apitrace.etcd.version")
	attrServers     = attribute.Key("apitrace.servers")
	attrEdited      = attribute.Key("apitrace.edited")
	attrEdition     = attribute.Key("apitrace.edition")
	attrRecorded    = attribute.Key("apitrace.recorded")

	// On each span.
	attrOrder        = attribute.Key("apitrace.order")
	attrCallerLine   = attribute.Key("apitrace.caller.line")
	attrGoroutine    = attribute.Key("apitrace.goroutine.id")
	attrNewGoroutine = attribute.Key("apitrace.goroutine.new")
	attrLeaf         = attribute.Key("apitrace.leaf")
	attrUnfinished   = attribute.Key("apitrace.unfinished")

	// On the span of a request's first call.
	attrIncomplete = attribute.Key("apitrace.incomplete")
	// attrStored holds one StoredKey as JSON for each change.
	attrStored = attribute.Key("apitrace.stored")
	// attrCause and attrCauseTrace are the Cause.
	attrCause      = attribute.Key("apitrace.cause")
	attrCauseTrace = attribute.Key("apitrace.cause.trace")
	// attrPending holds one Pending as JSON for each.
	attrPending = attribute.Key("apitrace.pending")

	// A panic is an event of the semantic conventions, with apitrace's own type.
	eventException = "exception"
	typePanic      = "panic"
)

// callAttributes are on the span of every call. requestAttributes are on the span
// of a request's first call. The guide's values must not use these names.
var (
	callAttributes = names(semconv.CodeFunctionNameKey, semconv.CodeFilePathKey, semconv.CodeLineNumberKey,
		attrOrder, attrCallerLine, attrGoroutine, attrNewGoroutine, attrLeaf, attrUnfinished)
	requestAttributes = names(semconv.HTTPRequestMethodKey, semconv.URLPathKey, semconv.URLQueryKey,
		semconv.HTTPResponseStatusCodeKey, attrIncomplete, attrStored, attrCause, attrCauseTrace, attrPending)
)

func names(keys ...attribute.Key) []string {
	var all []string
	for _, k := range keys {
		all = append(all, string(k))
	}
	return all
}

// Export converts every call to an OpenTelemetry span, passes the spans to the
// exporter one by one, in order of entry, and returns its first error. It does
// not shut the exporter down.
func Export(ctx context.Context, rec *Recording, exporter sdktrace.SpanExporter) error {
	if err := rec.Validate(); err != nil {
		return message.Errorf("exporting spans: %w", err)
	}
	for i := range rec.Requests {
		if err := exportRequest(ctx, rec, &rec.Requests[i], exporter); err != nil {
			return message.Errorf("exporting the spans of %s %s: %w", rec.Requests[i].Method, rec.Requests[i].Path, err)
		}
	}
	return nil
}

// exportRequest exports the spans of one request. Validate must accept the request.
func exportRequest(ctx context.Context, rec *Recording, r *Request, exporter sdktrace.SpanExporter) error {
	traceID, err := oteltrace.TraceIDFromHex(r.TraceID)
	if err != nil {
		return message.Errorf("trace id %q: %w", r.TraceID, err)
	}
	keeper := &errorKeeper{SpanExporter: exporter}
	tracers := map[string]oteltrace.Tracer{}
	tree := TreeOfValid(r)
	for i := range r.Calls {
		process := r.Calls[i].Process
		if tracers[process] == nil {
			tracers[process] = newTracer(rec, process, keeper)
		}
		if err := exportCall(ctx, tracers[process], tree, traceID, i); err != nil {
			return err
		}
	}
	return keeper.err
}

// newTracer returns a tracer that passes each ended span to the exporter. It
// ignores the OTEL_ variables for sampling and limits.
func newTracer(rec *Recording, process string, exporter sdktrace.SpanExporter) oteltrace.Tracer {
	return sdktrace.NewTracerProvider(
		sdktrace.WithSyncer(exporter),
		sdktrace.WithIDGenerator(givenIDs{}),
		sdktrace.WithSampler(sdktrace.AlwaysSample()),
		sdktrace.WithRawSpanLimits(sdktrace.SpanLimits{
			AttributeValueLengthLimit:   -1,
			AttributeCountLimit:         -1,
			EventCountLimit:             -1,
			LinkCountLimit:              -1,
			AttributePerEventCountLimit: -1,
			AttributePerLinkCountLimit:  -1,
		}),
		sdktrace.WithResource(resource.NewSchemaless(resourceAttributes(rec, process)...)),
	).Tracer(scopeName, oteltrace.WithSchemaURL(semconv.SchemaURL))
}

func resourceAttributes(rec *Recording, process string) []attribute.KeyValue {
	attrs := []attribute.KeyValue{
		semconv.ServiceName(process),
		attrScenario.String(rec.Scenario),
		attrK8sVersion.String(rec.K8sVersion),
		attrEtcdVersion.String(rec.EtcdVersion),
	}
	if version := rec.Version(process); version != "" {
		attrs = append(attrs, semconv.ServiceVersion(version))
	}
	if len(rec.Servers) > 0 {
		attrs = append(attrs, attrServers.StringSlice(rec.Servers))
	}
	if len(rec.Edited) > 0 {
		attrs = append(attrs, attrEdited.StringSlice(rec.Edited))
	}
	if rec.Edition != "" {
		attrs = append(attrs, attrEdition.String(rec.Edition))
	}
	if !rec.Recorded.IsZero() {
		attrs = append(attrs, attrRecorded.String(rec.Recorded.UTC().Format(time.RFC3339Nano)))
	}
	return attrs
}

func exportCall(ctx context.Context, tracer oteltrace.Tracer, tree *Tree, traceID oteltrace.TraceID, i int) error {
	call := tree.Call(i)
	id, err := oteltrace.SpanIDFromHex(call.ID)
	if err != nil {
		return message.Errorf("%s: %w", tree.Request.describe(i), err)
	}
	ctx = context.WithValue(ctx, givenIDsKey{}, spanIDs{traceID, id})
	parent, links, err := causesOf(tree.Request, i)
	if err != nil {
		return message.Errorf("parent of %s: %w", tree.Request.describe(i), err)
	}
	if parent.IsValid() {
		ctx = oteltrace.ContextWithSpanContext(ctx, parent)
	}
	start := tree.Request.startTime().Add(time.Duration(call.StartNs))
	end := start.Add(time.Duration(call.DurationNs))
	_, span := tracer.Start(ctx, call.ShortName(), oteltrace.WithTimestamp(start), oteltrace.WithSpanKind(spanKind(tree, i)), oteltrace.WithLinks(links...))
	span.SetAttributes(attributesOf(call, i)...)
	if i == 0 {
		attrs, err := attributesOfRequest(tree.Request)
		if err != nil {
			return err
		}
		span.SetAttributes(attrs...)
	}
	if call.Error != "" || call.Panic != "" {
		span.SetStatus(codes.Error, call.Error)
	}
	if call.Panic != "" {
		span.AddEvent(eventException, oteltrace.WithTimestamp(end),
			oteltrace.WithAttributes(semconv.ExceptionType(typePanic), semconv.ExceptionStacktrace(call.Panic)))
	}
	span.End(oteltrace.WithTimestamp(end))
	return nil
}

// causesOf returns the parent of a call's span, if it has one, and links to the other calls
// that caused it. A cause in another trace is a link.
func causesOf(r *Request, i int) (parent oteltrace.SpanContext, links []oteltrace.Link, err error) {
	call := &r.Calls[i]
	if i > 0 {
		parent, err = spanContext(r.TraceID, call.Parent)
	} else if r.Cause != (Cause{}) {
		parent, err = spanContext(r.Cause.TraceID, r.Cause.Call)
	}
	if err != nil {
		return parent, nil, err
	}
	if parent.IsValid() && parent.TraceID().String() != r.TraceID {
		links, parent = append(links, oteltrace.Link{SpanContext: parent}), oteltrace.SpanContext{}
	}
	for _, id := range call.Causes() {
		cause, err := spanContext(r.TraceID, id)
		if err != nil {
			return parent, nil, err
		}
		links = append(links, oteltrace.Link{SpanContext: cause})
	}
	return parent, links, nil
}

func spanContext(traceID, id string) (oteltrace.SpanContext, error) {
	t, err := oteltrace.TraceIDFromHex(traceID)
	if err != nil {
		return oteltrace.SpanContext{}, err
	}
	s, err := oteltrace.SpanIDFromHex(id)
	return oteltrace.NewSpanContext(oteltrace.SpanContextConfig{TraceID: t, SpanID: s, TraceFlags: oteltrace.FlagsSampled}), err
}

// startTime returns the request's start or, if that was not recorded, the Unix
// epoch, which means "unknown" in OTLP.
func (r *Request) startTime() time.Time {
	if r.Start.IsZero() {
		return time.Unix(0, 0)
	}
	return r.Start
}

// spanKind returns the server kind for each process's first call.
func spanKind(tree *Tree, i int) oteltrace.SpanKind {
	if p := tree.Parent(i); p < 0 || tree.Call(p).Process != tree.Call(i).Process {
		return oteltrace.SpanKindServer
	}
	return oteltrace.SpanKindInternal
}

func attributesOf(call *Call, order int) []attribute.KeyValue {
	attrs := []attribute.KeyValue{
		semconv.CodeFunctionName(call.Function),
		semconv.CodeFilePath(call.File),
		semconv.CodeLineNumber(call.Line),
		attrOrder.Int(order),
		attrCallerLine.Int(call.CallerLine),
		attrGoroutine.Int64(int64(call.Goroutine)),
	}
	if call.NewGoroutine {
		attrs = append(attrs, attrNewGoroutine.Bool(true))
	}
	if call.Leaf {
		attrs = append(attrs, attrLeaf.Bool(true))
	}
	if call.Unfinished {
		attrs = append(attrs, attrUnfinished.Bool(true))
	}
	for _, name := range slices.Sorted(maps.Keys(call.Attributes)) {
		attrs = append(attrs, attribute.String(name, call.Attributes[name]))
	}
	return attrs
}

func attributesOfRequest(r *Request) ([]attribute.KeyValue, error) {
	path, query, hasQuery := strings.Cut(r.Path, "?")
	attrs := []attribute.KeyValue{semconv.HTTPRequestMethodKey.String(r.Method), semconv.URLPath(path)}
	if hasQuery {
		attrs = append(attrs, semconv.URLQuery(query))
	}
	if r.Status != 0 {
		attrs = append(attrs, semconv.HTTPResponseStatusCode(r.Status))
	}
	if len(r.Incomplete) > 0 {
		attrs = append(attrs, attrIncomplete.StringSlice(r.Incomplete))
	}
	if r.Cause != (Cause{}) {
		attrs = append(attrs, attrCause.String(r.Cause.Call), attrCauseTrace.String(r.Cause.TraceID))
	}
	stored, err := asJSON(attrStored, r.Stored)
	if err != nil {
		return nil, err
	}
	pending, err := asJSON(attrPending, r.Pending)
	return append(append(attrs, stored...), pending...), err
}

// asJSON returns an attribute with one JSON text for each element of a list, or none if
// the list is empty.
func asJSON[T any](name attribute.Key, list []T) ([]attribute.KeyValue, error) {
	if len(list) == 0 {
		return nil, nil
	}
	var texts []string
	for _, element := range list {
		text, err := json.Marshal(element)
		if err != nil {
			return nil, message.Errorf("attribute %q: %w", name, err)
		}
		texts = append(texts, string(text))
	}
	return []attribute.KeyValue{name.StringSlice(texts)}, nil
}

// givenIDs is an sdktrace.IDGenerator that takes the ids of the next span from
// the context.
type givenIDs struct{}

type givenIDsKey struct{}

type spanIDs struct {
	trace oteltrace.TraceID
	span  oteltrace.SpanID
}

var _ sdktrace.IDGenerator = givenIDs{}

func (givenIDs) NewIDs(ctx context.Context) (oteltrace.TraceID, oteltrace.SpanID) {
	ids, _ := ctx.Value(givenIDsKey{}).(spanIDs)
	return ids.trace, ids.span
}

func (g givenIDs) NewSpanID(ctx context.Context, _ oteltrace.TraceID) oteltrace.SpanID {
	_, span := g.NewIDs(ctx)
	return span
}

// errorKeeper keeps an exporter's first error, which the SDK would only log.
type errorKeeper struct {
	sdktrace.SpanExporter
	err error
}

func (k *errorKeeper) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := k.SpanExporter.ExportSpans(ctx, spans)
	if k.err == nil {
		k.err = err
	}
	return nil
}
