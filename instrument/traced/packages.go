package traced

import (
	"go/build"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	modpath "golang.org/x/mod/module"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
)

// ParsePackages parses the names of packages to trace, in the form of
// funcname.ParsePackages. It returns a message.UsageError for the first invalid name.
func ParsePackages(names []string) ([]instrument.Packages, error) {
	var all []instrument.Packages
	for _, name := range names {
		packages := funcname.ParsePackages(name)
		if err := modpath.CheckImportPath(packages.Path); err != nil {
			return nil, message.UsageErrorf("--trace %q: expected the import path of a package, such as %q, or of several, such as %q: %w", name, examplePackage, exampleTree, err)
		}
		all = append(all, instrument.Packages{Path: packages.Path, Recursive: packages.Recursive})
	}
	return all, nil
}

const (
	examplePackage = "k8s.io/kubernetes/pkg/api/pod"
	exampleTree    = "k8s.io/kubernetes/pkg/api/..."
)

// PackagesIn returns the entries with a package in a vendor folder.
func PackagesIn(vendor string, all []instrument.Packages) []instrument.Packages {
	return slices.DeleteFunc(slices.Clone(all), func(p instrument.Packages) bool { return !hasPackage(vendor, p) })
}

// hasPackage reports whether a vendor folder has a package of an entry. The package must
// have a file that is compiled for this machine.
func hasPackage(vendor string, p instrument.Packages) bool {
	top, has := filepath.Join(vendor, filepath.FromSlash(p.Path)), false
	_ = filepath.WalkDir(top, func(file string, d fs.DirEntry, err error) error { // an error counts as no file
		if err != nil || d.IsDir() && !p.Recursive && file != top {
			return fs.SkipDir
		}
		if has = !d.IsDir() && isCompiled(file); has {
			return fs.SkipAll
		}
		return nil
	})
	return has
}

// isCompiled reports whether a build for this machine compiles the file.
func isCompiled(file string) bool {
	target := build.Default
	target.CgoEnabled = false
	match, err := target.MatchFile(filepath.Split(file))
	return match && err == nil && strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go")
}

// CheckPackages returns a message.UsageError for the first entry without a package in any
// vendor folder. of names the programs of the folders.
func CheckPackages(all []instrument.Packages, of message.Message, vendors ...string) error {
	for _, p := range all {
		if slices.ContainsFunc(vendors, func(vendor string) bool { return hasPackage(vendor, p) }) {
			continue
		}
		near, err := nearPackages(p.Path, vendors)
		if err != nil {
			return err
		}
		next := message.Of("try %q, or %q for all packages below a path", examplePackage, exampleTree)
		if len(near) > 0 {
			next = message.Of("the nearest are %s", message.List(near))
		}
		if hasNoDomain(p.Path) {
			return message.UsageErrorf("--trace %q: an import path without a domain belongs to Go's standard library, which cannot be traced: expected the import path of a package that is compiled into %s; %s", p.Names().String(), of, next)
		}
		return message.UsageErrorf("--trace %q: no such package is compiled into %s: expected the import path of a package that is; %s", p.Names().String(), of, next)
	}
	return nil
}

// hasNoDomain reports whether the first element of an import path is not a domain. This
// is so in Go's standard library.
func hasNoDomain(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// nearPackages suggests up to three packages of vendor folders for a path. It returns
// packages with an import path that ends in "/" and the path. If there are none, it
// returns packages with similar import paths.
func nearPackages(path string, vendors []string) ([]string, error) {
	all, err := ListPackages(vendors...)
	if err != nil {
		return nil, err
	}
	ends := slices.DeleteFunc(slices.Clone(all), func(known string) bool { return !strings.HasSuffix(known, "/"+path) })
	if len(ends) > 0 {
		return ends[:min(3, len(ends))], nil
	}
	return text.Nearest(path, all, 3), nil
}

// ListPackages returns the import paths of the packages in vendor folders, sorted, each
// once. It leaves out packages without a file that is compiled for this machine.
func ListPackages(vendors ...string) ([]string, error) {
	found := map[string]bool{}
	for _, vendor := range vendors {
		err := filepath.WalkDir(vendor, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(vendor, filepath.Dir(file))
			if err != nil {
				return err
			}
			pkg := filepath.ToSlash(rel)
			found[pkg] = found[pkg] || isCompiled(file)
			return nil
		})
		if err != nil {
			return nil, message.Errorf("listing the packages in %s: %w", vendor, err)
		}
	}
	maps.DeleteFunc(found, func(_ string, compiled bool) bool { return !compiled })
	return slices.Sorted(maps.Keys(found)), nil
}

// alreadyTraced reports whether the guide already traces all packages of an entry.
func alreadyTraced(prog *instrument.ProgramGuide, version string, p instrument.Packages) bool {
	return slices.ContainsFunc(prog.Packages, func(known instrument.Packages) bool {
		all := known.Covers(p.Path) && (known.Recursive || !p.Recursive)
		excepts := slices.ContainsFunc(known.Except, func(except string) bool {
			return p.Covers(except) || funcname.Packages{Path: except, Recursive: true}.Has(p.Path)
		})
		return all && !excepts && known.Has(version)
	})
}

// withPackages returns the guide with more packages of the named program.
func withPackages(guide *instrument.Guide, name string, more []instrument.Packages) *instrument.Guide {
	prog := *guide.Programs[name]
	prog.Packages = slices.Concat(prog.Packages, more)
	// The guide may have steps for other programs in packages below these paths.
	prog.Partial = true
	adapted := *guide
	adapted.Programs = maps.Clone(guide.Programs)
	adapted.Programs[name] = &prog
	return &adapted
}
