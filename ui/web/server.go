package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// Options set the content and the access of a server.
type Options struct {
	// Files are the user's recordings.
	Files []File
	// Source finds the sources; nil means the cached sources of this machine.
	Source SourceFolder
	// FetchSource fetches sources that Source does not find; nil downloads them into
	// the cache of this machine.
	FetchSource SourceFetcher
	// Answers keep the histories of scenarios for
	// later processes; nil keeps them only in memory.
	Answers *program.Answers
	// Token is the secret that clients must send; see newToken.
	Token string
	// Version is apitrace's version.
	Version string
	// Engine starts the servers of the live views; nil means real servers.
	Engine Engine
	// Grace is the time that the live servers stay after the last
	// listener of their events has left; 0 means ten seconds.
	Grace time.Duration

	// code is the one-time code of the browser that Run opens;
	// nil if Run opens none.
	code *code
}

// Serve serves until ctx is done. The listener must be on a loopback address;
// Serve closes it. At the end, running requests have a second to finish, and all
// live servers are stopped.
func Serve(ctx context.Context, listener net.Listener, o Options) error {
	at, ok := listener.Addr().(*net.TCPAddr)
	if !ok || !at.IP.IsLoopback() {
		return errors.Join(message.Errorf("listening on %s: expected an address that only this machine reaches, because the page shows the user's recordings", listener.Addr()), listener.Close())
	}
	live := newLive(o.Engine, &recordingStore{}, o.Grace)
	defer live.close()
	handler, err := newAPI(o, live).handler()
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	return serveHTTP(ctx, listener, newGuard(o.Token, o.code, at, handler))
}

// serveHTTP serves until ctx is done. Then running requests
// have a second to finish.
func serveHTTP(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog:    slog.NewLogLogger(slog.Default().Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := server.Shutdown(patience); err != nil {
		return server.Close()
	}
	return nil
}

// address returns the address of the page with a secret. kind is "token" or
// "code". The browser gets a cookie in exchange for the secret.
func address(at net.Addr, kind, secret string) string {
	return fmt.Sprintf("http://%s/?%s=%s", at, kind, secret)
}
