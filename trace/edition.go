package trace

import (
	"slices"
	"strings"
)

// More returns the packages in Edition that the user had traced in addition: import
// paths, with "/..." for all packages at and below a path.
func (r *Recording) More() []string {
	if words := strings.Fields(r.Edition); len(words) > 1 {
		return words[1:]
	}
	return nil
}

// HasMore reports whether a package is one of More.
func (r *Recording) HasMore(pkg string) bool {
	return slices.ContainsFunc(r.More(), func(name string) bool { return InPackages(pkg, name) })
}

// InPackages reports whether a package is one of packages: an import path, or an import
// path and "/..." for all packages at and below it.
func InPackages(pkg, packages string) bool {
	path, recursive := strings.CutSuffix(packages, "/...")
	return pkg == path || recursive && strings.HasPrefix(pkg, path+"/")
}

// AddMore adds packages to those that More returns. Edition must be known.
func (r *Recording) AddMore(packages ...string) {
	all := slices.Concat(r.More(), packages)
	slices.Sort(all)
	r.Edition = strings.Join(append([]string{r.always()}, slices.Compact(all)...), " ")
}

// SameAlways reports whether the packages that apitrace always traces are known to be
// the same in two recordings, or are not known.
func (r *Recording) SameAlways(other *Recording) bool {
	return r.Edition == "" || other.Edition == "" || r.always() == other.always()
}

// always returns the part of Edition about what apitrace always traces.
func (r *Recording) always() string {
	edition, _, _ := strings.Cut(r.Edition, " ")
	return edition
}
