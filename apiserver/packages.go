package apiserver

import (
	"context"
	"errors"
	"slices"

	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/traced"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/storage"
)

// CheckTrace returns a message.UsageError if o.Trace names a package that no program
// has. The programs are kube-apiserver, its etcd and, unless own is zero, the user's own
// server.
// CheckTrace fetches the sources if necessary. With o.Dry, it fetches nothing, and returns
// nil if a source is missing.
func CheckTrace(ctx context.Context, own serverconfig.Own, o BuildOptions) error {
	all, err := traced.ParsePackages(o.Trace)
	if err != nil || len(all) == 0 {
		return err
	}
	options, err := o.traced(ctx)
	if err != nil {
		return err
	}
	of := message.Of("Kubernetes %s and its etcd", options.Version)
	options.Plain, o.Plain = true, true // the source is the same
	recipes := []func() (*traced.Recipe, error){
		func() (*traced.Recipe, error) { return kubeAPIServer.Recipe(options) },
		func() (*traced.Recipe, error) { return storage.Traced.Recipe(options) },
	}
	if !own.IsZero() {
		of = message.Of("Kubernetes %s, its etcd and %s", options.Version, own.Server)
		recipes = append(recipes, func() (*traced.Recipe, error) { return OwnRecipe(ctx, own, o) })
	}
	var dirs []string
	for _, recipeOf := range recipes { // kube-apiserver first: its source says which etcd it needs
		recipe, err := recipeOf()
		if err != nil {
			return err
		}
		dir, err := o.sourceDir(ctx, recipe)
		if errors.Is(err, program.ErrNoSource) {
			return nil
		}
		if err != nil {
			return err
		}
		dirs = append(dirs, dir)
	}
	return traced.CheckPackages(all, of, dirs...)
}

// CachedPackages lists the packages of kube-apiserver and its etcd that
// BuildOptions.Trace can name. It leaves out a program without source in the cache.
// k8s has a form that ParseVersion accepts.
func CachedPackages(k8s string) ([]string, error) {
	version, err := ParseVersion(k8s)
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, p := range []traced.Program{kubeAPIServer, storage.Traced} {
		dir, err := CachedTreeOf(p.Name, version, nil)
		if err == nil {
			dirs = append(dirs, dir)
		} else if !errors.Is(err, program.ErrNoSource) {
			return nil, err
		}
	}
	return traced.ListPackages(dirs...)
}

// recipe returns how to build a program, which also traces those packages of o.Trace that it
// has.
func (o BuildOptions) recipe(ctx context.Context, p traced.Program, options traced.Options) (*traced.Recipe, error) {
	if len(o.Trace) > 0 && !o.Plain {
		var err error
		if p.More, err = o.packagesOf(ctx, p, options); err != nil {
			return nil, err
		}
	}
	return p.Recipe(options)
}

// packagesOf returns the packages of o.Trace that a program has. With o.Dry, it returns
// all of them for a program without source in the cache.
func (o BuildOptions) packagesOf(ctx context.Context, p traced.Program, options traced.Options) ([]instrument.Packages, error) {
	all, err := traced.ParsePackages(o.Trace)
	if err != nil {
		return nil, err
	}
	options.Plain = true // the source is the same
	recipe, err := p.Recipe(options)
	if err != nil {
		return nil, err
	}
	dir, err := o.sourceDir(ctx, recipe)
	if errors.Is(err, program.ErrNoSource) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	return traced.PackagesIn(dir, all), nil
}

// sourceDir returns the folder with the source of a recipe's program. It fetches the
// source if necessary. With o.Dry, it returns program.ErrNoSource instead.
func (o BuildOptions) sourceDir(ctx context.Context, recipe *traced.Recipe) (string, error) {
	dir, _, err := program.CachedSource(recipe.Cache, recipe.Program)
	if o.Dry || !errors.Is(err, program.ErrNoSource) {
		return dir, err
	}
	src, err := recipe.Source(ctx)
	if err != nil {
		return "", err
	}
	return src.Dir, nil
}

// unionOf returns the sorted names of all lists, each name once.
func unionOf(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}
