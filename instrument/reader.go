package instrument

import (
	"regexp"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// A ReaderGuide presents the guide to a reader of recordings. It has only the steps for
// the recordings' releases, and its texts are in the reader's language.
type ReaderGuide struct {
	*Lookup
	user   userCode
	lang   string
	titles map[string]string // by layer
}

// ForReader returns the guide for a reader of recordings, which must be valid. Without
// recordings, it has the steps for all releases.
func (g *Guide) ForReader(lang string, recordings ...*trace.Recording) *ReaderGuide {
	user := userCodeIn(recordings)
	r := &ReaderGuide{Lookup: g.ForRecordings(recordings...).Lookup(), user: user, lang: lang, titles: user.titles(lang)}
	for _, layer := range g.Layers {
		if title := layer.Title.In(lang); title != "" { // only a layer's first entry has one
			r.titles[layer.Name] = title
		}
	}
	return r
}

// ForRecordings returns the guide with only the steps for the recordings' releases.
// Without recordings, it returns g.
//
// A step may name a function literal. In an older release, another literal may have had
// this name.
func (g *Guide) ForRecordings(recordings ...*trace.Recording) *Guide {
	if len(recordings) == 0 {
		return g
	}
	selected := *g
	selected.Steps = nil
	for _, step := range g.Steps {
		if slices.ContainsFunc(recordings, step.isFor) {
			selected.Steps = append(selected.Steps, step)
		}
	}
	return &selected
}

// etcdClient matches the functions of etcd's client, which is part of kube-apiserver and
// follows the releases of Kubernetes. All other functions of etcd, such as raft and bbolt,
// follow the releases of etcd.
var etcdClient = regexp.MustCompile(`^go\.etcd\.io/etcd/client(v3|/v3)\b`)

// isFor reports whether a step is for the recording's release. Every step is for an
// unknown release.
func (s Step) isFor(rec *trace.Recording) bool {
	version := rec.K8sVersion
	if function := string(s.Function); strings.HasPrefix(function, "go.etcd.io/") && !etcdClient.MatchString(function) {
		version = rec.EtcdVersion
	}
	return version == "" || s.Has(version)
}

// Layer returns the name of the function's layer, or "". The user's code has the layers
// trace.LayerOwn and trace.LayerMore.
func (r *ReaderGuide) Layer(function string) string {
	if layer := r.Lookup.Layer(function); layer != "" {
		return layer
	}
	return r.user.layer(function)
}

// Title returns a layer's title, or "".
func (r *ReaderGuide) Title(layer string) string { return r.titles[layer] }

// Key reports whether the function is a key step: a step of the guide, or an entry point
// of the user's code.
func (r *ReaderGuide) Key(function string) bool {
	return r.user.entryPoints[function] || r.Lookup.Key(function)
}

// Minor reports whether the function is a key step that a view leaves out first.
func (r *ReaderGuide) Minor(function string) bool {
	return r.user.entryPoints[function] && !r.user.major[function] || r.Lookup.Minor(function)
}

// groups are the guide's names for groups of calls.
var groups = map[string]message.Message{
	"admission plugin":   message.Of("admission plugin"),
	"pre-filter plugin":  message.Of("pre-filter plugin"),
	"filter plugin":      message.Of("filter plugin"),
	"post-filter plugin": message.Of("post-filter plugin"),
	"score plugin":       message.Of("score plugin"),
	"bind plugin":        message.Of("bind plugin"),
	"mutating webhook":   message.Of("mutating webhook"),
	"validating webhook": message.Of("validating webhook"),
	"post-start hook":    message.Of("post-start hook"),
	"route":              message.Of("route"),
}

// Group returns the label for calls of this and similar functions, or "".
func (r *ReaderGuide) Group(function string) string {
	name := r.Lookup.Group(function)
	if known, ok := groups[name]; ok {
		return known.In(r.lang)
	}
	return name
}

// Note returns the note of the function's step, or "".
func (r *ReaderGuide) Note(function string) string {
	if step := r.Entry(function).Step; step != nil {
		return step.Note.In(r.lang)
	}
	return ""
}

// Values returns the names of the values of the function's step, in the guide's order.
func (r *ReaderGuide) Values(function string) []string {
	step := r.Entry(function).Step
	if step == nil {
		return nil
	}
	var names []string
	for _, value := range step.Values {
		names = append(names, value.Name)
	}
	return names
}
