package render

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/view"
)

// A layerSummary describes in sentences the changes in one part of the server.
type layerSummary struct {
	// Layer is its name, or "" for calls without a layer; Title is its title.
	Layer, Title string
	// Sentences describe the changes that the default view shows.
	Sentences []string
	// Calls has, for each sentence, the calls of the merged tree that it describes.
	Calls [][]int
	// Smaller counts the others.
	Smaller int
}

// smallerIn counts the smaller changes of each layer that has any: "Audit 1".
func smallerIn(changed []layerSummary) []string {
	var counts []string
	for _, layer := range changed {
		if layer.Smaller > 0 {
			counts = append(counts, fmt.Sprintf("%s %d", layer.Title, layer.Smaller))
		}
	}
	return counts
}

// summarize describes the changes, layer by layer in the order of parts. unchanged has the
// titles of the layers without a change.
func (s *summary) summarize() (changed []layerSummary, unchanged []string) {
	for _, p := range s.Packages {
		s.say(p.Layer, s.packageMoved(p), s.movedTo(p)...)
	}
	for _, st := range s.statements() {
		s.say(s.partOfStatement(st), s.text(st), st.calls()...)
		if st.replaced != nil && len(st.at) == 1 && len(st.replaced.at) == 1 {
			s.instead[st.at[0]] = st.replaced.at[0]
		}
	}
	for i, change := range s.Changes {
		if (!change.Telling || s.folded[i]) && !s.movedWithPackage(change.Change) {
			s.layer(s.part(change.Layer, s.Merged.Tree.Call(change.At).Function)).Smaller++
		}
	}
	s.countOnly()
	s.shorten()
	for _, layer := range s.parts() {
		if at, ok := s.index[layer]; ok {
			changed = append(changed, s.layers[at])
		} else if title := s.title(layer); title != "" {
			unchanged = append(unchanged, title)
		}
	}
	return changed, unchanged
}

// parts returns the parts of the server in the order in which the request enters them: by the first key step or, if a part has none,
// by the first call. Helpers of a part are often called before the request gets there.
func (s *summary) parts() []string {
	first := map[string]int{}
	for i := range s.Merged.Tree.Len() {
		part := s.partOf(i)
		at, ok := first[part]
		if !ok || !s.guide.Key(s.Merged.Tree.Call(at).Function) && s.guide.Key(s.Merged.Tree.Call(i).Function) {
			first[part] = i
		}
	}
	return slices.SortedFunc(maps.Keys(first), func(a, b string) int { return cmp.Compare(first[a], first[b]) })
}

// shorten limits the sentences of each layer; the changes of the others count as smaller
// changes.
func (s *summary) shorten() {
	const most = 12
	for i := range s.layers {
		if l := &s.layers[i]; len(l.Sentences) > most {
			l.Smaller += len(l.Sentences) - most
			l.Sentences, l.Calls = l.Sentences[:most], l.Calls[:most]
		}
	}
}

// countOnly describes layers in which only one side has calls, all of them below changes of
// other layers.
func (s *summary) countOnly() {
	type only struct{ a, b []int }
	counts := map[string]only{}
	for i := range s.Merged.Tree.Len() {
		layer := s.partOf(i)
		n := counts[layer]
		switch {
		case s.Merged.B[i] == diff.None:
			n.a = append(n.a, i)
		case s.Merged.A[i] == diff.None:
			n.b = append(n.b, i)
		}
		counts[layer] = n
	}
	for _, layer := range slices.Sorted(maps.Keys(counts)) {
		n := counts[layer]
		if _, told := s.index[layer]; told {
			continue
		}
		if len(n.a) > 0 {
			s.say(layer, s.words.callsOnlyIn(s.words.nameA, len(n.a)), n.a[0])
		}
		if len(n.b) > 0 {
			s.say(layer, s.words.callsOnlyIn(s.words.nameB, len(n.b)), n.b[0])
		}
	}
}

// A summary describes in sentences how two requests differ.
type summary struct {
	*Differences
	guide Guide
	words diffWords
	// finder knows the source of both sides; nil if nothing is known.
	finder *diff.Reasons
	layers []layerSummary
	index  map[string]int
	// instead has the calls of side B that sentences say take the place of a call of side A, and these; both are calls of the
	// merged tree.
	instead map[int]int
	// called has the functions of a side by their short names, see callerName.
	called map[*trace.Tree]map[string][]string
	// folded marks the changes in whose place there are statements on key steps below their calls.
	folded map[int]bool
}

func newSummary(c *Differences, guide Guide, words diffWords, finder *diff.Reasons) *summary {
	return &summary{Differences: c, guide: guide, words: words, finder: finder, index: map[string]int{}, instead: map[int]int{}, called: map[*trace.Tree]map[string][]string{}, folded: map[int]bool{}}
}

// impersonation is the name of a part of the layer of authorization that has a title, and so a summary, of its own.
const impersonation = trace.LayerAuthorization + "/impersonation"

// part names the part of the server, a layer or a part of one, in which the sections of the tree show a function.
func (s *summary) part(layer, function string) string {
	if view.Impersonation(layer, function) {
		return impersonation
	}
	return layer
}

// partOf is part for a call of the merged tree.
func (s *summary) partOf(i int) string {
	return partOf(s.guide, s.Merged.Tree.Call(i).Function)
}

// title returns the title of a part, "" if it has none.
func (s *summary) title(part string) string {
	if part == impersonation {
		return s.words.Sprintf("Impersonation")
	}
	return s.guide.Title(part)
}

// layer returns the summary of a part; it is new if there is none.
func (s *summary) layer(name string) *layerSummary {
	at, ok := s.index[name]
	if !ok {
		at = len(s.layers)
		s.index[name] = at
		title := s.title(name)
		if title == "" {
			title = s.words.Sprintf("Elsewhere")
		}
		layer, _, _ := strings.Cut(name, "/")
		s.layers = append(s.layers, layerSummary{Layer: layer, Title: title})
	}
	return &s.layers[at]
}

// say adds a sentence to a layer, with the calls of the merged tree that it describes.
func (s *summary) say(layer, sentence string, calls ...int) {
	l := s.layer(layer)
	at := slices.Index(l.Sentences, sentence)
	if at < 0 {
		at = len(l.Sentences)
		l.Sentences, l.Calls = append(l.Sentences, sentence), append(l.Calls, nil)
	}
	l.Calls[at] = append(l.Calls[at], calls...)
}

// movedTo are the calls of the merged tree whose functions went with a package.
func (s *summary) movedTo(p PackageMove) []int {
	var calls []int
	for _, c := range s.Changes {
		if from, to, ok := s.packageOnly(c.Change); ok && from == p.From && to == p.To {
			calls = append(calls, c.At)
		}
	}
	return calls
}

func (s *summary) packageMoved(p PackageMove) string {
	return s.words.Plural(p.Functions, "%d function of package %s is now in %s", "%d functions of package %s are now in %s", p.Functions, p.From, p.To)
}

// sentence tells one change.
func (s *summary) sentence(c *ShownChange) string {
	if c.Kind != diff.Added && c.Kind != diff.Removed {
		return s.changed(c)
	}
	o := s.only(c)
	return s.onlyOn(&o, named(s.call(c.Change)))
}

// named returns the name of a call in a sentence; if many calls share the name, with its purpose.
func named(call *trace.Call) string {
	if purpose := purposeOf(call); purpose != "" {
		return fmt.Sprintf("%s (%s)", call.ShortName(), purpose)
	}
	return call.ShortName()
}

// purposeOf returns what distinguishes a call of an admission plugin from those of others.
func purposeOf(call *trace.Call) string {
	for _, attribute := range []string{trace.AttrAdmissionPlugin, trace.AttrAdmissionType} {
		if value := call.Attributes[attribute]; value != "" {
			return oneLine(shorten(value))
		}
	}
	return ""
}

// valueLabel is an attribute's name in a sentence.
func valueLabel(name string) string {
	return strings.ReplaceAll(strings.TrimPrefix(name, "apitrace."), ".", " ")
}
