package apiserver

import (
	"context"
	"errors"

	"github.com/kubeapitrace/apitrace/instrument/traced"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// SourceOf returns the source of one of Programs for a version of Kubernetes.
// It fetches the source if necessary. It builds nothing.
func SourceOf(ctx context.Context, programName string, o BuildOptions) (*traced.Source, error) {
	o.Plain = true // the source is the same
	recipe, err := Recipe(ctx, programName, o)
	if err != nil {
		return nil, err
	}
	return recipe.Source(ctx)
}

// CachedSource returns the folder with the source of a program for a version of Kubernetes if
// it is in the cache, else program.ErrNoSource. A nil cache means the default cache. It fetches
// nothing. If the folder of an optional program is not in the cache, CachedSource returns
// kube-apiserver's folder, which has the files that both programs share.
func CachedSource(p traced.Program, version string, c *program.Cache) (dir string, err error) {
	dir, err = CachedTree(p, version, c)
	if p.Optional && errors.Is(err, program.ErrNoSource) {
		return CachedTreeOf(Name, version, c)
	}
	return dir, err
}

// CachedTreeOf is CachedTree of one of Programs.
func CachedTreeOf(programName, version string, c *program.Cache) (dir string, err error) {
	p, ok := traced.Find(Programs(), programName)
	if !ok {
		return "", message.Errorf("%s: %w", programName, program.ErrNoSource)
	}
	return CachedTree(p, version, c)
}

// CachedTree is CachedSource, but returns program.ErrNoSource also for an optional program
// without a folder of its own in the cache.
func CachedTree(p traced.Program, version string, c *program.Cache) (dir string, err error) {
	if c == nil {
		if c, err = program.OpenCache(""); err != nil {
			return "", err
		}
	}
	found, err := cached(p, version, c)
	if err != nil {
		return "", err
	}
	dir, _, err = program.CachedSource(c, found)
	return dir, err
}

// cached returns the program p for a version of Kubernetes. It fetches nothing. If the cache
// lacks the needed facts about kube-apiserver, it returns program.ErrNoSource.
func cached(p traced.Program, version string, c *program.Cache) (program.Program, error) {
	return p.ForVersion(version, func() (program.Upstream, error) {
		_, up, err := program.CachedSource(c, Program(version))
		if up.Module == "" { // the cache may know the module without its source
			return up, err
		}
		return up, nil
	})
}
