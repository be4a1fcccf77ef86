package controlplane

import (
	"context"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/instrument/traced"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// SourceOf returns the source of one of AllPrograms for a version of Kubernetes. It fetches
// the source if necessary. It builds nothing.
func SourceOf(ctx context.Context, programName string, o apiserver.BuildOptions) (*traced.Source, error) {
	p, err := named(programName)
	if err != nil {
		return nil, err
	}
	o.Plain = true // the source is the same
	recipe, err := apiserver.RecipeOf(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return recipe.Source(ctx)
}

// CachedSourceOf returns the folder of SourceOf if it is in the cache, else
// program.ErrNoSource. It fetches nothing. See apiserver.CachedSource.
func CachedSourceOf(programName, version string, c *program.Cache) (dir string, err error) {
	p, err := named(programName)
	if err != nil {
		return "", err
	}
	return apiserver.CachedSource(p, version, c)
}

// CachedTreeOf is CachedSourceOf, but returns program.ErrNoSource also for an optional program
// without a folder of its own in the cache.
func CachedTreeOf(programName, version string, c *program.Cache) (dir string, err error) {
	p, err := named(programName)
	if err != nil {
		return "", err
	}
	return apiserver.CachedTree(p, version, c)
}

// Enclosing is a search.Enclosing that reads the sources in the cache.
func Enclosing(programName, version, file string, line int) (name string, begins int, err error) {
	dir, err := CachedTreeOf(programName, version, nil)
	if err != nil {
		return "", 0, err
	}
	f, err := (&source.Tree{Program: programName, Version: version, Dir: dir}).At(file, line)
	if f == nil || err != nil {
		return "", 0, err
	}
	return f.Name, f.Line, nil
}

// Declared is a gates.Declared that reads the sources in the cache.
func Declared(programName, version, function string) (file string, line int, err error) {
	dir, err := CachedTreeOf(programName, version, nil)
	if err != nil {
		return "", 0, err
	}
	f, err := (&source.Tree{Program: programName, Version: version, Dir: dir}).Function(function)
	if err != nil {
		return "", 0, err
	}
	return f.File, f.Line, nil
}

// named returns one of AllPrograms. For an unknown program, the error is program.ErrNoSource.
func named(name string) (traced.Program, error) {
	p, ok := traced.Find(AllPrograms(), name)
	if !ok {
		return traced.Program{}, message.Errorf("%s: %w", name, program.ErrNoSource)
	}
	return p, nil
}
