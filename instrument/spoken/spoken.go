// Package spoken presents the guide to a reader of recordings: only the steps for
// their releases, in the reader's language.
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

// New returns the guide for the releases of recordings. Without recordings, it returns
// the whole guide. Each recording must be valid.
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

// Of returns the guide with the steps for the recordings' releases only. A step may name a
// function literal. In an older release, another literal may have had this name.
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

// etcdClient matches the functions of etcd's client, a part of kube-apiserver with
// Kubernetes releases. All other functions of etcd, such as raft and bbolt, have etcd's
// releases.
var etcdClient = regexp.MustCompile(`^go\.etcd\.io/etcd/client(v3|/v3)\b`)

// holds reports whether a step is for the recording's release. For an unknown
// release, every step is.
func holds(step instrument.Step, rec *trace.Recording) bool {
	version := rec.K8sVersion
	if function := string(step.Function); strings.HasPrefix(function, "go.etcd.io/") && !etcdClient.MatchString(function) {
		version = rec.EtcdVersion
	}
	return version == "" || step.Has(version)
}

// Title returns a layer's title, or "".
func (g *Guide) Title(layer string) string { return g.titles[layer] }

// groups are the guide's names for groups of calls.
var groups = map[string]message.Message{
	"admission plugin":   message.Of("admission plugin"),
	"mutating webhook":   message.Of("mutating webhook"),
	"validating webhook": message.Of("validating webhook"),
	"post-start hook":    message.Of("post-start hook"),
	"route":              message.Of("route"),
}

// Group returns the label for calls of this and similar functions, or "".
func (g *Guide) Group(function string) string {
	name := g.Lookup.Group(function)
	if known, ok := groups[name]; ok {
		return known.In(g.lang)
	}
	return name
}

// Note returns the note of the function's step, or "".
func (g *Guide) Note(function string) string {
	if step := g.Entry(function).Step; step != nil {
		return step.Note.In(g.lang)
	}
	return ""
}

// Values returns the values of the function's step, in the guide's order.
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
