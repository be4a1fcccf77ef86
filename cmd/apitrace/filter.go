package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/render/view"
	"github.com/kubeapitrace/apitrace/trace"
)

// filterOptions say which calls a tree is about. All commands that draw one have them.
type filterOptions struct {
	layers       []string
	functions    []string
	notFunctions []string
	minDuration  time.Duration
	errors       bool
	etcd         bool
	grep         string
}

func (o *filterOptions) addFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringSliceVar(&o.layers, "layer", nil, "show only these layers of the server, such as authorization,etcd3")
	flags.StringArrayVar(&o.functions, "function", nil, `show only functions of this name, full, short or a part of it, "*" or "..." standing for any text: "etcd3.(*store).Get", "rbac.*" (repeat for more)`)
	flags.StringArrayVar(&o.notFunctions, "not-function", nil, "do not show functions of this name (repeat for more)")
	flags.DurationVar(&o.minDuration, "min-duration", 0, "show only calls that took at least this long, such as 500us")
	flags.BoolVar(&o.errors, "errors", false, "show only calls that failed; of a request that failed, those that had a part in it")
	flags.BoolVar(&o.etcd, "etcd", false, "show only what runs in etcd and what leads there")
	flags.StringVar(&o.grep, "grep", "", "show only calls whose name, file:line, values or error match this regular expression")
	_ = command.RegisterFlagCompletionFunc("layer", completeLayer)
}

func completeLayer(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	guide, err := instrument.Load()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return layerNames(guide), cobra.ShellCompDirectiveNoFileComp
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

// filter returns what the flags ask for. of is the recording that is shown, in which each name must be found;
// nil if it is not known yet.
func (o *filterOptions) filter(guide *instrument.Guide, of *trace.Recording) (render.Filter, error) {
	f := render.Filter{MinDuration: o.minDuration, Errors: o.errors, Etcd: o.etcd}
	var err error
	if f.Layers, err = matchingLayers(o.layers, layerNames(guide)); err != nil {
		return f, err
	}
	if o.minDuration < 0 {
		return f, usage.Errorf("--min-duration cannot be negative")
	}
	if f.Functions, err = matchers("--function", o.functions, of); err != nil {
		return f, err
	}
	if f.NotFunctions, err = matchers("--not-function", o.notFunctions, of); err != nil {
		return f, err
	}
	if o.grep != "" {
		grep, err := regexp.Compile(o.grep)
		if err != nil {
			return f, usage.Wrong(fmt.Errorf("--grep: %w", err))
		}
		f.Grep = grep
	}
	return f, nil
}

// matchingLayers returns the layers that are named: each by its name or a part of it, in any case.
func matchingLayers(asked, known []string) ([]string, error) {
	var all []string
	for _, name := range asked {
		name = strings.ToLower(name)
		found := []string{name}
		if !slices.Contains(known, name) {
			found = slices.DeleteFunc(slices.Clone(known), func(layer string) bool { return name == "" || !strings.Contains(layer, name) })
		}
		if len(found) == 0 {
			return nil, usage.Errorf("unknown layer %q: expected some of %s", name, strings.Join(known, ", "))
		}
		all = append(all, found...)
	}
	return all, nil
}

// matchers finds the functions that patterns name. Where a recording has none of any, it is an
// error that names those that are like the first.
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
			unknown = fmt.Errorf("%s: %w", flag, &trace.UnknownFunctionError{Query: p, Where: whatIs(of), Near: trace.NearFunctions(p, names)})
		}
	}
	if len(all) > 0 {
		unknown = nil
	}
	return all, unknown
}

// whatIs names a recording: "get-node of v1.37.1".
func whatIs(rec *trace.Recording) string {
	return strings.TrimSpace(cmp.Or(rec.Scenario, "the recording") + " " + rec.K8sVersion)
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

// set tells whether any filter is asked for.
func (o *filterOptions) set() bool {
	return len(o.layers)+len(o.functions)+len(o.notFunctions) > 0 || o.minDuration > 0 || o.errors || o.etcd || o.grep != ""
}
