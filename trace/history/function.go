// Package history follows a function through the recordings of several releases.
package history

import (
	"maps"
	"slices"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A Release is what was recorded of one release.
type Release struct {
	Version string
	// Functions are all that its recordings call.
	Functions []recordings.Function
	// Load gets its recording of a scenario, nil if there is none. Only where a name is not in the release next
	// to it, recordings are compared.
	Load func(scenario string) (*trace.Recording, error)
}

// An Appearance tells of a function in one release.
type Appearance struct {
	Version string
	// Function is nil if no recording of the release calls it.
	*recordings.Function
}

// Of follows a function through releases, which are given oldest first. The query is its
// name in any of them, or the end of one; where the name changed, the recordings tell.
// If no function or several go by it, the error is a
// *trace.UnknownFunctionError or a *trace.AmbiguousFunctionError.
func Of(releases []Release, query string) ([]Appearance, error) {
	h := &follower{releases: releases}
	for _, r := range releases {
		h.called = append(h.called, byName(r.Functions))
	}
	names := map[string]bool{}
	for _, called := range h.called {
		for name := range called {
			names[name] = true
		}
	}
	all := slices.Sorted(maps.Keys(names))
	found := trace.FindFunctions(query, all)
	if len(found) == 0 {
		return nil, &trace.UnknownFunctionError{Query: query, Where: "the recordings", Near: trace.NearFunctions(query, all)}
	}
	path, err := h.follow(found[len(found)-1])
	if err != nil {
		return nil, err
	}
	for _, name := range found { // each has to be a name of the one function
		if !slices.ContainsFunc(path, func(a Appearance) bool { return a.Function != nil && a.Name == name }) {
			return nil, &trace.AmbiguousFunctionError{Query: query, Candidates: found}
		}
	}
	return path, nil
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
	called   []map[string]*recordings.Function
}

// follow starts in the newest release that has the name and goes from there in both
// directions.
func (h *follower) follow(name string) ([]Appearance, error) {
	start := len(h.releases) - 1
	for h.called[start][name] == nil {
		start--
	}
	path := make([]Appearance, len(h.releases))
	path[start] = h.appearance(start, name)
	for _, step := range []int{-1, 1} {
		is := name
		for at := start; at+step >= 0 && at+step < len(h.releases); at += step {
			var err error
			if is, err = h.next(at, at+step, is); err != nil {
				return nil, err
			}
			path[at+step] = h.appearance(at+step, is)
		}
	}
	return path, nil
}

func (h *follower) appearance(at int, name string) Appearance {
	return Appearance{Version: h.releases[at].Version, Function: h.called[at][name]}
}

// next returns what a function of release at is called in release to, next to it. A name
// that is there is taken to be the same; where it is not, the scenarios that call it are
// compared. What is in none of them keeps its name: it may come back.
func (h *follower) next(at, to int, name string) (string, error) {
	const enough = 5 // scenarios; others would say the same
	f := h.called[at][name]
	if f == nil || h.called[to][name] != nil {
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
