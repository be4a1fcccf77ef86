// Package history follows a function through the recordings of several releases.
package history

import (
	"fmt"
	"maps"
	"path"
	"slices"

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
	// Functions are all that its recordings call.
	Functions []recordings.Function
	// Recorded are the scenarios with a recording, Missing those that the release could not run.
	Recorded []string
	Missing  []recordings.Missing
	// Code is what its source says, nil if that is not known.
	Code *recordings.Code
	// Load returns the release's recording of a scenario, or nil. Recordings are loaded only to compare two
	// neighbouring releases if one of them lacks a name.
	Load func(scenario string) (*trace.Recording, error)
}

// A State is the state of a function in a release.
type State int

// The states.
const (
	// Called: a recording calls it.
	Called State = iota
	// notCalled: its source has the function, with a span, and no recording calls it.
	notCalled
	// noSpan: its source has the function, without a span.
	noSpan
	// notTraced: its source has the function, in a package that no recorded program traces, as one that is not compiled any more.
	notTraced
	// notThere: no traced package of its source has the function.
	notThere
	// notSeen: no recording calls it, and nothing is known of the source, such as that of a module that was not available.
	notSeen
)

// An Appearance describes a function in one release.
type Appearance struct {
	Version string
	State   State
	// Name is the function's name in the release or, if it is missing there, in the neighbouring one.
	Name string
	// Beside is the neighbouring release's name of it if the release has a function of that name, too; "" otherwise. In the
	// recorded calls, one of the two took the place of the other.
	Beside string
	// Place is its file, with the line if a recording calls it; "" if it is not there.
	Place string
	// Spanless is why it has no span.
	Spanless recordings.Spanless
	// Scenarios are the scenarios that call it, sorted; Recorded counts the recorded ones.
	Scenarios []string
	Recorded  int
}

// Of follows a function through releases, the oldest first. query is its name in any of them, or
// the end of one. If the name changed, comparing recordings gives the new one. A function that no
// recording calls is looked up in the index of the sources. If query means no function or several, the
// error is a *trace.UnknownFunctionError or a *trace.AmbiguousFunctionError.
func Of(releases []Release, query string) ([]Appearance, error) {
	names, err := lineage.Load()
	if err != nil {
		return nil, err
	}
	h := &follower{releases: releases, names: names}
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
	for _, name := range found { // each must be a name of the same function
		if !slices.ContainsFunc(followed, func(a Appearance) bool { return a.Name == name }) {
			return nil, &trace.AmbiguousFunctionError{Query: query, Candidates: found}
		}
	}
	return followed, nil
}

// calledNames are the names of all functions that a recording calls, sorted.
func (h *follower) calledNames() []string {
	names := map[string]bool{}
	for _, called := range h.called {
		for name := range called {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// sourceNames are the names of all functions of the sources, sorted.
func (h *follower) sourceNames() []string {
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

type follower struct {
	releases []Release
	names    *lineage.Library
	called   []map[string]*recordings.Function
}

// follow starts in the newest release that has the name and goes from there in both
// directions.
func (h *follower) follow(name string) ([]Appearance, error) {
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
			// The numbers of literals shift with the source and tell nothing.
			if there != is && !isLiteral(there) && h.source(at, there) != nil {
				followed[at].Beside = there
			}
			is = there
			followed[at+step] = h.appearance(at+step, is)
		}
	}
	return followed, nil
}

func (h *follower) appearance(at int, name string) Appearance {
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

// source finds a function in the sources of all programs of a release.
func (h *follower) source(at int, name string) *recordings.Source {
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

// next returns the name in release to of a function of release at, its neighbour. If the name exists there, called or
// only in the source, it is assumed to be the same function. Otherwise, recordings of the scenarios that call it are
// compared. A function that is in none of them keeps its name, because it may return.
func (h *follower) next(at, to int, name string) (string, error) {
	const enough = 5 // scenarios; more would give the same result
	f := h.called[at][name]
	if f == nil || h.called[to][name] != nil || h.source(to, name) != nil {
		return name, nil
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
		if is := diff.CompareRecordings(rec, there, diff.Options{}).NameInB(name); is != "" {
			return is, nil
		}
	}
	return name, nil
}

func isLiteral(name string) bool {
	_, end := funcname.SplitLiteral(name)
	return end != ""
}
