// Package spoken is the guide as somebody who reads recordings has it: the steps that hold for their
// releases, in the reader's language.
package spoken

import (
	"regexp"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// A Guide is the guide in the reader's language.
type Guide struct {
	*instrument.Lookup
	chosen
	lang   string
	titles map[string]string
}

// New returns the guide as it holds for recordings; without any, all of it. Each recording
// must be valid.
func New(guide *instrument.Guide, lang string, of ...*trace.Recording) *Guide {
	g := &Guide{Lookup: Of(guide, of...).Lookup(), chosen: chosenIn(of), lang: lang}
	g.titles = g.chosen.titles(lang)
	for _, layer := range guide.Layers {
		if title := layer.Title.In(lang); title != "" { // further entries of a layer have none
			g.titles[layer.Name] = title
		}
	}
	return g
}

// Of returns the guide without the steps that hold for none of the recordings' releases: a
// function literal may have the name that another one had in an older release.
func Of(guide *instrument.Guide, of ...*trace.Recording) *instrument.Guide {
	if len(of) == 0 {
		return guide
	}
	held := *guide
	held.Steps = nil
	for _, step := range guide.Steps {
		if slices.ContainsFunc(of, func(rec *trace.Recording) bool { return holds(step, rec) }) {
			held.Steps = append(held.Steps, step)
		}
	}
	return &held
}

// etcdClient matches the functions of etcd's client, which are part of kube-apiserver: their releases are
// those of Kubernetes. All others of etcd, such as those of raft and bbolt, have etcd's releases.
var etcdClient = regexp.MustCompile(`^go\.etcd\.io/etcd/client(v3|/v3)\b`)

// holds tells whether a step is one of the recording's releases, as far as they are known.
func holds(step instrument.Step, rec *trace.Recording) bool {
	version := rec.K8sVersion
	if function := string(step.Function); strings.HasPrefix(function, "go.etcd.io/") && !etcdClient.MatchString(function) {
		version = rec.EtcdVersion
	}
	return version == "" || step.Has(version)
}

// Title returns the title of a layer, "" if there is no such layer.
func (g *Guide) Title(layer string) string { return g.titles[layer] }

// groups are the names that the guide has for groups of calls.
var groups = map[string]message.Message{
	"admission plugin":   message.Of("admission plugin"),
	"mutating webhook":   message.Of("mutating webhook"),
	"validating webhook": message.Of("validating webhook"),
	"post-start hook":    message.Of("post-start hook"),
	"route":              message.Of("route"),
}

// Group returns what calls of this function and its likes are called together, or "".
func (g *Guide) Group(function string) string {
	name := g.Lookup.Group(function)
	if known, ok := groups[name]; ok {
		return known.In(g.lang)
	}
	return name
}

// Note returns the note of the function's step, "" if it is none.
func (g *Guide) Note(function string) string {
	if step := g.Entry(function).Step; step != nil {
		return step.Note.In(g.lang)
	}
	return ""
}

// Values returns the names of the values of the function's step, as the guide orders them.
func (g *Guide) Values(function string) []string {
	step := g.Entry(function).Step
	if step == nil {
		return nil
	}
	var names []string
	for _, value := range step.Values {
		names = append(names, value.Name)
	}
	return names
}
