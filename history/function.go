// Package history follows a function through the recordings of several releases.
package history

import (
	"maps"
	"slices"

	"github.com/kubeapitrace/apitrace/diff"
	"github.com/kubeapitrace/apitrace/source"
	"github.com/kubeapitrace/apitrace/trace"
)

// A Release is what was recorded of one release.
type Release struct {
	Version    string
	Recordings []*trace.Recording
}

// An Appearance tells of a function in one release.
type Appearance struct {
	Version string
	// Call is one of its calls; nil if no recording of the release has any.
	Call *trace.Call
	// Scenarios are those in which it is called, by name.
	Scenarios []string
}

// Of follows a function through releases, which are given oldest first. The query is its
// name in any of them, or the end of one; where the name changed, the recordings tell.
// If no function or several go by it, the error is one of package source.
func Of(releases []Release, query string) ([]Appearance, error) {
	h := &follower{releases: releases}
	for _, r := range releases {
		h.calls = append(h.calls, callsOf(r))
	}
	names := map[string]bool{}
	for _, calls := range h.calls {
		for name := range calls {
			names[name] = true
		}
	}
	all := slices.Sorted(maps.Keys(names))
	found := source.Match(query, all)
	if len(found) == 0 {
		return nil, &source.UnknownError{Query: query, Where: "the recordings", Near: source.Near(query, all)}
	}
	path, err := h.follow(found[len(found)-1])
	if err != nil {
		return nil, err
	}
	for _, name := range found { // each has to be a name of the one function
		if !slices.ContainsFunc(path, func(a Appearance) bool { return a.Call != nil && a.Call.Function == name }) {
			return nil, &source.AmbiguousError{Query: query, Candidates: found}
		}
	}
	return path, nil
}

// A called function is called in some scenarios of a release.
type called struct {
	first     *trace.Call
	scenarios []*trace.Recording
}

func callsOf(r Release) map[string]*called {
	all := map[string]*called{}
	for _, rec := range r.Recordings {
		for i := range rec.Requests {
			for j := range rec.Requests[i].Calls {
				call := &rec.Requests[i].Calls[j]
				c := all[call.Function]
				if c == nil {
					c = &called{first: call}
					all[call.Function] = c
				}
				if last := len(c.scenarios) - 1; last < 0 || c.scenarios[last] != rec {
					c.scenarios = append(c.scenarios, rec)
				}
			}
		}
	}
	return all
}

type follower struct {
	releases []Release
	calls    []map[string]*called
}

// follow starts in the newest release that has the name and goes from there in both
// directions.
func (h *follower) follow(name string) ([]Appearance, error) {
	start := len(h.releases) - 1
	for h.calls[start][name] == nil {
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
	a := Appearance{Version: h.releases[at].Version}
	if c := h.calls[at][name]; c != nil {
		a.Call = c.first
		for _, rec := range c.scenarios {
			a.Scenarios = append(a.Scenarios, rec.Scenario)
		}
	}
	return a
}

// next returns what a function of release at is called in release to, next to it. A name
// that is there is taken to be the same; where it is not, the scenarios that call it are
// compared. What is in none of them keeps its name: it may come back.
func (h *follower) next(at, to int, name string) (string, error) {
	const enough = 5 // scenarios; others would say the same
	c := h.calls[at][name]
	if c == nil || h.calls[to][name] != nil {
		return name, nil
	}
	for _, rec := range c.scenarios[:min(enough, len(c.scenarios))] {
		there := h.recording(to, rec.Scenario)
		if there == nil {
			continue
		}
		comparison, err := diff.CompareRecordings(rec, there)
		if err != nil {
			return "", err
		}
		if is := comparison.NameInB(name); is != "" {
			return is, nil
		}
	}
	return name, nil
}

func (h *follower) recording(at int, scenario string) *trace.Recording {
	for _, rec := range h.releases[at].Recordings {
		if rec.Scenario == scenario {
			return rec
		}
	}
	return nil
}
