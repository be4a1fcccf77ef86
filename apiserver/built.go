package apiserver

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/storage"
)

// A Stock describes the content of the cache for one release.
type Stock struct {
	// Built is set when BuildPrograms would find both programs, OtherBuild when
	// there is a traced kube-apiserver, but of another apitrace or another guide.
	Built, OtherBuild bool
	// EtcdVersion is the etcd that belongs to the release, "" if that is not known yet.
	EtcdVersion string
	// Size counts the bytes of its sources and builds, traced or plain. An etcd that
	// belongs to several releases counts for each of them.
	Size int64
}

// StockOf returns the content of the cache for a release. It does not use the network. entries
// are the entries of the cache.
func StockOf(ctx context.Context, version string, cache *program.Cache, entries []program.Entry) (Stock, error) {
	o := BuildOptions{Version: version, Cache: cache}
	entries = slices.DeleteFunc(slices.Clone(entries), func(e program.Entry) bool { return e.Program == "" })
	var stock Stock
	for _, e := range entries {
		if e.Program == Name && e.Version == version {
			stock.Size += e.Size
			stock.OtherBuild = stock.OtherBuild || e.Instrumented
		}
	}
	if stock.Size == 0 { // then what it is made of is not known without the network
		return stock, nil
	}
	pair, err := o.resolve(ctx)
	if err != nil {
		return stock, err
	}
	stock.EtcdVersion = pair.etcd.Release()
	for _, e := range entries {
		if e.Program == storage.Name && e.Version == pair.etcd.Version {
			stock.Size += e.Size
		}
	}
	if !stock.OtherBuild {
		return stock, nil
	}
	_, key, err := Key(ctx, o)
	if errors.As(err, new(*program.NeedsGoError)) { // nothing is there that can be used
		return stock, nil
	}
	if err != nil {
		return stock, err
	}
	has := func(name, part string) bool {
		return slices.ContainsFunc(entries, func(e program.Entry) bool {
			return e.Program == name && e.Key != "" && strings.HasPrefix(e.Key, part)
		})
	}
	stock.Built = has(Name, key[:16]) && has(storage.Name, key[16:])
	stock.OtherBuild = !stock.Built
	return stock, nil
}

// HasSample reports whether BuildSample would find the traced sample server of a release in the cache. It does not use the
// network. entries are the entries of the cache.
func HasSample(ctx context.Context, version string, cache *program.Cache, entries []program.Entry) (bool, error) {
	p, options, _, err := BuildOptions{Version: version, Cache: cache}.sample()
	if err != nil {
		return false, err
	}
	of := func(e program.Entry) bool {
		return e.Kind == program.KindBuild && e.Program == p.Name && e.Version == p.Version
	}
	if !slices.ContainsFunc(entries, of) { // then its module may not be known without the network
		return false, nil
	}
	key, err := program.Key(ctx, p, options)
	if errors.As(err, new(*program.NeedsGoError)) {
		return false, nil
	}
	return err == nil && slices.ContainsFunc(entries, func(e program.Entry) bool { return of(e) && e.Key == key }), err
}
