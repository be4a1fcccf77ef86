package room

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// A cacheStatus says which programs and sources the cache has for exercises with a
// server.
type cacheStatus struct {
	// servers are the traced kube-apiserver and etcd, sample is the traced sample
	// server, plain are upstream's servers.
	servers, sample, plain bool
	// otherBuild is set if there is a traced kube-apiserver that this apitrace, or this
	// version of Go, cannot use.
	otherBuild bool
	// source is set if the cache has the sources of all programs.
	source bool
}

// readCacheStatus returns the cacheStatus of a version. It does not use the network.
func readCacheStatus(ctx context.Context, version string) (s cacheStatus, err error) {
	cache, err := program.OpenCache("")
	if err != nil {
		return s, err
	}
	entries, err := cache.Entries(program.KindWorkspace, program.KindBuild)
	if err != nil {
		return s, err
	}
	has, err := apiserver.CacheStatusOf(ctx, version, cache, entries)
	if err != nil {
		return s, err
	}
	s.servers, s.otherBuild = has.Built, has.OtherBuild
	if s.sample, err = apiserver.HasBuild(ctx, sampleserver.Name, version, cache, entries); err != nil {
		return s, err
	}
	for _, e := range entries {
		if e.Kind == program.KindBuild && e.Program == apiserver.Name && e.Version == version && e.Complete && !e.Instrumented {
			s.plain = true
		}
	}
	s.source = true
	for _, p := range apiserver.Programs() {
		if _, err := apiserver.CachedTreeOf(p.Name, version, cache); errors.Is(err, program.ErrNoSource) {
			s.source = false
		} else if err != nil {
			return s, err
		}
	}
	return s, nil
}

// existing returns the folder, or the nearest existing folder above it.
func existing(folder string) string {
	for {
		if _, err := os.Stat(folder); err == nil || filepath.Dir(folder) == folder {
			return folder
		}
		folder = filepath.Dir(folder)
	}
}
