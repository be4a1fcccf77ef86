package output

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
)

// A Filter selects calls of a tree, as written in flags. The zero value selects all.
type Filter struct {
	// Layers are names of layers, their titles in any language, or unambiguous prefixes
	// of either. A title may be split at its commas. The name of a program stands for all
	// layers that only this program has, see programLayers.
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

// Layers lists the possible values for layers: the names, and the titles that begin
// with the typed text.
func Layers(typed string) ([]string, error) {
	guide, err := instrument.Load()
	if err != nil {
		return nil, err
	}
	known := layersOf(guide)
	all := append(layerNames(known), trace.ProcessEtcd)
	for _, layer := range known {
		for _, title := range layer.titles() {
			if typed != "" && strings.HasPrefix(strings.ToLower(title), strings.ToLower(typed)) {
				all = append(all, title)
			}
		}
	}
	return all, nil
}

// A knownLayer is a layer of the guide, or trace.LayerOwn or trace.LayerMore, which have
// no title.
type knownLayer struct {
	name  string
	title message.Text
}

// titles returns the titles of a layer in all languages, or nil if it has no title.
func (l knownLayer) titles() []string {
	if l.title.En == "" {
		return nil
	}
	return []string{l.title.In("en"), l.title.In("zh")}
}

// layersOf lists the guide's layers, each once, then trace.LayerOwn and trace.LayerMore.
func layersOf(guide *instrument.Guide) (all []knownLayer) {
	for _, layer := range guide.Layers {
		at := slices.IndexFunc(all, func(known knownLayer) bool { return known.name == layer.Name })
		if at < 0 {
			at, all = len(all), append(all, knownLayer{name: layer.Name})
		}
		if layer.Title.En != "" { // one entry of each layer has the title
			all[at].title = layer.Title
		}
	}
	return append(all, knownLayer{name: trace.LayerOwn}, knownLayer{name: trace.LayerMore})
}

func layerNames(known []knownLayer) (names []string) {
	for _, layer := range known {
		names = append(names, layer.name)
	}
	return names
}

// parse returns the filter of package view. of is the recording to show, or nil if
// unknown. Of a flag's patterns, at least one must match a function of the recording; see
// matchers.
func (o *Filter) parse(guide *instrument.Guide, of *trace.Recording) (view.Filter, error) {
	f := view.Filter{MinDuration: o.MinDuration, Errors: o.Errors, Etcd: o.Etcd}
	var err error
	if f.Layers, err = matchingLayers(o.Layers, layersOf(guide)); err != nil {
		return f, err
	}
	if o.MinDuration < 0 {
		return f, message.UsageErrorf("--min-duration cannot be negative")
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
			return f, message.ToUsageError(message.Errorf("--grep: %w", err))
		}
		f.Grep = grep
	}
	return f, nil
}

// programLayers has the layers of programs that are not a layer of the same name.
var programLayers = map[string][]string{
	trace.ProcessEtcd:              {trace.LayerEtcdRPC, trace.LayerEtcdApply, trace.LayerEtcdMVCC, trace.LayerEtcdDisk},
	trace.ProcessControllerManager: {trace.LayerController},
	trace.ProcessScheduler:         {trace.LayerScheduler},
}

// matchingLayers returns the names of the requested layers.
func matchingLayers(asked []string, known []knownLayer) (all []string, err error) {
	for len(asked) > 0 {
		if layers := programLayers[strings.ToLower(asked[0])]; layers != nil {
			all, asked = append(all, layers...), asked[1:]
			continue
		}
		name, pieces := titled(asked, known)
		if pieces == 0 {
			if name, err = matchingLayer(asked[0], known); err != nil {
				return nil, err
			}
			pieces = 1
		}
		all, asked = append(all, name), asked[pieces:]
	}
	return all, nil
}

// titled finds the layer with a title that consists of the first pieces of asked, joined
// by commas. It returns the number of these pieces, or 0 if there is no such layer.
func titled(asked []string, known []knownLayer) (name string, pieces int) {
	for n := len(asked); n > 0; n-- {
		for _, layer := range known {
			if slices.ContainsFunc(layer.titles(), func(title string) bool { return strings.EqualFold(title, strings.Join(asked[:n], ",")) }) {
				return layer.name, n
			}
		}
	}
	return "", 0
}

// matchingLayer returns the layer with the name asked, or the only layer with a name that
// begins with asked. If no name does, it returns the only layer with a title that begins
// with asked. Upper and lower case are the same.
func matchingLayer(asked string, known []knownLayer) (string, error) {
	asked = strings.ToLower(asked)
	names := layerNames(known)
	if slices.Contains(names, asked) {
		return asked, nil
	}
	var found, byTitle []string
	for _, layer := range known {
		begins := func(s string) bool { return asked != "" && strings.HasPrefix(strings.ToLower(s), asked) }
		if begins(layer.name) {
			found = append(found, layer.name)
		} else if slices.ContainsFunc(layer.titles(), begins) {
			byTitle = append(byTitle, layer.name)
		}
	}
	if len(found) == 0 {
		found = byTitle
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", message.UsageErrorf("--layer %q: expected the name of one layer: %s", asked, message.Alternatives(found))
	}
	if meant := text.Typo(asked, names); meant != "" {
		return "", message.UsageErrorf("unknown layer %q: did you mean %q?", asked, meant)
	}
	return "", message.UsageErrorf("unknown layer %q: expected one or more of %s, or their titles, such as \"Watch cache\"", asked, message.List(names))
}

// matchers returns a matcher for each pattern. A pattern without a match in the
// recording is ignored if another one has a match. If none has, the error lists
// similar names. If of is nil, all patterns are valid.
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

// whatIs returns a name for a recording: "get-node v1.37.1".
func whatIs(rec *trace.Recording) message.Message {
	if rec.Scenario == "" {
		return message.Of("the recording %s", rec.K8sVersion)
	}
	return message.Of("%s %s", rec.Scenario, rec.K8sVersion)
}

// A functionSet is a sorted list of functions. It matches these functions.
type functionSet []string

// Match implements view.Matcher.
func (s functionSet) Match(function string) bool {
	_, found := slices.BinarySearch(s, function)
	return found
}

// anyFunction is a pattern. It matches each function that trace.MatchFunctions finds for
// the pattern, and needs no list of functions.
type anyFunction string

// Match implements view.Matcher.
func (p anyFunction) Match(function string) bool {
	return len(trace.MatchFunctions(string(p), []string{function})) > 0
}

// set reports whether any filter is set.
func (o *Filter) set() bool {
	return len(o.Layers)+len(o.Functions)+len(o.NotFunctions) > 0 || o.MinDuration > 0 || o.Errors || o.Etcd || o.Grep != ""
}
