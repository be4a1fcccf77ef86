package view

import (
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// notCalled is the recorded verdict of a plugin that has no method for the
// phase. A plugin that only validates, for example, is not called to mutate
// (pluginHandlerWithMetrics in apiserver/pkg/admission/metrics/metrics.go).
const notCalled = "not asked"

// A Plugin is an admission plugin that a phase of admission came to. The phase
// called the plugin, or skipped it because the plugin has no method for the phase
// (notCalled).
type Plugin struct {
	Call    int // index of View.Tree
	Name    string
	Verdict string // "accepted", "refused", notCalled
	// Calls counts the calls of other code below the plugin's method, at any depth.
	// The functions of the plugin's package, the accessors of the request's attributes,
	// and the names of kinds and resources are not other code: with them a plugin finds
	// out whether the request concerns it.
	Calls int
}

// Plugins returns the admission plugins of a node in call order, or nil if the
// node has none.
func (s *Story) Plugins(n *Node) []Plugin {
	var all []Plugin
	for _, i := range n.Calls {
		call := s.Tree.Call(i)
		if name := call.Attributes[trace.AttrAdmissionPlugin]; name != "" {
			all = append(all, Plugin{Call: i, Name: name, Verdict: call.Attributes[trace.AttrAdmissionVerdict], Calls: s.callsOfPlugin(i)})
		}
	}
	return all
}

// phaseOf returns the call of the admission phase, mutating or validating, that
// a plugin ran in. This is the nearest caller with a verdict and without the
// name of a plugin or webhook. If there is no such caller, phaseOf returns the
// plugin's direct caller.
func (s *Story) phaseOf(p Plugin) int {
	for i := s.Tree.Parent(p.Call); i >= 0; i = s.Tree.Parent(i) {
		values := s.Tree.Call(i).Attributes
		if values[trace.AttrAdmissionVerdict] != "" && values[trace.AttrAdmissionPlugin] == "" && values[trace.AttrWebhookName] == "" {
			return i
		}
	}
	return s.Tree.Parent(p.Call)
}

// pluginsBefore returns the names of the plugins that the same phase of admission
// came to before a plugin.
func (s *Story) pluginsBefore(p Plugin) map[string]bool {
	before := map[string]bool{}
	for i := s.phaseOf(p) + 1; i < p.Call; i++ {
		if name := s.Tree.Call(i).Attributes[trace.AttrAdmissionPlugin]; name != "" {
			before[name] = true
		}
	}
	return before
}

// callsOfPlugin returns Plugin.Calls for call i, which wraps a plugin. The
// plugin's method is the first callee that is neither a leaf nor for metrics.
func (s *Story) callsOfPlugin(i int) int {
	for method := range s.Tree.Children(i) {
		call := s.Tree.Call(method)
		if call.Leaf || recordsMetrics(call) || observes(call) {
			continue
		}
		calls := 0
		own := funcname.Package(call.Function)
		for below := method + 1; below < s.Tree.End(method); below++ {
			if name := s.Tree.Call(below).Function; funcname.Package(name) != own && !isAttributeOrName(name) {
				calls++
			}
		}
		return calls
	}
	return 0
}

// attributes begins the names of the accessors of the request that an admission plugin is
// asked about (apiserver/pkg/admission/attributes.go).
const attributes = "k8s.io/apiserver/pkg/admission.(*attributesRecord)."

// isAttributeOrName reports whether a function returns an attribute of a request, or the name of a kind
// or resource to compare it with, such as Resource of pkg/apis/core/register.go.
func isAttributeOrName(function string) bool {
	pkg := funcname.Package(function)
	of, ok := strings.CutPrefix(function, pkg+".")
	return strings.HasPrefix(function, attributes) || pkg == "k8s.io/apimachinery/pkg/runtime/schema" ||
		ok && (of == "Resource" || of == "Kind") && strings.HasPrefix(pkg, "k8s.io/kubernetes/pkg/apis/")
}

// observes reports whether a call measures a plugin's time.
func observes(call *trace.Call) bool {
	return funcname.Package(call.Function) == "k8s.io/apiserver/pkg/admission/metrics"
}

// A PluginKind says how plugins handled a request.
type PluginKind int

// The kinds of plugins, in display order.
const (
	// PluginsOther were called and gave another verdict than "accepted".
	PluginsOther PluginKind = iota
	// PluginsCalling accepted after Calls of other code. PluginsAlone accepted, and
	// no call of other code is recorded. Such a plugin may have changed the object.
	PluginsCalling
	PluginsAlone
	// PluginsNotCalled have no method for the phase.
	PluginsNotCalled
)

// A PluginGroup has plugins of one kind, in call order.
type PluginGroup struct {
	// Again is set for plugins that the phase came to before. If a webhook or a
	// policy changes the object, the mutating phase makes a second round
	// (apiserver/pkg/admission/reinvocation.go).
	Again bool
	Kind  PluginKind
	// Verdict is the verdict of each plugin of the group.
	Verdict string
	Plugins []Plugin
}

var (
	pluginsCalling   = message.Of("accepted after calls of other code")
	pluginsAlone     = message.Of("accepted, no call of other code recorded")
	pluginsAgain     = message.Of("second round, %s")
	pluginsMayChange = message.Of("which of the built-in plugins changed the object is not recorded")
	pluginsNotCalled = message.Of("not called, take no part in this phase")
)

// Title returns the heading of the group.
func (g *PluginGroup) Title(lang string) string {
	if g.Again {
		return pluginsAgain.Format(lang, g.did(lang))
	}
	return g.did(lang)
}

// did says how the plugins handled the request.
func (g *PluginGroup) did(lang string) string {
	switch g.Kind {
	case PluginsCalling:
		return pluginsCalling.In(lang)
	case PluginsAlone:
		return pluginsAlone.In(lang)
	case PluginsNotCalled:
		return pluginsNotCalled.In(lang)
	}
	return g.Verdict
}

// GroupPlugins groups plugins that handled the request in the same way. The
// plugins of the second round come last. before has the names of the plugins
// that the phase came to before. GroupPlugins adds the names of all plugins to
// before.
func GroupPlugins(all []Plugin, before map[string]bool) []PluginGroup {
	var first, again []Plugin
	for _, p := range all {
		if before[p.Name] {
			again = append(again, p)
		} else {
			first = append(first, p)
		}
		before[p.Name] = true
	}
	return append(groupByKind(first, false), groupByKind(again, true)...)
}

func groupByKind(all []Plugin, again bool) []PluginGroup {
	var groups []PluginGroup
	for kind := PluginsOther; kind <= PluginsNotCalled; kind++ {
		for _, p := range all {
			if p.kind() != kind {
				continue
			}
			last := len(groups) - 1
			if last < 0 || groups[last].Kind != kind || kind == PluginsOther && groups[last].Verdict != p.Verdict {
				groups = append(groups, PluginGroup{Again: again, Kind: kind, Verdict: p.Verdict})
				last++
			}
			groups[last].Plugins = append(groups[last].Plugins, p)
		}
	}
	return groups
}

func (p *Plugin) kind() PluginKind {
	switch {
	case p.Verdict == notCalled:
		return PluginsNotCalled
	case p.Verdict != "accepted":
		return PluginsOther
	case p.Calls > 0:
		return PluginsCalling
	}
	return PluginsAlone
}
