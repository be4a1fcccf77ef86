package export

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/kubeapitrace/apitrace/trace"
)

// A receiver takes spans as an OpenTelemetry collector does, by gRPC and by HTTP.
type receiver struct {
	collector.UnimplementedTraceServiceServer
	// reject is the number of spans that it rejects in each message.
	reject int64

	mu       sync.Mutex
	messages int
	spans    []*otlp.Span
	headers  http.Header
}

func (r *receiver) Export(_ context.Context, in *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.messages++
	for _, rs := range in.ResourceSpans {
		for _, scope := range rs.ScopeSpans {
			r.spans = append(r.spans, scope.Spans...)
		}
	}
	if r.reject > 0 {
		return &collector.ExportTraceServiceResponse{PartialSuccess: &collector.ExportTracePartialSuccess{RejectedSpans: r.reject, ErrorMessage: "too old"}}, nil
	}
	return &collector.ExportTraceServiceResponse{}, nil
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.headers = req.Header
	body, err := io.ReadAll(req.Body)
	in := &collector.ExportTraceServiceRequest{}
	if err != nil || req.URL.Path != "/v1/traces" || proto.Unmarshal(body, in) != nil {
		http.Error(w, "no OTLP request", http.StatusBadRequest)
		return
	}
	out, _ := r.Export(req.Context(), in)
	answer, _ := proto.Marshal(out)
	w.Header().Set("Content-Type", "application/x-protobuf")
	_, _ = w.Write(answer)
}

// serve starts the receiver, and sets its address and protocol in the environment.
func (r *receiver) serve(t *testing.T, protocol string) {
	t.Helper()
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
	if protocol == protocolHTTP {
		server := httptest.NewServer(r)
		t.Cleanup(server.Close)
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
		return
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	collector.RegisterTraceServiceServer(server, r)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+listener.Addr().String())
}

// TestSendOTLP checks that every call arrives as a span with its function, by both
// protocols.
func TestSendOTLP(t *testing.T) {
	for _, protocol := range []string{protocolGRPC, protocolHTTP} {
		t.Run(protocol, func(t *testing.T) {
			r := &receiver{}
			r.serve(t, protocol)
			t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "tenant=me")
			t.Setenv("OTEL_TRACES_SAMPLER", "always_off") // SendOTLP must ignore it
			t.Setenv("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "1")
			rec := real(t)
			sent, err := SendOTLP(t.Context(), rec)
			if err != nil {
				t.Fatal(err)
			}
			if sent != len(rec.Requests[0].Calls) {
				t.Errorf("SendOTLP sent %d spans, expected %d", sent, len(rec.Requests[0].Calls))
			}
			if want := (sent + batchSize - 1) / batchSize; r.messages != want {
				t.Errorf("got %d messages, expected %d", r.messages, want)
			}
			if protocol == protocolHTTP && r.headers.Get("Tenant") != "me" {
				t.Errorf("got the headers %v, expected also the header in OTEL_EXPORTER_OTLP_HEADERS", r.headers)
			}
			checkSpans(t, r.spans, rec)
		})
	}
}

// TestSendOTLPDefault checks that without an endpoint, spans go to this machine,
// without TLS. OpenTelemetry specifies this.
func TestSendOTLPDefault(t *testing.T) {
	for protocol, port := range map[string]string{protocolGRPC: "4317", protocolHTTP: "4318"} {
		t.Run(protocol, func(t *testing.T) {
			listener, err := net.Listen("tcp", "localhost:"+port)
			if err != nil {
				t.Skipf("the port of OTLP is in use: %v", err)
			}
			r := &receiver{}
			t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
			if protocol == protocolGRPC {
				server := grpc.NewServer()
				collector.RegisterTraceServiceServer(server, r)
				go func() { _ = server.Serve(listener) }()
				defer server.Stop()
			} else {
				server := &http.Server{Handler: r}
				go func() { _ = server.Serve(listener) }()
				defer server.Close()
			}
			rec := storagePart(t)
			if _, err := SendOTLP(t.Context(), rec); err != nil {
				t.Fatal(err)
			}
			checkSpans(t, r.spans, rec)
		})
	}
}

// checkSpans checks that every call has a span, with its id, parent, duration and
// function.
func checkSpans(t *testing.T, spans []*otlp.Span, rec *trace.Recording) {
	t.Helper()
	calls := map[string]trace.Call{}
	for _, call := range rec.Requests[0].Calls {
		calls[call.ID] = call
	}
	for _, span := range spans {
		id := hexOf(span.SpanId)
		call, ok := calls[id]
		if !ok {
			t.Fatalf("span %s (%s) is not a call, or arrived twice", id, span.Name)
		}
		delete(calls, id)
		if hexOf(span.ParentSpanId) != call.Parent || hexOf(span.TraceId) != rec.Requests[0].TraceID {
			t.Errorf("span %s: got the trace %x and the parent %x, expected the call's trace and parent", id, span.TraceId, span.ParentSpanId)
		}
		if took := span.EndTimeUnixNano - span.StartTimeUnixNano; took != uint64(call.DurationNs) {
			t.Errorf("span %s has the duration %d ns, expected %d ns", id, took, call.DurationNs)
		}
		var function string
		for _, attr := range span.Attributes {
			if attr.Key == "code.function.name" {
				function = attr.Value.GetStringValue()
			}
		}
		if function != call.Function {
			t.Errorf("span %s: code.function.name is %q, expected %q", id, function, call.Function)
		}
	}
	if len(calls) > 0 {
		t.Errorf("%d calls have no span, expected a span for each call", len(calls))
	}
}

func hexOf(id []byte) string {
	const digits = "0123456789abcdef"
	var out strings.Builder
	for _, b := range id {
		out.WriteByte(digits[b>>4])
		out.WriteByte(digits[b&15])
	}
	return out.String()
}

func TestSendOTLPFails(t *testing.T) {
	t.Run("rejected", func(t *testing.T) {
		for _, protocol := range []string{protocolGRPC, protocolHTTP} {
			(&receiver{reject: 3}).serve(t, protocol)
			if _, err := SendOTLP(t.Context(), storagePart(t)); err == nil || !strings.Contains(err.Error(), "too old") {
				t.Errorf("%s: got the error %v, expected the receiver's message in it", protocol, err)
			}
		}
	})
	t.Run("no receiver", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		listener.Close()
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+listener.Addr().String())
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if _, err := SendOTLP(ctx, storagePart(t)); err == nil || !strings.Contains(err.Error(), "OTEL_EXPORTER_OTLP_ENDPOINT") {
			t.Errorf("got the error %v, expected OTEL_EXPORTER_OTLP_ENDPOINT in it", err)
		}
	})
	t.Run("protocol", func(t *testing.T) {
		for _, variable := range []string{"OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"} {
			t.Setenv(variable, "http/json")
			if _, err := SendOTLP(t.Context(), storagePart(t)); err == nil || !strings.HasPrefix(err.Error(), variable+` asks for the protocol "http/json"`) {
				t.Errorf("got the error %v, expected %s and the protocol in it", err, variable)
			}
		}
	})
}

// TestSavedIsOTLP checks that protobuf's own JSON reader accepts a saved file as
// OTLP. It reads wrong ids, because OTLP has them in hexadecimal and protobuf in
// base64.
func TestSavedIsOTLP(t *testing.T) {
	var saved bytes.Buffer
	rec := real(t)
	if err := trace.WriteOTLP(t.Context(), &saved, rec); err != nil {
		t.Fatal(err)
	}
	var spans []*otlp.Span
	for line := range bytes.Lines(saved.Bytes()) {
		data := &otlp.TracesData{}
		if err := protojson.Unmarshal(line, data); err != nil {
			t.Fatal(err)
		}
		for _, rs := range data.ResourceSpans {
			for _, scope := range rs.ScopeSpans {
				spans = append(spans, scope.Spans...)
			}
		}
	}
	if len(spans) != len(rec.Requests[0].Calls) {
		t.Errorf("got %d spans, expected %d", len(spans), len(rec.Requests[0].Calls))
	}
}
