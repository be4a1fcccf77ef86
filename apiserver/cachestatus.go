package apiserver

import (
	"context"
	"slices"

	"github.com/kubeapitrace/apitrace/instrument/traced"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// A CacheStatus describes the contents of the cache for one release.
type CacheStatus struct {
	// Built is set if BuildPrograms would find both programs in the cache.
	// OtherBuild is set if Built is not, but the cache has a traced kube-apiserver of the
	// release, such as a build by another apitrace or with another guide.
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
	var status CacheStatus
	for _, e := range entries {
		if e.Program == Name && e.Version == version {
			status.Size += e.Size
			status.OtherBuild = status.OtherBuild || e.Instrumented
		}
	}
	if status.Size == 0 { // without the network, the release's etcd is not known
		return status, nil
	}
	apiserver, etcd, err := o.pair(ctx)
	if err != nil {
		return status, err
	}
	status.EtcdVersion = etcd.Program.Release()
	for _, e := range entries {
		if e.Program == etcd.Program.Name && e.Version == etcd.Program.Version {
			status.Size += e.Size
		}
	}
	if !status.OtherBuild {
		return status, nil
	}
	status.Built = true
	for _, recipe := range []*traced.Recipe{apiserver, etcd} {
		built, err := recipe.IsBuilt(ctx, entries)
		if err != nil {
			return status, err
		}
		status.Built = status.Built && built
	}
	status.OtherBuild = !status.Built
	return status, nil
}

// HasBuild reports whether the cache has a traced build of a program. name is the name of
// one of Programs. entries are the cache's entries. HasBuild does not use the network.
func HasBuild(ctx context.Context, name, version string, cache *program.Cache, entries []program.Entry) (bool, error) {
	recipe, err := Recipe(ctx, name, BuildOptions{Version: version, Cache: cache})
	if err != nil {
		return false, err
	}
	return recipe.IsBuilt(ctx, entries)
}
