package trace

import (
	"bufio"
	"context"
	"io"

	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// WriteStdout writes the spans in the form of OpenTelemetry's stdout exporter:
// one JSON object for each span, in order of entry.
func WriteStdout(ctx context.Context, w io.Writer, rec *Recording) error {
	out := bufio.NewWriter(w)
	exporter, err := stdouttrace.New(stdouttrace.WithWriter(out), stdouttrace.WithPrettyPrint())
	if err != nil {
		return message.Errorf("exporting spans to stdout: %w", err)
	}
	if err := Export(ctx, rec, exporter); err != nil {
		return err
	}
	return out.Flush()
}
