package render

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// A LayerSummary tells in sentences what changed in one part of the server.
type LayerSummary struct {
	// Layer is its name, "" for what belongs to none; Title what it is called.
	Layer, Title string
	// Sentences tell the changes that a first look should have.
	Sentences []string
	// Smaller counts the others.
	Smaller int
}

// summarize tells what changed, layer by layer in the order of first entry. Layers without a
// change are in unchanged, by title.
func (c *Differences) summarize(guide Guide, words diffWords) (changed []LayerSummary, unchanged []string) {
	s := &summary{Differences: c, guide: guide, words: words, index: map[string]int{}}
	for _, p := range c.Packages {
		s.say(p.Layer, s.packageMoved(p))
	}
	for _, change := range c.Changes {
		switch {
		case change.Telling:
			s.tell(&change)
		case !c.movedWithPackage(change.Change):
			s.layer(change.Layer).Smaller++
		}
	}
	s.countOnly()
	s.shorten()
	var seen []string
	for i := range c.Merged.Tree.Len() {
		layer := guide.Layer(c.Merged.Tree.Call(i).Function)
		if slices.Contains(seen, layer) {
			continue
		}
		seen = append(seen, layer)
		if at, ok := s.index[layer]; ok {
			changed = append(changed, s.layers[at])
		} else if title := guide.Title(layer); title != "" {
			unchanged = append(unchanged, title)
		}
	}
	return changed, unchanged
}

// shorten leaves so many sentences to each layer as can be read; the others are counted with
// the smaller changes.
func (s *summary) shorten() {
	const most = 12
	for i := range s.layers {
		if l := &s.layers[i]; len(l.Sentences) > most {
			l.Smaller += len(l.Sentences) - most
			l.Sentences = l.Sentences[:most]
		}
	}
}

// countOnly tells of layers of which one side alone has calls, all of them below changes of
// other layers.
func (s *summary) countOnly() {
	type only struct{ a, b int }
	counts := map[string]only{}
	for i := range s.Merged.Tree.Len() {
		layer := s.guide.Layer(s.Merged.Tree.Call(i).Function)
		n := counts[layer]
		switch {
		case s.Merged.B[i] == diff.None:
			n.a++
		case s.Merged.A[i] == diff.None:
			n.b++
		}
		counts[layer] = n
	}
	for _, layer := range slices.Sorted(maps.Keys(counts)) {
		n := counts[layer]
		if _, told := s.index[layer]; told {
			continue
		}
		if n.a > 0 {
			s.say(layer, s.words.onlyOnSide(s.words.callsOnlyA, n.a))
		}
		if n.b > 0 {
			s.say(layer, s.words.onlyOnSide(s.words.callsOnlyB, n.b))
		}
	}
}

type summary struct {
	*Differences
	guide  Guide
	words  diffWords
	layers []LayerSummary
	index  map[string]int
	leads  map[*trace.Tree][]bool // see keysBelow
}

func (s *summary) layer(name string) *LayerSummary {
	at, ok := s.index[name]
	if !ok {
		at = len(s.layers)
		s.index[name] = at
		title := s.guide.Title(name)
		if title == "" {
			title = s.words.layerless
		}
		s.layers = append(s.layers, LayerSummary{Layer: name, Title: title})
	}
	return &s.layers[at]
}

func (s *summary) say(layer, sentence string) {
	l := s.layer(layer)
	if !slices.Contains(l.Sentences, sentence) {
		l.Sentences = append(l.Sentences, sentence)
	}
}

// tell adds the sentence of a change. What differs from another one only in what it is for,
// as calls of plugins do, is added to that one.
func (s *summary) tell(change *ShownChange) {
	call := s.call(change.Change)
	purpose := purposeOf(call)
	sentence := s.sentence(change)
	if purpose == "" || change.Kind != diff.Added && change.Kind != diff.Removed {
		s.say(change.Layer, sentence)
		return
	}
	l := s.layer(change.Layer)
	for i, before := range l.Sentences {
		start, end, ok := strings.Cut(sentence, "("+purpose+")")
		list, isSame := strings.CutPrefix(before, start+"(")
		list, isSameToo := strings.CutSuffix(list, ")"+end)
		if !ok || !isSame || !isSameToo {
			continue
		}
		if !slices.Contains(strings.Split(list, ", "), purpose) { // it may be called twice
			l.Sentences[i] = start + "(" + list + ", " + purpose + ")" + end
		}
		return
	}
	s.say(change.Layer, sentence)
}

func (s *summary) packageMoved(p PackageMove) string {
	return fmt.Sprintf(s.words.packageMoved, strconv.Itoa(p.Functions), "", p.From, p.To)
}

// sentence tells a change.
func (s *summary) sentence(c *ShownChange) string {
	tree, i := s.Diff.B, c.B
	if i == diff.None {
		tree, i = s.Diff.A, c.A
	}
	name, caller := named(tree.Call(i)), callerName(tree, i)
	switch c.Kind {
	case diff.Added:
		return s.onlyOn(&c.Change, tree, i, s.words.comesBetween, s.words.calls)
	case diff.Removed:
		return s.onlyOn(&c.Change, tree, i, s.words.wentBetween, s.words.callsNoMore)
	case diff.Moved:
		return say(s.words.moved, name, caller, callerName(s.Diff.A, c.A), "")
	case diff.Renamed:
		a := s.Diff.A.Call(c.A)
		if was, is := a.ShortName(), tree.Call(i).ShortName(); was != is {
			return say(s.words.renamed, name, caller, was, is)
		}
		return say(s.words.otherFile, name, caller, a.File, tree.Call(i).File)
	case diff.Repeated:
		return say(s.words.repeated, name, caller, s.words.count(c.CountA), s.words.count(c.CountB))
	case diff.Reordered:
		return say(s.words.reordered, name, caller, "", "")
	case diff.Timed:
		return say(s.words.timed, name, caller, s.words.units.duration(c.OwnNsA), s.words.units.duration(c.OwnNsB))
	}
	var texts []string
	values := c.Values
	if c.Telling {
		values = c.Fresh
	}
	for _, v := range values {
		texts = append(texts, s.valued(name, v))
	}
	return strings.Join(texts, s.words.between)
}

// say fills in a sentence; not every one has a place for all.
func say(format, name, caller, was, is string) string {
	return fmt.Sprintf(format, name, caller, was, is)
}

func (s *summary) valued(name string, v diff.ValueChange) string {
	a, b := oneLine(shorten(v.A)), oneLine(shorten(v.B))
	switch {
	case v.Name == "error" && v.A == "":
		return say(s.words.failsNow, name, "", a, b)
	case v.Name == "error":
		return say(s.words.failsNoMore, name, "", a, b)
	}
	return say(s.words.value, name, valueLabel(v.Name), quoteEmpty(a), quoteEmpty(b))
}

func quoteEmpty(s string) string {
	if s == "" {
		return `""`
	}
	return s
}

// onlyOn tells of a call that one side alone makes.
func (s *summary) onlyOn(c *diff.Change, tree *trace.Tree, i int, between, calls string) string {
	if c.Wraps && tree.Parent(i) >= 0 {
		if below := s.firstPaired(tree, i); below != nil {
			return say(between, named(tree.Call(i)), callerName(tree, i), named(below), "")
		}
	}
	text := say(calls, named(tree.Call(i)), callerName(tree, i), "", "")
	if c.Times > 1 {
		text += " " + s.words.count(c.Times)
	}
	return text
}

// firstPaired is the call with most below it among those below call i that both sides make
// and that lead to a key step, nil if there is none.
func (s *summary) firstPaired(tree *trace.Tree, i int) *trace.Call {
	partner := s.Diff.InB
	if tree == s.Diff.B {
		partner = s.Diff.InA
	}
	if s.leads == nil {
		s.leads = map[*trace.Tree][]bool{s.Diff.A: keysBelow(s.Diff.A, s.guide), s.Diff.B: keysBelow(s.Diff.B, s.guide)}
	}
	best := diff.None
	for j := i + 1; j < tree.End(i); {
		if partner[j] == diff.None || !s.leads[tree][j] {
			j++
			continue
		}
		if best == diff.None || tree.End(j)-j > tree.End(best)-best {
			best = j
		}
		j = tree.End(j)
	}
	if best == diff.None {
		return nil
	}
	return tree.Call(best)
}

// named names a call in a sentence; where many calls go by one name, with what it is for.
func named(call *trace.Call) string {
	if purpose := purposeOf(call); purpose != "" {
		return fmt.Sprintf("%s (%s)", call.ShortName(), purpose)
	}
	return call.ShortName()
}

// purposeOf is what tells a call of an admission plugin from those of others.
func purposeOf(call *trace.Call) string {
	for _, attribute := range []string{"apitrace.admission.plugin", "apitrace.admission.type"} {
		if value := call.Attributes[attribute]; value != "" {
			return oneLine(shorten(value))
		}
	}
	return ""
}

func callerName(tree *trace.Tree, i int) string {
	if parent := tree.Parent(i); parent >= 0 {
		return tree.Call(parent).ShortName()
	}
	return "-"
}

// valueLabel is an attribute's name in a sentence.
func valueLabel(name string) string {
	return strings.ReplaceAll(strings.TrimPrefix(name, "apitrace."), ".", " ")
}
