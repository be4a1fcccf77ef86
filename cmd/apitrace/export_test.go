package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/kubeapitrace/apitrace/trace"
)

// "run --export otlp" prints the trace, and sends every span of it.
func TestRunExports(t *testing.T) {
	var received atomic.Int64
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		in := &collector.ExportTraceServiceRequest{}
		if err != nil || proto.Unmarshal(body, in) != nil {
			http.Error(w, "no OTLP request", http.StatusBadRequest)
			return
		}
		for _, rs := range in.ResourceSpans {
			for _, scope := range rs.ScopeSpans {
				received.Add(int64(len(scope.Spans)))
			}
		}
	}))
	defer receiver.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.URL)
	recording, err := trace.Load("testdata/get-node.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var out, notices bytes.Buffer
	o := &delivery{export: "otlp"}
	o.output.format = "names"
	if err := o.deliver(t.Context(), &streams{out: &out, err: &notices}, recording); err != nil {
		t.Fatal(err)
	}
	if want := int64(len(recording.Requests[0].Calls)); received.Load() != want {
		t.Errorf("%d spans received, want %d", received.Load(), want)
	}
	if !strings.HasPrefix(out.String(), "# GET /api/v1/nodes/n1 -> 200\n") || !strings.HasPrefix(notices.String(), "sent ") {
		t.Errorf("printed %.80q, and noticed %q", out.String(), notices.String())
	}
}
