package trace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	oteltrace "go.opentelemetry.io/otel/trace"
)

func export(t *testing.T, rec *Recording) tracetest.SpanStubs {
	t.Helper()
	exporter := tracetest.NewInMemoryExporter()
	if err := Export(context.Background(), rec, exporter); err != nil {
		t.Fatal(err)
	}
	return exporter.GetSpans()
}

// hostile sets variables that a user's environment may have for other programs.
func hostile(t *testing.T) {
	t.Setenv("OTEL_TRACES_SAMPLER", "always_off")
	t.Setenv("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "1")
	t.Setenv("OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", "2")
	t.Setenv("OTEL_SPAN_EVENT_COUNT_LIMIT", "0")
	t.Setenv("OTEL_SERVICE_NAME", "mine")
	t.Setenv("OTEL_SDK_DISABLED", "true")
}

func TestSpansAreTheCalls(t *testing.T) {
	hostile(t)
	for file, rec := range recordings(t) {
		spans := export(t, rec)
		n := 0
		for _, r := range rec.Requests {
			for i, call := range r.Calls {
				if n >= len(spans) {
					t.Fatalf("%s: got %d spans, expected one for each call, but there are more calls", file, len(spans))
				}
				span := spans[n]
				n++
				parent := ""
				if span.Parent.IsValid() {
					parent = span.Parent.SpanID().String()
				}
				got := [...]any{span.SpanContext.TraceID().String(), span.SpanContext.SpanID().String(), parent,
					span.StartTime.Sub(r.Start).Nanoseconds(), span.EndTime.Sub(span.StartTime).Nanoseconds(), span.Status.Description}
				want := [...]any{r.TraceID, call.ID, call.Parent, call.StartNs, call.DurationNs, call.Error}
				if got != want {
					t.Errorf("%s: %s: got the span %v, expected %v", file, r.describe(i), got, want)
				}
			}
		}
		if n != len(spans) {
			t.Errorf("%s: got %d spans, expected one for each of %d calls", file, len(spans), n)
		}
	}
}

func TestSpanAttributes(t *testing.T) {
	hostile(t)
	spans := export(t, load(t, "handmade-create-deployment.json"))
	root := values(spans[0].Attributes)
	for name, want := range map[string]string{
		"code.function.name":        "k8s.io/apiserver/pkg/server.(*APIServerHandler).ServeHTTP",
		"code.file.path":            "k8s.io/apiserver/pkg/server/handler.go",
		"http.request.method":       "POST",
		"url.path":                  "/apis/apps/v1/namespaces/default/deployments",
		"url.query":                 "fieldManager=apitrace",
		"http.response.status_code": "201",
		"apitrace.order":            "0",
	} {
		if root[name] != want {
			t.Errorf("attribute %s of the first span is %q, expected %q", name, root[name], want)
		}
	}
	if !strings.Contains(root["apitrace.stored"], "/registry/deployments/default/nginx") {
		t.Errorf("attribute apitrace.stored = %q, expected the key of the deployment nginx", root["apitrace.stored"])
	}
	if spans[0].SpanKind != oteltrace.SpanKindServer || spans[1].SpanKind != oteltrace.SpanKindInternal {
		t.Errorf("the first two spans have the kinds %v and %v, expected server and internal", spans[0].SpanKind, spans[1].SpanKind)
	}
	services := map[string]bool{}
	for _, span := range spans {
		res := values(span.Resource.Attributes())
		services[res["service.name"]+" "+res["service.version"]] = true
	}
	if len(services) != 2 || !services["kube-apiserver v1.37.1"] || !services["etcd v3.7.0"] {
		t.Errorf("got the services %v, expected kube-apiserver v1.37.1 and etcd v3.7.0", services)
	}
}

func TestErrorAndPanicOfSpan(t *testing.T) {
	rec := load(t, "handmade-errors.json")
	spans := export(t, rec)
	var failed, panicked, unfinished int
	for _, span := range spans {
		if span.Status.Code == codes.Error && span.Status.Description != "" {
			failed++
		}
		for _, event := range span.Events {
			attrs := values(event.Attributes)
			if event.Name == "exception" && attrs["exception.type"] == "panic" && strings.Contains(attrs["exception.stacktrace"], "writers.go:361") {
				panicked++
			}
		}
		if values(span.Attributes)["apitrace.unfinished"] == "true" {
			unfinished++
		}
	}
	if failed != 5 || panicked != 1 || unfinished != 1 {
		t.Errorf("got %d failed, %d panicked and %d unfinished spans, expected 5, 1 and 1", failed, panicked, unfinished)
	}
}

func values(attrs []attribute.KeyValue) map[string]string {
	all := map[string]string{}
	for _, attr := range attrs {
		all[string(attr.Key)] = attr.Value.String()
	}
	return all
}

// fullDisk is an exporter that fails at the third span.
type fullDisk struct {
	tracetest.NoopExporter
	spans int
}

var errDiskFull = errors.New("disk full")

func (d *fullDisk) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	if d.spans++; d.spans == 3 {
		return errDiskFull
	}
	return nil
}

func TestExportErrorsAreNotSwallowed(t *testing.T) {
	rec := load(t, "handmade-get-node.json")
	err := Export(context.Background(), rec, &fullDisk{})
	if !errors.Is(err, errDiskFull) || !strings.Contains(err.Error(), "GET /api/v1/nodes/n1") {
		t.Errorf("Export returned %v, expected the exporter's error and the request", err)
	}
	if err := Export(context.Background(), &Recording{}, &fullDisk{}); err == nil {
		t.Error("Export accepted a recording without requests, expected an error")
	}
}

// failingWriter accepts a number of bytes and then fails.
type failingWriter struct{ room int }

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.room -= len(p); w.room < 0 {
		return 0, errDiskFull
	}
	return len(p), nil
}

func TestWritersReportErrors(t *testing.T) {
	ctx := context.Background()
	rec := load(t, "handmade-errors.json")
	for name, write := range map[string]func(io.Writer, *Recording) error{
		"stdout": func(w io.Writer, rec *Recording) error { return WriteStdout(ctx, w, rec) },
		"OTLP":   func(w io.Writer, rec *Recording) error { return WriteOTLP(ctx, w, rec) },
		"JSON":   WriteJSON,
		"names":  WriteNames,
	} {
		for _, room := range []int{0, 5000} {
			if err := write(&failingWriter{room}, rec); !errors.Is(err, errDiskFull) {
				t.Errorf("%s with room for %d bytes: got the error %v, expected errDiskFull", name, room, err)
			}
		}
		if err := write(io.Discard, &Recording{Requests: []Request{{Method: "GET", Path: "/"}}}); err == nil {
			t.Errorf("%s accepted a request without a trace id, expected an error", name)
		}
	}
}

func TestStdout(t *testing.T) {
	hostile(t)
	rec := load(t, "handmade-errors.json")
	var out bytes.Buffer
	if err := WriteStdout(context.Background(), &out, rec); err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(&out)
	for _, r := range rec.Requests {
		for i, call := range r.Calls {
			var span struct {
				Name        string
				SpanContext struct{ SpanID string }
			}
			if err := decoder.Decode(&span); err != nil {
				t.Fatal(err)
			}
			if span.Name != call.ShortName() || span.SpanContext.SpanID != call.ID {
				t.Errorf("got the span %+v, expected the span of %s", span, r.describe(i))
			}
		}
	}
	if decoder.More() {
		t.Error("WriteStdout wrote more spans than calls, expected one for each call")
	}
}
