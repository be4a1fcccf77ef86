package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/trace"
)

// TestRunExports checks that a delivery with the export "otlp" prints the trace and sends
// each of its spans.
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
	o := &output.Delivery{Export: "otlp"}
	o.Output.Format = "names"
	if err := o.Deliver(t.Context(), &console.Streams{Out: &out, Err: &notices}, recording); err != nil {
		t.Fatal(err)
	}
	if want := int64(len(recording.Requests[0].Calls)); received.Load() != want {
		t.Errorf("%d spans received, want %d", received.Load(), want)
	}
	if !strings.HasPrefix(out.String(), "# GET /api/v1/nodes/n1 -> 200\n") || !strings.HasPrefix(notices.String(), "sent ") {
		t.Errorf("printed %.80q with the notices %q, expected the request and the notice \"sent …\"", out.String(), notices.String())
	}
}

// TestDeliverShowsWhatIsNotSaved checks that a trace that cannot be saved, such as on a
// full disk, is still shown.
func TestDeliverShowsWhatIsNotSaved(t *testing.T) {
	recording, err := trace.Load("testdata/get-node.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var out, notices bytes.Buffer
	o := &output.Delivery{Save: filepath.Join(t.TempDir(), "gone", "saved.jsonl")}
	o.Output.Format = "names"
	err = o.Deliver(t.Context(), &console.Streams{Out: &out, Err: &notices}, recording)
	if err == nil || !strings.Contains(err.Error(), "saving ") {
		t.Errorf("got the error %v, expected one that contains \"saving \"", err)
	}
	if !strings.HasPrefix(out.String(), "# GET /api/v1/nodes/n1 -> 200\n") || notices.Len() > 0 {
		t.Errorf("printed %.80q with the notices %q, expected the request and no notice", out.String(), notices.String())
	}
}
