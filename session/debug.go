package session

import (
	"context"
	"log/slog"

	"github.com/kubeapitrace/apitrace/apiserver"
)

// What a session does is logged at debug level by log/slog: which server is looked for, attached or started, and
// each trace that is fetched. Nothing that is logged is a credential.

func logWanted(o ServerOptions, key string) {
	slog.Debug("looking for a running server", "release", o.Version, "build", key, "check", o.Check, "reuse", int(o.Reuse))
}

func logServer(ctx context.Context, what string, server *apiserver.Server) {
	slog.DebugContext(ctx, what, "url", server.BaseURL, "release", server.K8sVersion, "etcd", server.EtcdVersion, "folder", server.RunDir)
}
