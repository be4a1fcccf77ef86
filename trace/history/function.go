// Package history follows a function or a scenario through the recordings of
// several releases.
//
// Package lineage has the names in releases that were never recorded. Package diff
// compares two recordings.
package history

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/lineage"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A Release describes the recordings of one release.
type Release struct {
	Version string
	// Functions are the functions that its recordings call.
	Functions []recordings.Function
	// Recorded are the scenarios with a recording. Missing are the scenarios that
	// the release could not run.
	Recorded []string
	Missing  []recordings.Missing
	// Code is the index of the source, or nil if unknown.
	Code *recordings.Code
	// Load returns the release's recording of a scenario, or nil. It is called
	// only to compare two neighboring releases, if one of them lacks a name.
	Load func(scenario string) (*trace.Recording, error)
}

// A State is a function's state in a release.
type State int

// The states.
const (
	// Called: a recording calls the function.
	Called State = iota
	// notCalled: the source has the function, with a span, but no recording calls
	// it.
	notCalled
	// noSpan: the source has the function, without a span.
	noSpan
	// notTraced: the source has the function in an untraced package. For example,
	// the recorded programs no longer compile the package.
	notTraced
	// notThere: no traced package has the function.
	notThere
	// notSeen: no recording calls the function, and the source is not known: its
	// module was not available, for example.
	notSeen
)

// An Appearance describes a function in one release.
type Appearance struct {
	Version string
	State   State
	// Name is the function's name in the release. If the release lacks the
	// function, it is the name in the neighboring release.
	Name string
	// Beside is the function's name in a neighboring release, if this release has
	// both a function Name and a function Beside. In the recorded calls, one of
	// them took the other's place. Otherwise Beside is "".
	Beside string
	// Place is the function's file, with the line if a recording calls it. It is
	// "" if the release lacks the function.
	Place string
	// Spanless is why the function has no span.
	Spanless recordings.Spanless
	// Scenarios are the scenarios that call the function, sorted. Recorded is the
	// number of recorded scenarios.
	Scenarios []string
	Recorded  int
}

// Of follows a function through releases, the oldest first. query is its name in
// any of them, or the end of such a name. If the name changed, Of compares
// recordings to find the new one. If no recording calls the function, Of looks it
// up in the index of the sources. If query matches no function or several, the
// error is a *trace.UnknownFunctionError or a *trace.AmbiguousFunctionError.
func Of(releases []Release, query string) ([]Appearance, error) {
	names, err := lineage.Load()
	if err != nil {
		return nil, err
	}
	h := &nameHistory{releases: releases, names: names}
	for _, r := range releases {
		h.called = append(h.called, byName(r.Functions))
	}
	all := h.calledNames()
	found := trace.FindFunctions(query, all)
	if len(found) == 0 {
		found = trace.FindFunctions(query, h.sourceNames())
	}
	if len(found) == 0 {
		return nil, &trace.UnknownFunctionError{Query: query, Where: message.Of("the recordings and the traced sources"), Near: lineage.Near(query, all)}
	}
	followed, err := h.follow(found[len(found)-1])
	if err != nil {
		return nil, err
	}
	for _, name := range found { // all must be names of the same function
		if !slices.ContainsFunc(followed, func(a Appearance) bool { return a.Name == name }) {
			return nil, &trace.AmbiguousFunctionError{Query: query, Candidates: found}
		}
	}
	return followed, nil
}

// NameIn returns the full name of a function in a release. name is its full name
// in another release. It returns "" if no traced package of the release has the
// function, or if the release was not recorded.
func NameIn(name, release string) (string, error) {
	releases, err := Releases()
	if err != nil {
		return "", err
	}
	return NameAmong(releases, name, release)
}

// NameAmong is NameIn for releases that the caller has.
func NameAmong(releases []Release, name, release string) (string, error) {
	at := slices.IndexFunc(releases, func(r Release) bool { return semver.MajorMinor(r.Version) == semver.MajorMinor(release) })
	if at < 0 {
		return "", nil
	}
	appearances, err := Of(releases, name)
	if errors.As(err, new(*trace.UnknownFunctionError)) || errors.As(err, new(*trace.AmbiguousFunctionError)) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	switch is := appearances[at]; is.State {
	case Called, notCalled, noSpan:
		return is.Name, nil
	}
	return "", nil
}

// calledNames returns all functions that a recording calls, sorted.
func (h *nameHistory) calledNames() []string {
	names := map[string]bool{}
	for _, called := range h.called {
		for name := range called {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// sourceNames returns all functions in the sources, sorted.
func (h *nameHistory) sourceNames() []string {
	names := map[string]bool{}
	for _, r := range h.releases {
		if r.Code == nil {
			continue
		}
		for _, program := range r.Code.Programs() {
			for _, f := range r.Code.Functions(program) {
				names[f.Name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func byName(functions []recordings.Function) map[string]*recordings.Function {
	all := map[string]*recordings.Function{}
	for i := range functions {
		all[functions[i].Name] = &functions[i]
	}
	return all
}

type nameHistory struct {
	releases []Release
	names    *lineage.Library
	called   []map[string]*recordings.Function
}

// follow starts in the newest release with the name and goes in both directions.
func (h *nameHistory) follow(name string) ([]Appearance, error) {
	start := len(h.releases) - 1
	for start > 0 && h.called[start][name] == nil && h.source(start, name) == nil {
		start--
	}
	followed := make([]Appearance, len(h.releases))
	followed[start] = h.appearance(start, name)
	for _, step := range []int{-1, 1} {
		is := name
		for at := start; at+step >= 0 && at+step < len(h.releases); at += step {
			there, err := h.next(at, at+step, is)
			if err != nil {
				return nil, err
			}
			// The numbers of literals shift with the source and have no meaning.
			if there != is && !isLiteral(there) && h.source(at, there) != nil {
				followed[at].Beside = there
			}
			is = there
			followed[at+step] = h.appearance(at+step, is)
		}
	}
	return followed, nil
}

func (h *nameHistory) appearance(at int, name string) Appearance {
	r := &h.releases[at]
	a := Appearance{Version: r.Version, Name: name, Recorded: len(r.Recorded)}
	source := h.source(at, name)
	switch f := h.called[at][name]; {
	case f != nil:
		a.Place, a.Scenarios = fmt.Sprintf("%s:%d", path.Base(f.File), f.Line), f.Scenarios
	case source != nil && source.Spanless == recordings.Spanned:
		a.State, a.Place = notCalled, source.File
	case source != nil:
		a.State, a.Place, a.Spanless = noSpan, source.File, source.Spanless
	case r.Code != nil && h.names.Has(lineage.Function, name, r.Version):
		a.State, a.Place = notTraced, h.names.File(lineage.Function, name, r.Version)
	case r.Code == nil || h.names.Unavailable(name, r.Version):
		a.State = notSeen
	default:
		a.State = notThere
	}
	return a
}

// source returns a function in the source of any program of a release, or nil.
func (h *nameHistory) source(at int, name string) *recordings.Source {
	code := h.releases[at].Code
	if code == nil {
		return nil
	}
	for _, program := range code.Programs() {
		if f := code.Function(program, name); f != nil {
			return f
		}
	}
	return nil
}

// next returns a function's name in release to. name is its name in release at, a
// neighbor of to. If release to calls the name, or has it in its source, next
// takes it for the same function. Otherwise next looks for a rename in the released
// sources, and then compares recordings of the scenarios that call the function.
// From the recordings, it accepts no function that has another name in release at,
// according to the sources. If next finds nothing, it returns name, because a
// release further on may have the function again.
func (h *nameHistory) next(at, to int, name string) (string, error) {
	const enough = 5 // scenarios; more would give the same result
	f := h.called[at][name]
	if f == nil || h.called[to][name] != nil || h.source(to, name) != nil {
		return name, nil
	}
	if is := h.renamed(name, to); is != "" && is != name && (h.called[to][is] != nil || h.source(to, is) != nil) {
		return is, nil
	}
	for _, scenario := range f.Scenarios[:min(enough, len(f.Scenarios))] {
		there, err := h.releases[to].Load(scenario)
		if err != nil {
			return "", err
		}
		if there == nil {
			continue
		}
		rec, err := h.releases[at].Load(scenario)
		if err != nil {
			return "", err
		}
		is := diff.CompareRecordings(rec, there, diff.Options{}).NameInB(name)
		if was := h.renamed(is, at); is != "" && (was == "" || was == name || was == is) {
			return is, nil
		}
	}
	return name, nil
}

// renamed returns a function's name in a release, as far as the released sources
// show. It returns "" for a literal, because the numbers of literals shift with
// the source.
func (h *nameHistory) renamed(name string, release int) string {
	if isLiteral(name) {
		return ""
	}
	return h.names.Current(lineage.Function, name, h.releases[release].Version)
}

func isLiteral(name string) bool {
	_, end := funcname.SplitLiteral(name)
	return end != ""
}
