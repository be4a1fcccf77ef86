package trace

import (
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
)

// More returns the packages in Edition that the user traced in addition, in the form of
// funcname.ParsePackages.
func (r *Recording) More() []string {
	if words := strings.Fields(r.Edition); len(words) > 1 {
		return words[1:]
	}
	return nil
}

// HasMore reports whether More names the package.
func (r *Recording) HasMore(pkg string) bool {
	return slices.ContainsFunc(r.More(), func(name string) bool { return funcname.ParsePackages(name).Has(pkg) })
}

// AddMore adds packages to the packages that More returns. Edition must be known.
func (r *Recording) AddMore(packages ...string) {
	all := slices.Concat(r.More(), packages)
	slices.Sort(all)
	r.Edition = strings.Join(append([]string{r.always()}, slices.Compact(all)...), " ")
}

// SameAlways reports whether two recordings have the same Edition, apart from the packages
// that More returns. It also returns true if an Edition is not known.
func (r *Recording) SameAlways(other *Recording) bool {
	return r.Edition == "" || other.Edition == "" || r.always() == other.always()
}

// always returns Edition without the packages that More returns.
func (r *Recording) always() string {
	edition, _, _ := strings.Cut(r.Edition, " ")
	return edition
}
