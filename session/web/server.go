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
)

// Options say what is served, and to whom.
type Options struct {
	// Files are recordings of the user's own.
	Files []File
	// Source finds the sources; nil means cachedSource.
	Source SourceFolder
	// Token is what a browser must have; see newToken.
	Token string
	// Version is that of apitrace.
	Version string
	// Engine starts the servers of the live views; nil means the real ones.
	Engine Engine
	// Grace is how long those servers stay when nobody listens at their events any more; 0 means ten seconds.
	Grace time.Duration

	// code lets the browser in that is opened; nil: none is.
	code *code
}

// Serve serves until ctx is done. The listener must be on an address of this machine alone, and is closed in the
// end. Requests that are being answered then have a second to end, and the servers that were started are stopped.
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
	server := &http.Server{
		Handler:           newGuard(o.Token, o.code, at, handler),
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

// address is where a browser finds the page: with a secret, the token or the code, which becomes a cookie.
func address(at net.Addr, kind, secret string) string {
	return fmt.Sprintf("http://%s/?%s=%s", at, kind, secret)
}
