package lineage

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// A Found is one name of a function or type in the released sources.
type Found struct {
	Kind Kind
	// Name is the full name. First and Last are the oldest and the newest
	// release with this name.
	Name, First, Last string
	// Now is the full name in the newest release, as far as renames are known,
	// or "".
	Now string
	// Became says how the name ended, and in which release. It is empty if the
	// newest release has the name.
	Became message.Message
}

// Search returns the functions and types that match a query in any release.
// Names that the newest release lacks come first. If nothing matches and
// partly is set, it returns names that contain the query, ignoring case. It
// leaves out a name if skip returns true.
func (l *Library) Search(query string, partly bool, skip func(name string) bool) []Found {
	query = WithoutArguments(query)
	if strings.Trim(query, ".*()/ ") == "" {
		return nil
	}
	var all []Found
	for _, kind := range []Kind{Function, Type} {
		for _, name := range l.Find(kind, query) {
			if !skip(name) {
				all = append(all, l.found(kind, name))
			}
		}
	}
	for _, kind := range []Kind{Function, Type} {
		if !partly || len(all) > 0 {
			break
		}
		names := slices.DeleteFunc(l.names(kind), skip)
		for _, name := range trace.MatchFunctions(query, names) {
			all = append(all, l.found(kind, name))
		}
	}
	slices.SortStableFunc(all, func(a, b Found) int {
		switch {
		case a.Became.IsZero() == b.Became.IsZero():
			return 0
		case b.Became.IsZero():
			return -1
		}
		return 1
	})
	return all
}

func (l *Library) found(kind Kind, name string) Found {
	newest := l.Releases[len(l.Releases)-1]
	stages := l.stages(kind, name)
	first, last := stages[0], stages[len(stages)-1]
	f := Found{Kind: kind, Name: name, First: l.Releases[first.First], Last: l.Releases[last.Last], Now: l.Current(kind, name, newest)}
	if last.Change != nil {
		f.Became = message.Of("%s: %s", l.Releases[last.Change.At], l.End(last.Change))
	}
	return f
}

// NearTypes returns the full names of a release's types, at most three, that
// are most similar to the query.
func (l *Library) NearTypes(query, release string) []string {
	var all []string
	for _, full := range l.names(Type) {
		if l.Has(Type, full, release) {
			all = append(all, full)
		}
	}
	return Near(query, all)
}

// Near returns up to three of the full names in names, the most similar to a
// query; see trace.NearFunctions. As in Library.Find, the query may begin with
// upstream's import name of a package.
func Near(query string, names []string) []string {
	found := trace.NearFunctions(query, names)
	alias, rest, ok := importName(query)
	if !ok {
		return found
	}
	packages := map[string]map[string][]string{} // full names by the last element of the package path, then by this element and the rest of the name
	for _, full := range names {
		pkg := funcname.Package(full)
		base := path.Base(pkg)
		if base == alias || !strings.HasSuffix(alias, base) {
			continue
		}
		if packages[base] == nil {
			packages[base] = map[string][]string{}
		}
		short := base + strings.TrimPrefix(full, pkg)
		packages[base][short] = append(packages[base][short], full)
	}
	bases := slices.Collect(maps.Keys(packages))
	slices.SortFunc(bases, func(a, b string) int { return cmp.Compare(len(b), len(a)) }) // the longest first; all are suffixes of the alias
	var all []string
	for _, base := range bases {
		for _, short := range trace.NearFunctions(base+"."+rest, slices.Collect(maps.Keys(packages[base]))) {
			all = append(all, packages[base][short]...)
		}
	}
	for _, full := range found {
		if !slices.Contains(all, full) {
			all = append(all, full)
		}
	}
	return all[:min(3, len(all))]
}
