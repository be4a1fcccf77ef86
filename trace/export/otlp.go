package export

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"os"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

const (
	protocolGRPC = "grpc"
	protocolHTTP = "http/protobuf"
)

// SendOTLP sends the recording's calls as spans to an OTLP receiver, and returns their
// number. See Sender.
func SendOTLP(ctx context.Context, rec *trace.Recording) (spans int, err error) {
	s, err := NewSender(ctx)
	if err != nil {
		return 0, err
	}
	spans, err = s.Send(ctx, rec)
	if closeErr := s.Close(context.WithoutCancel(ctx)); err == nil {
		err = closeErr
	}
	return spans, err
}

// A Sender sends recordings to an OTLP receiver. The standard OTEL_EXPORTER_OTLP_* variables set
// its address and protocol. The default address is http://localhost:4318 for http/protobuf and
// http://localhost:4317 for gRPC.
type Sender struct {
	client   otlptrace.Client
	exporter *otlptrace.Exporter
}

// NewSender connects to the receiver. The caller must call Close.
func NewSender(ctx context.Context) (*Sender, error) {
	client, err := otlpClient()
	if err != nil {
		return nil, err
	}
	exporter, err := otlptrace.New(ctx, client)
	if err != nil {
		return nil, message.Errorf("connecting to the OTLP receiver: %w", err)
	}
	return &Sender{client, exporter}, nil
}

// Send sends the recording's calls as spans, and returns their number. It returns when
// the receiver has accepted them, or with the first error. It is an error if the
// receiver rejects some spans. Send is safe for concurrent use.
func (s *Sender) Send(ctx context.Context, rec *trace.Recording) (spans int, err error) {
	b := &batcher{ctx: ctx, to: s.exporter}
	if err := errors.Join(trace.Export(ctx, rec, b), b.flush()); err != nil {
		return b.sent, message.Errorf("%w; is a receiver running? OTEL_EXPORTER_OTLP_ENDPOINT sets its address, OTEL_EXPORTER_OTLP_PROTOCOL the protocol (%s or %s)", err, protocolGRPC, protocolHTTP)
	}
	return b.sent, nil
}

// Check sends a message without spans. After an error, the receiver may still accept
// spans, because some receivers reject an empty message.
func (s *Sender) Check(ctx context.Context) error { return s.client.UploadTraces(ctx, nil) }

// Close closes the connection. It waits for the receiver until ctx ends.
func (s *Sender) Close(ctx context.Context) error { return s.exporter.Shutdown(ctx) }

// otlpClient returns the client for the protocol that the environment sets. The exporters read
// the other variables themselves.
func otlpClient() (otlptrace.Client, error) {
	variable := "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"
	if os.Getenv(variable) == "" {
		variable = "OTEL_EXPORTER_OTLP_PROTOCOL"
	}
	protocol := cmp.Or(os.Getenv(variable), protocolHTTP)
	// Without any variable, the exporters would use TLS. OpenTelemetry's specification, and
	// every local receiver, use plain text.
	noEndpoint := true
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"} {
		given := os.Getenv(name)
		if given == "" {
			continue
		}
		noEndpoint = false
		// With an invalid URL, the exporters would send to this machine.
		if u, err := url.Parse(given); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, message.Errorf("%s is %q: expected a URL such as http://localhost:4318", name, given)
		}
	}
	switch protocol {
	case protocolGRPC:
		if noEndpoint {
			return otlptracegrpc.NewClient(otlptracegrpc.WithEndpointURL("http://localhost:4317")), nil
		}
		return otlptracegrpc.NewClient(), nil
	case protocolHTTP:
		if noEndpoint {
			return otlptracehttp.NewClient(otlptracehttp.WithEndpointURL("http://localhost:4318/v1/traces")), nil
		}
		return otlptracehttp.NewClient(), nil
	}
	return nil, message.Errorf("%s asks for the protocol %q: expected %q or %q", variable, protocol, protocolGRPC, protocolHTTP)
}

// batchSize is the number of spans in one message, about 400 kB. Receivers accept 4
// MB.
const batchSize = 512

// A batcher is an sdktrace.SpanExporter that passes on many spans at a time. Unlike the
// SDK's batch processor, it drops no spans and hides no errors.
type batcher struct {
	// ctx is the context of Send. The SDK would export spans with its own context, so a
	// receiver could block Send.
	ctx   context.Context
	to    sdktrace.SpanExporter
	spans []sdktrace.ReadOnlySpan
	sent  int
	err   error
}

var _ sdktrace.SpanExporter = (*batcher)(nil)

func (b *batcher) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	b.spans = append(b.spans, spans...)
	if len(b.spans) < batchSize {
		return b.err
	}
	return b.flush()
}

// flush sends the collected spans. After an error it sends nothing more.
func (b *batcher) flush() error {
	if b.err != nil || len(b.spans) == 0 {
		return nil
	}
	if b.err = b.to.ExportSpans(b.ctx, b.spans); b.err != nil {
		return b.err
	}
	b.sent += len(b.spans)
	b.spans = nil
	return nil
}

// Shutdown does nothing: the Sender owns the exporter.
func (b *batcher) Shutdown(context.Context) error { return nil }
