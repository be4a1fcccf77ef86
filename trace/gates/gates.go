// Package gates looks up feature gates: their default in each release, the places in
// the sources that ask for them, the calls that depend on them, and the recorded
// scenarios that pass these places.
//
// Package diff does the reverse: for a call that only one side makes, it finds the gate
// that decided this.
package gates

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A Gate is a feature gate.
type Gate struct {
	Name string
	// Of has the defaults of each program with the gate, kube-apiserver first.
	Of []recordings.Gate
}

// Find returns the gate with a name, or nil.
func Find(name string) (*Gate, error) {
	return find(func(gate string) bool { return gate == name })
}

// FindAnyCase returns the gate with a name, ignoring case, or nil.
func FindAnyCase(name string) (*Gate, error) {
	return find(func(gate string) bool { return strings.EqualFold(gate, name) })
}

// find returns the first gate for whose name selects returns true, or nil.
func find(selects func(name string) bool) (*Gate, error) {
	all, err := load()
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(g *Gate) bool { return selects(g.Name) })
	if at < 0 {
		return nil, nil
	}
	return all[at], nil
}

// Search returns the gates with names that contain each word of query, ignoring case.
// Shorter names come first, so a gate whose whole name is query is the first.
func Search(query string) ([]*Gate, error) {
	all, err := load()
	if err != nil {
		return nil, err
	}
	words := strings.Fields(strings.ToLower(query))
	all = slices.DeleteFunc(all, func(g *Gate) bool {
		name := strings.ToLower(g.Name)
		return len(words) == 0 || slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(name, w) })
	})
	slices.SortStableFunc(all, func(a, b *Gate) int { // the name that equals the query is the shortest
		return cmp.Compare(len(a.Name), len(b.Name))
	})
	return all, nil
}

// Means reports whether query probably means the gate although other texts have it, too:
// the gate's name begins with query or has it with the same capital letters, as "FromCache",
// or query has several words.
func (g *Gate) Means(query string) bool {
	query = strings.TrimSpace(query)
	first, _ := utf8.DecodeRuneInString(query)
	return strings.HasPrefix(strings.ToLower(g.Name), strings.ToLower(query)) ||
		unicode.IsUpper(first) && strings.Contains(g.Name, query) || strings.ContainsFunc(query, unicode.IsSpace)
}

// load returns all gates, sorted by name.
func load() ([]*Gate, error) {
	of, err := recordings.Gates()
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(of, func(a, b recordings.Gate) int {
		other := func(g recordings.Gate) int { return min(1, len(strings.TrimPrefix(g.Program, trace.ProcessAPIServer))) }
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(other(a), other(b)))
	})
	var all []*Gate
	for _, g := range of {
		if len(all) > 0 && all[len(all)-1].Name == g.Name && sharesTable(&g, &all[len(all)-1].Of[0]) {
			continue
		}
		if len(all) == 0 || all[len(all)-1].Name != g.Name {
			all = append(all, &Gate{Name: g.Name})
		}
		last := all[len(all)-1]
		last.Of = append(last.Of, g)
	}
	return all, nil
}

// sharesTable reports whether the index has the same defaults of a gate for a program beside
// kube-apiserver as for kube-apiserver. The programs share upstream's table of gates
// (k8s.io/kubernetes/pkg/features), so such a gate is listed once.
func sharesTable(g, first *recordings.Gate) bool {
	if first.Program != trace.ProcessAPIServer || !trace.ProcessOf(g.Program).Beside {
		return false
	}
	for i, d := range g.Defaults {
		if d.Indexed && (d.Known != first.Defaults[i].Known || d.On != first.Defaults[i].On) {
			return false
		}
	}
	return true
}

// Newest returns the newest release that has the gate.
func (g *Gate) Newest() string {
	newest := -1
	for _, of := range g.Of {
		for r, d := range of.Defaults {
			if d.Known {
				newest = max(newest, r)
			}
		}
	}
	return g.Of[0].Defaults[newest].Release
}

// Has reports whether a release has the gate.
func (g *Gate) Has(release string) bool {
	return slices.ContainsFunc(g.Of, func(of recordings.Gate) bool {
		return slices.ContainsFunc(of.Defaults, func(d recordings.GateDefault) bool { return d.Release == release && d.Known })
	})
}

// A Span is a range of releases with the same default.
type Span struct {
	First, Last string
	recordings.GateDefault
}

// Spans joins neighboring releases with the same default. It keeps the order of defaults.
// A Span may also be of releases without the gate; see GateDefault.Known.
func Spans(defaults []recordings.GateDefault) []Span {
	var all []Span
	for _, d := range defaults {
		release := d.Release
		d.Release = ""
		if last := len(all) - 1; last >= 0 && all[last].GateDefault == d {
			all[last].Last = release
			continue
		}
		all = append(all, Span{First: release, Last: release, GateDefault: d})
	}
	return all
}
