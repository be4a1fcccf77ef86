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

// Options set what to serve, and to whom.
type Options struct {
	// Files are the user's recordings.
	Files []File
	// Source finds the sources; nil means cachedSource.
	Source SourceFolder
	// Answers keep the histories of scenarios for later processes; nil keeps them in memory alone.
	Answers *program.Answers
	// Token is the secret that a client must have; see newToken.
	Token string
	// Version is that of apitrace.
	Version string
	// Engine starts the servers of the live views; nil means the real ones.
	Engine Engine
	// Grace is the time that those servers stay after the last listener of their events has left; 0 means ten seconds.
	Grace time.Duration

	// code lets in the browser that Run opens; nil if it opens none.
	code *code
}

// Serve serves until ctx is done. The listener must be on a loopback address; Serve closes it. Open requests then
// have a second to end, and the servers that were started are stopped.
func Serve(ctx context.Context, listener net.Listener, o Options) error {
	at, ok := listener.Addr().(*net.TCPAddr)
	if !ok || !at.IP.IsLoopback() {
		return errors.Join(message.Errorf("%s is not an address of this machine alone: the page shows the user's recordings", listener.Addr()), listener.Close())
	}
	live := newLive(o.Engine, &shelf{}, o.Grace)
	defer live.close()
	handler, err := newAPI(o, live).handler()
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	return serveHTTP(ctx, listener, newGuard(o.Token, o.code, at, handler))
}

// serveHTTP serves until ctx is done. Open requests then have a second to end.
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

// address returns the address of the page with a secret, the token or the code, which the server exchanges for a cookie.
func address(at net.Addr, kind, secret string) string {
	return fmt.Sprintf("http://%s/?%s=%s", at, kind, secret)
}
