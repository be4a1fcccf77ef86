package apiserver

import (
	"context"
	"slices"

	"github.com/kubeapitrace/apitrace/instrument/traced"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// A CacheStatus describes the contents of the cache for one release.
type CacheStatus struct {
	// Built is set if BuildPrograms would find both programs.
	// OtherBuild is set if the cache has a traced kube-apiserver, but one by another
	// apitrace or with another guide.
	Built, OtherBuild bool
	// EtcdVersion is the etcd of the release; "" if it is not known yet.
	EtcdVersion string
	// Size counts the bytes of the release's sources and builds, traced or plain.
	// An etcd that several releases share counts for each of them.
	Size int64
}

// CacheStatusOf returns the contents of the cache for a release.
// entries are the cache's entries. CacheStatusOf does not use the network.
func CacheStatusOf(ctx context.Context, version string, cache *program.Cache, entries []program.Entry) (CacheStatus, error) {
	o := BuildOptions{Version: version, Cache: cache}
	entries = slices.DeleteFunc(slices.Clone(entries), func(e program.Entry) bool { return e.Program == "" })
	var stock CacheStatus
	for _, e := range entries {
		if e.Program == Name && e.Version == version {
			stock.Size += e.Size
			stock.OtherBuild = stock.OtherBuild || e.Instrumented
		}
	}
	if stock.Size == 0 { // then the release's etcd is not known without the network
		return stock, nil
	}
	apiserver, etcd, err := o.pair(ctx)
	if err != nil {
		return stock, err
	}
	stock.EtcdVersion = etcd.Program.Release()
	for _, e := range entries {
		if e.Program == etcd.Program.Name && e.Version == etcd.Program.Version {
			stock.Size += e.Size
		}
	}
	if !stock.OtherBuild {
		return stock, nil
	}
	stock.Built = true
	for _, recipe := range []*traced.Recipe{apiserver, etcd} {
		built, err := recipe.IsBuilt(ctx, entries)
		if err != nil {
			return stock, err
		}
		stock.Built = stock.Built && built
	}
	stock.OtherBuild = !stock.Built
	return stock, nil
}

// HasBuild reports whether the cache has a traced build of one of Programs.
// entries are the cache's entries. HasBuild does not use the network.
func HasBuild(ctx context.Context, name, version string, cache *program.Cache, entries []program.Entry) (bool, error) {
	recipe, err := Recipe(ctx, name, BuildOptions{Version: version, Cache: cache})
	if err != nil {
		return false, err
	}
	return recipe.IsBuilt(ctx, entries)
}
