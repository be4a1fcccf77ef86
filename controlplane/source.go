package controlplane

import (
	"context"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument/traced"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// SourceOf returns the source of one of Programs, or of one of apiserver.Programs, for a
// version of Kubernetes. It fetches the source if necessary. It builds nothing.
func SourceOf(ctx context.Context, programName string, o apiserver.BuildOptions) (*traced.Source, error) {
	p, ok := traced.Find(Programs(), programName)
	if !ok {
		return apiserver.SourceOf(ctx, programName, o)
	}
	o.Plain = true // the source is the same
	recipe, err := apiserver.RecipeOf(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return recipe.Source(ctx)
}

// CachedSourceOf is apiserver.CachedSourceOf, and knows Programs, too.
func CachedSourceOf(programName, version string, c *program.Cache) (dir string, err error) {
	if p, ok := traced.Find(Programs(), programName); ok {
		return apiserver.CachedSource(p, version, c)
	}
	return apiserver.CachedSourceOf(programName, version, c)
}

// CachedTreeOf is apiserver.CachedTreeOf, and knows Programs, too.
func CachedTreeOf(programName, version string, c *program.Cache) (dir string, err error) {
	if p, ok := traced.Find(Programs(), programName); ok {
		return apiserver.CachedTree(p, version, c)
	}
	return apiserver.CachedTreeOf(programName, version, c)
}
