package view

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kubeapitrace/apitrace/trace"
)

// A Filter selects the calls of a view. A call must satisfy each field that is
// set. The zero value selects every call.
//
// With Grep, the key steps that lead to a selected call are shown, too, if the
// other fields select them. See Node.Leads.
//
// Functions, Grep and Errors select among all calls. The other fields select
// among the calls that the view would show without them.
type Filter struct {
	// Layers are names of layers; a call must belong to one.
	Layers []string
	// Functions and NotFunctions match full names. A call must match one of
	// Functions, if there are any, and none of NotFunctions.
	Functions, NotFunctions []Matcher
	// MinDuration is the shortest duration of a selected call.
	MinDuration time.Duration
	// Errors selects calls that returned an error, panicked, or did not return,
	// and the steps of the error path. If the error path is known, a returned
	// error counts only if the call is on the path or added the error to it, see
	// ErrorPath.contributed. In the full view, every returned error counts.
	Errors bool
	// Etcd selects the calls in etcd, and the calls that lead there.
	Etcd bool
	// Grep must match the call's name, file:line, a value ("name=value"), or
	// its error. nil matches all.
	Grep *regexp.Regexp
}

// A Matcher recognises functions by their full name; funcname.Pattern is one.
type Matcher interface{ Match(function string) bool }

// Active reports whether any field is set.
func (f *Filter) Active() bool {
	return f.finds() || len(f.Layers)+len(f.NotFunctions) > 0 || f.MinDuration > 0 || f.Etcd
}

// finds reports whether the filter may select calls that the view hides without
// a filter.
func (f *Filter) finds() bool { return len(f.Functions) > 0 || f.Errors || f.Grep != nil }

// Flags returns the command-line flags that set the filter.
func (f *Filter) Flags() []string {
	var flags []string
	add := func(set bool, flag string) {
		if set {
			flags = append(flags, flag)
		}
	}
	add(len(f.Layers) > 0, "--layer "+strings.Join(f.Layers, ","))
	add(len(f.Functions) > 0, "--function")
	add(len(f.NotFunctions) > 0, "--not-function")
	add(f.MinDuration > 0, fmt.Sprintf("--min-duration %s", f.MinDuration))
	add(f.Errors, "--errors")
	add(f.Etcd, "--etcd")
	add(f.Grep != nil, fmt.Sprintf("--grep %s", f.Grep))
	return flags
}

// filtering applies a Filter to the calls of one tree.
type filtering struct {
	*Filter
	tree       *trace.Tree
	classifier Classifier
	functions  map[string]bool // results of selectsFunction, by function
	errors     *ErrorPath
	took       []bool // calls whose errors are selected; nil if all are, or without Filter.Errors
	etcd       []bool // whether the call is in etcd or leads there; nil without Filter.Etcd
}

// newFiltering returns the filter for a tree with this error path. If full is
// set, Filter.Errors selects every failed call.
func newFiltering(filter *Filter, tree *trace.Tree, classifier Classifier, errors *ErrorPath, full bool) *filtering {
	f := &filtering{Filter: filter, tree: tree, classifier: classifier, errors: errors, functions: map[string]bool{}}
	if filter.Errors && errors != nil && !full {
		f.took = errors.contributed(tree)
	}
	if filter.Etcd {
		f.etcd = LeadingTo(tree, func(call *trace.Call) bool { return call.Process == trace.ProcessEtcd })
	}
	return f
}

// LeadingTo marks the calls for which wanted returns true, and all calls above them.
func LeadingTo(tree *trace.Tree, wanted func(*trace.Call) bool) []bool {
	leads := make([]bool, tree.Len())
	for i := tree.Len() - 1; i >= 0; i-- { // children before their parents
		leads[i] = leads[i] || wanted(tree.Call(i))
		if p := tree.Parent(i); p >= 0 && leads[i] {
			leads[p] = true
		}
	}
	return leads
}

// selects reports whether the filter selects call i.
func (f *filtering) selects(i int) bool {
	call := f.tree.Call(i)
	switch {
	case len(f.Layers) > 0 && !slices.Contains(f.Layers, f.classifier.Layer(call.Function)),
		call.DurationNs < f.MinDuration.Nanoseconds(),
		f.Errors && !f.failed(i),
		f.Etcd && !f.etcd[i],
		!f.selectsFunction(call.Function):
		return false
	}
	return f.Grep == nil || f.grep(call)
}

// leading marks the calls above selected calls, if all fields except Grep
// select them. It does not mark calls that are selected themselves. selected
// tells which calls the filter selects.
func (f *filtering) leading(selected []bool) []bool {
	others := *f.Filter
	others.Grep = nil
	rest := *f
	rest.Filter = &others
	leads := make([]bool, f.tree.Len())
	for i := f.tree.Len() - 1; i > 0; i-- { // children before their parents
		if leads[i] || selected[i] {
			leads[f.tree.Parent(i)] = true
		}
	}
	for i := range leads {
		leads[i] = leads[i] && !selected[i] && rest.selects(i)
	}
	return leads
}

// failed reports whether Filter.Errors selects call i.
func (f *filtering) failed(i int) bool {
	call := f.tree.Call(i)
	switch {
	case f.errors.has(i), call.Panic != "", call.Unfinished:
		return true
	}
	return call.Error != "" && (f.took == nil || f.took[i])
}

// selectsFunction reports whether Functions and NotFunctions select a function.
func (f *filtering) selectsFunction(function string) bool {
	known, ok := f.functions[function]
	if !ok {
		match := func(m Matcher) bool { return m.Match(function) }
		known = (len(f.Functions) == 0 || slices.ContainsFunc(f.Functions, match)) &&
			!slices.ContainsFunc(f.NotFunctions, match)
		f.functions[function] = known
	}
	return known
}

// grep reports whether Grep matches a call.
func (f *filtering) grep(call *trace.Call) bool {
	if f.Grep.MatchString(call.Function) || f.Grep.MatchString(call.Error) ||
		f.Grep.MatchString(fmt.Sprintf("%s:%d", call.File, call.Line)) {
		return true
	}
	for name, value := range call.Attributes {
		if f.Grep.MatchString(name+"="+value) || f.Grep.MatchString(name+"="+InWords(name, value)) {
			return true
		}
	}
	return false
}

// Selects returns a function that reports whether a filter selects a call.
func (v *View) Selects(filter *Filter, classifier Classifier) func(call int) bool {
	if !filter.Active() {
		return func(int) bool { return true }
	}
	return newFiltering(filter, v.Tree, classifier, v.ErrorPath, false).selects
}
