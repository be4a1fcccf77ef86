package instrument

import (
	"errors"
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
)

// A packageDir is a package of the vendor tree.
type packageDir struct {
	path, dir string
	// linkOnly is set for a package that is not instrumented. It has a function where a
	// trace changes processes or goroutines.
	linkOnly bool
}

// findPackages lists the packages to rewrite, ordered by import path.
func findPackages(opts Options, prog *ProgramGuide) ([]packageDir, error) {
	found := map[string]packageDir{}
	for _, entry := range prog.Packages {
		if !entry.Has(opts.Version) {
			continue
		}
		paths, err := entry.find(opts.Vendor)
		if err != nil {
			return nil, fmt.Errorf("instrumenting %s %s: %w", opts.Program, opts.Version, err)
		}
		for _, path := range paths {
			found[path] = packageDir{path: path, dir: filepath.Join(opts.Vendor, filepath.FromSlash(path))}
		}
	}
	for _, name := range newPlan(opts, prog).links() {
		path := funcname.Package(name)
		dir := filepath.Join(opts.Vendor, filepath.FromSlash(path))
		if _, ok := found[path]; ok {
			continue
		}
		if _, err := os.Stat(dir); err == nil { // else its function is reported as missing
			found[path] = packageDir{path: path, dir: dir, linkOnly: true}
		}
	}
	var all []packageDir
	for _, p := range found {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b packageDir) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

// find lists the import paths that an entry of the guide covers.
func (entry Packages) find(vendor string) ([]string, error) {
	var paths []string
	top := filepath.Join(vendor, filepath.FromSlash(entry.Path))
	err := filepath.WalkDir(top, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(vendor, file)
		if err != nil {
			return err
		}
		path := filepath.ToSlash(rel)
		if d.IsDir() {
			if slices.Contains(entry.Except, path) || d.Name() == "testdata" || !entry.Recursive && path != entry.Path {
				return filepath.SkipDir
			}
			return nil
		}
		if dir := filepath.ToSlash(filepath.Dir(rel)); isSource(d.Name()) && !slices.Contains(paths, dir) {
			paths = append(paths, dir)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(paths) == 0 {
		return nil, fmt.Errorf("there is no package %q, which the guide names: if another release has it, give the entry \"since\" or \"until\"", entry.Path)
	}
	return paths, err
}

func isSource(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
}

// target returns the build context of the programs: this machine, without cgo, so that a
// machine with only Go can build them.
func target() *build.Context {
	ctx := build.Default
	ctx.CgoEnabled = false
	return &ctx
}

// sourceFiles lists the files of a package that a build for the target uses.
func sourceFiles(ctx *build.Context, dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if e.IsDir() || !isSource(e.Name()) {
			continue
		}
		match, err := ctx.MatchFile(dir, e.Name())
		if err != nil {
			return nil, err
		}
		if match {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files, nil
}
