package output

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/render/view"
	"github.com/kubeapitrace/apitrace/trace"
)

// A Filter selects the calls of a tree, as a user writes it in flags. The zero value selects all.
type Filter struct {
	// Layers are names of layers, or unambiguous beginnings of names.
	Layers []string
	// Functions and NotFunctions are patterns: see trace.MatchFunctions.
	Functions    []string
	NotFunctions []string
	MinDuration  time.Duration
	Errors       bool
	Etcd         bool
	// Grep is a regular expression.
	Grep string
}

// Layers lists the names of layers.
func Layers() ([]string, error) {
	guide, err := instrument.Load()
	if err != nil {
		return nil, err
	}
	return layerNames(guide), nil
}

// layerNames lists the guide's layers, each once.
func layerNames(guide *instrument.Guide) []string {
	var names []string
	for _, layer := range guide.Layers {
		if !slices.Contains(names, layer.Name) {
			names = append(names, layer.Name)
		}
	}
	return names
}

// parse returns the filter of package render. of is the recording to show, which must have a match for each
// name; nil if it is not known yet.
func (o *Filter) parse(guide *instrument.Guide, of *trace.Recording) (render.Filter, error) {
	f := render.Filter{MinDuration: o.MinDuration, Errors: o.Errors, Etcd: o.Etcd}
	var err error
	if f.Layers, err = matchingLayers(o.Layers, layerNames(guide)); err != nil {
		return f, err
	}
	if o.MinDuration < 0 {
		return f, usage.Errorf("--min-duration cannot be negative")
	}
	if f.Functions, err = matchers("--function", o.Functions, of); err != nil {
		return f, err
	}
	if f.NotFunctions, err = matchers("--not-function", o.NotFunctions, of); err != nil {
		return f, err
	}
	if o.Grep != "" {
		grep, err := regexp.Compile(o.Grep)
		if err != nil {
			return f, usage.Wrong(message.Errorf("--grep: %w", err))
		}
		f.Grep = grep
	}
	return f, nil
}

// matchingLayers returns the layers that are named: each by its name or by a beginning that only one of them has, in any case.
func matchingLayers(asked, known []string) ([]string, error) {
	var all []string
	for _, name := range asked {
		name = strings.ToLower(name)
		if slices.Contains(known, name) {
			all = append(all, name)
			continue
		}
		found := slices.DeleteFunc(slices.Clone(known), func(layer string) bool { return name == "" || !strings.HasPrefix(layer, name) })
		near := text.Nearest(name, known, 3)
		switch {
		case len(found) == 1:
			all = append(all, found[0])
		case len(found) > 1:
			return nil, usage.Errorf("--layer %q: expected the name of one layer: %s", name, message.Alternatives(found))
		case len(near) > 0:
			return nil, usage.Errorf("unknown layer %q: did you mean %s?", name, message.Alternatives(near))
		default:
			return nil, usage.Errorf("unknown layer %q: expected one or more of %s", name, message.List(known))
		}
	}
	return all, nil
}

// matchers returns matchers of the functions that patterns name. If the recording has no function for a
// pattern, the error lists similar names.
func matchers(flag string, patterns []string, of *trace.Recording) ([]view.Matcher, error) {
	var all []view.Matcher
	if of == nil {
		for _, p := range patterns {
			all = append(all, anyFunction(p))
		}
		return all, nil
	}
	names := of.Functions()
	var unknown error
	for _, p := range patterns {
		found := trace.MatchFunctions(p, names)
		if len(found) > 0 {
			all = append(all, functionSet(found))
		} else if unknown == nil {
			unknown = message.Errorf("%s: %w", flag, &trace.UnknownFunctionError{Query: p, Where: whatIs(of), Near: trace.NearFunctions(p, names)})
		}
	}
	if len(all) > 0 {
		unknown = nil
	}
	return all, unknown
}

// whatIs names a recording: "get-node of v1.37.1".
func whatIs(rec *trace.Recording) message.Message {
	if rec.Scenario == "" {
		return message.Of("the recording %s", rec.K8sVersion)
	}
	return message.Of("%s %s", rec.Scenario, rec.K8sVersion)
}

// A functionSet matches the functions that it holds.
type functionSet []string

// Match implements view.Matcher.
func (s functionSet) Match(function string) bool {
	_, found := slices.BinarySearch(s, function)
	return found
}

// anyFunction matches each function that a user may mean by it, without knowing which there are.
type anyFunction string

// Match implements view.Matcher.
func (p anyFunction) Match(function string) bool {
	return len(trace.MatchFunctions(string(p), []string{function})) > 0
}

// set reports whether any filter is set.
func (o *Filter) set() bool {
	return len(o.Layers)+len(o.Functions)+len(o.NotFunctions) > 0 || o.MinDuration > 0 || o.Errors || o.Etcd || o.Grep != ""
}
