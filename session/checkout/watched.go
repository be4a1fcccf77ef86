package checkout

import (
	"context"
	"path/filepath"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/session"
)

// A watchedCheckout is the checkout that kube-apiserver is built from.
type watchedCheckout struct {
	top, version string
	to           session.Reporter
}

func (c watchedCheckout) dir() string { return c.top }

func (c watchedCheckout) folders() ([]string, error) { return apiserver.CheckoutFolders(c.version) }

func (c watchedCheckout) changed(ctx context.Context) (watchedSource, bool, error) {
	version, err := versionOf(ctx, c.top, c.to)
	same := version == c.version
	c.version = version
	return c, same, err
}

func (c watchedCheckout) options(o session.ServerOptions) session.ServerOptions {
	o.Version = c.version
	return o
}

// A watchedOwn is the folder of the API server behind the aggregator.
type watchedOwn struct {
	server session.ServerOptions
	// key identifies the files; see session.ServerOptions.OwnKey.
	key string
}

func takeOwn(ctx context.Context, o session.ServerOptions) (watchedSource, error) {
	key, err := o.OwnKey(ctx)
	return watchedOwn{o, key}, err
}

func (o watchedOwn) dir() string { return filepath.Clean(o.server.Own.Server) }

func (o watchedOwn) folders() ([]string, error) { return apiserver.OwnFolders(o.server.Own) }

func (o watchedOwn) changed(ctx context.Context) (watchedSource, bool, error) {
	key, err := o.server.OwnKey(ctx)
	return watchedOwn{o.server, key}, key == o.key, err
}

// options returns the options of o: in every state, the source is in the same folder.
func (o watchedOwn) options(session.ServerOptions) session.ServerOptions { return o.server }
