package workshop

import (
	"cmp"
	"maps"
	"slices"

	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// Available reports whether an exercise can be done with a release of Kubernetes: the
// exercise is valid for it, and apitrace has all needed recordings.
func (e *Exercise) Available(k8s string) (bool, error) {
	if !e.Releases.Has(k8s) {
		return false, nil
	}
	for _, s := range e.sources() {
		if has, err := recordings.Has(cmp.Or(s.K8s, k8s), s.Scenario); err != nil || !has {
			return false, err
		}
	}
	return true, nil
}

// Scenarios lists an exercise's scenarios, each once.
func (e *Exercise) Scenarios() []string {
	var names []string
	if e.Scenario != "" {
		names = append(names, e.Scenario)
	}
	for _, s := range e.sources() {
		if !slices.Contains(names, s.Scenario) {
			names = append(names, s.Scenario)
		}
	}
	return names
}

// sources lists the recordings that an exercise needs.
func (e *Exercise) sources() []Source {
	var all []Source
	if e.Scenario != "" && !e.Live() {
		all = append(all, Source{Scenario: e.Scenario})
	}
	for _, name := range slices.Sorted(maps.Keys(e.Also)) {
		all = append(all, e.Also[name])
	}
	return all
}
