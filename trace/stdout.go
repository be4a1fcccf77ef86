package trace

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
)

// WriteStdout writes the spans as OpenTelemetry's stdout exporter shows them,
// one JSON object per span, in order of entry.
func WriteStdout(ctx context.Context, w io.Writer, rec *Recording) error {
	out := bufio.NewWriter(w)
	exporter, err := stdouttrace.New(stdouttrace.WithWriter(out), stdouttrace.WithPrettyPrint())
	if err != nil {
		return fmt.Errorf("stdout exporter of spans: %w", err)
	}
	if err := Export(ctx, rec, exporter); err != nil {
		return err
	}
	return out.Flush()
}
