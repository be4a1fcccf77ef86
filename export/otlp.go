package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/kubeapitrace/apitrace/trace"
)

const (
	protocolGRPC = "grpc"
	protocolHTTP = "http/protobuf"
)

// SendOTLP sends every call of the recording as a span to an OTLP receiver, and
// returns how many it sent. Where the receiver is and how to talk to it is said by
// the standard OTEL_EXPORTER_OTLP_* variables: without any, it is
// http://localhost:4318 by http/protobuf, or http://localhost:4317 by gRPC.
//
// It returns when the receiver has taken the spans, or with the first error; a
// receiver that rejects some of them is an error too.
func SendOTLP(ctx context.Context, rec *trace.Recording) (spans int, err error) {
	client, err := otlpClient()
	if err != nil {
		return 0, err
	}
	exporter, err := otlptrace.New(ctx, client)
	if err != nil {
		return 0, fmt.Errorf("connect to the OTLP receiver: %w", err)
	}
	b := &batcher{to: exporter}
	err = errors.Join(trace.Export(ctx, rec, b), b.flush(ctx))
	if stopErr := exporter.Shutdown(context.WithoutCancel(ctx)); err == nil {
		err = stopErr
	}
	if err != nil {
		return b.sent, fmt.Errorf("%w; is a receiver there? OTEL_EXPORTER_OTLP_ENDPOINT says where, OTEL_EXPORTER_OTLP_PROTOCOL how (%s or %s)", err, protocolGRPC, protocolHTTP)
	}
	return b.sent, nil
}

// otlpClient returns the client for the protocol that the environment asks for. The
// exporters read the other variables themselves.
func otlpClient() (otlptrace.Client, error) {
	const variable = "OTEL_EXPORTER_OTLP_PROTOCOL"
	protocol := cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), os.Getenv(variable), protocolHTTP)
	// The exporters would talk TLS to this machine where nothing is said; OpenTelemetry's
	// specification, and every receiver on a laptop, does not.
	nowhere := cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT")) == ""
	switch protocol {
	case protocolGRPC:
		if nowhere {
			return otlptracegrpc.NewClient(otlptracegrpc.WithEndpointURL("http://localhost:4317")), nil
		}
		return otlptracegrpc.NewClient(), nil
	case protocolHTTP:
		if nowhere {
			return otlptracehttp.NewClient(otlptracehttp.WithEndpointURL("http://localhost:4318/v1/traces")), nil
		}
		return otlptracehttp.NewClient(), nil
	}
	return nil, fmt.Errorf("%s asks for the protocol %q: expected %q or %q", variable, protocol, protocolGRPC, protocolHTTP)
}

// batchSize is how many spans go into one message: some 400 kB of the 4 MB that
// receivers take.
const batchSize = 512

// A batcher is an sdktrace.SpanExporter that gathers spans and passes them on many
// at a time. Unlike the SDK's batch processor it drops none and hides no error.
type batcher struct {
	to    sdktrace.SpanExporter
	spans []sdktrace.ReadOnlySpan
	sent  int
	err   error
}

var _ sdktrace.SpanExporter = (*batcher)(nil)

func (b *batcher) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	b.spans = append(b.spans, spans...)
	if len(b.spans) < batchSize {
		return b.err
	}
	return b.flush(ctx)
}

// flush sends what was gathered. After an error it sends nothing more.
func (b *batcher) flush(ctx context.Context) error {
	if b.err != nil || len(b.spans) == 0 {
		return nil
	}
	if b.err = b.to.ExportSpans(ctx, b.spans); b.err != nil {
		return b.err
	}
	b.sent += len(b.spans)
	b.spans = nil
	return nil
}

// Shutdown leaves the exporter to who made it.
func (b *batcher) Shutdown(context.Context) error { return nil }
