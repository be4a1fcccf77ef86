package scenarios

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
)

// logSent logs a request and its answer's status at debug level.
func logSent(ctx context.Context, h *HTTP, traceID string, answer *http.Response, err error) {
	status := 0
	if err == nil {
		status = answer.StatusCode
	}
	path, _, _ := strings.Cut(h.Path, "?") // a query may hold private data
	slog.DebugContext(ctx, "sent a request", "id", traceID, "method", h.Method, "path", path, "as", h.asker(), "status", status, "error", err)
}
