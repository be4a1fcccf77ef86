package redact

import (
	"io"
	"log/slog"
)

// Handler returns a handler that writes the debug log to w.
// It removes secrets, and the names that Local removes.
func Handler(w io.Writer) slog.Handler {
	return slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch a.Value.Kind() {
		case slog.KindString, slog.KindAny:
			if _, isLevel := a.Value.Any().(slog.Level); !isLevel {
				a.Value = slog.StringValue(Local().Text(a.Value.String()))
			}
			if a.Value.String() != "" && secret.MatchString(a.Key) {
				a.Value = slog.StringValue(hidden)
			}
		}
		return a
	}})
}
