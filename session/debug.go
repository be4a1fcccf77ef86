package session

import (
	"context"
	"log/slog"

	"github.com/kubeapitrace/apitrace/apiserver"
)

// A session logs to log/slog at debug level: the server that it looks for, attaches to or
// starts, and each fetched trace. It never logs credentials.

func logWanted(o ServerOptions, key string) {
	slog.Debug("looking for a running server", "release", o.Version, "build", key, "check", o.Check, "reuse", int(o.Reuse))
}

func logServer(ctx context.Context, what string, server *apiserver.Server) {
	slog.DebugContext(ctx, what, "url", server.BaseURL, "release", server.K8sVersion, "etcd", server.EtcdVersion, "folder", server.RunDir)
}
