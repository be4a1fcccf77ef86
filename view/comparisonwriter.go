package view

import (
	"fmt"
	"slices"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// A comparisonWriter describes the merged tree of a pair.
type comparisonWriter struct {
	stepWriter
	of    *Pair
	tree  *MergedTree
	sides [2]sideWriter
	// steps maps a merged call to the first call of the step that shows it.
	steps map[int]int
	// instead maps a section's first step to the step that it replaced. The
	// section shows both.
	instead map[*Node]*Node
}

// A sideWriter describes the steps of a side.
type sideWriter struct {
	stepWriter
	requests *trace.Tree
	// calls maps a call of the merged tree to the side's call, or to diff.None.
	calls []int
	path  *ErrorPath
}

// call returns the side's call for a node, or nil.
func (s *sideWriter) call(n *Node) *trace.Call {
	if i := s.calls[n.Calls[0]]; i != diff.None {
		return s.requests.Call(i)
	}
	return nil
}

// outcome returns the outcome of a node's call on the side. The side must make the
// call.
func (s *sideWriter) outcome(n *Node) outcome {
	return outcomeOf(s.requests, s.path, s.calls[n.Calls[0]])
}

// write adds the tree and the counts of changes. If Comparison.TooMany is set, it only
// adds the places.
func (w *comparisonWriter) write(out *Comparison, tree *MergedTree, choice Choice) {
	o := w.of.options.Options
	o.Choice = choice
	c, d := w.of.recordings, tree.Diff
	w.tree, w.steps, w.instead = tree, map[int]int{}, map[*Node]*Node{}
	w.stepWriter = newStepWriter(c.B, tree.Story, w.of.guide, o)
	a := newStepWriter(c.A, tree.Story, w.of.guide, o)
	b := w.stepWriter
	a.noted = map[string]bool{} // shared, so that both sides together have each note once
	b.noted = a.noted
	w.sides = [2]sideWriter{
		{a, d.A, tree.Merged.A, ErrorPathOf(d.A, w.guide)},
		{b, d.B, tree.Merged.B, ErrorPathOf(d.B, w.guide)},
	}
	if w.of.options.Places {
		w.addPlaces(out)
	}
	if out.TooMany > 0 {
		return
	}
	if w.of.merged == nil {
		w.of.merged, w.of.a, w.of.b = trace.NewPlaces(tree.Merged.Tree), trace.NewPlaces(d.A), trace.NewPlaces(d.B)
	}
	w.note(tree.Story.Root)
	w.addHidden(out, choice)
	out.Folded = tree.Story.Folded
	out.Legend = w.legend()
	for _, s := range tree.Story.Sections {
		section := ComparedSection{SectionHead: w.sectionHead(s, w.called(s)), Root: w.step(s.Root, nil)}
		if was := w.instead[s.Root]; was != nil {
			step := w.stepAlone(was)
			section.Instead = &step
		}
		out.Sections = append(out.Sections, section)
	}
}

// note fills steps and instead for a node and the nodes below it.
func (w *comparisonWriter) note(n *Node) {
	for _, call := range n.Calls {
		w.steps[call] = n.Calls[0]
	}
	for _, child := range n.Children {
		if was := w.replaced(n, child); was != nil {
			w.instead[child] = was
		}
		w.note(child)
	}
}

// replaced returns the step below parent that n replaced, or nil. n must begin a
// section. A replaced step with steps of its own stays where it is.
func (w *comparisonWriter) replaced(parent, n *Node) *Node {
	was, ok := w.of.said.Instead[n.Calls[0]]
	if !ok || n.Opens == nil {
		return nil
	}
	for _, sibling := range calledBy(parent) {
		if slices.Equal(sibling.Calls, []int{was}) && sibling.Opens == nil && len(sibling.Children) == 0 {
			return sibling
		}
	}
	return nil
}

// addPlaces lists the changes with their places in the source.
func (w *comparisonWriter) addPlaces(out *Comparison) {
	o, c := &w.of.options, w.of.recordings
	for _, change := range w.tree.Changes {
		p := ChangePlace{Mark: marks[change.Kind], Telling: change.Telling, Shown: w.tree.Shows(change)}
		if change.A != diff.None {
			p.A = sourcePlace(w.story.Names, c.A, o.CommittedA, w.tree.Diff.A.Call(change.A))
		}
		if change.B != diff.None {
			p.B = sourcePlace(w.story.Names, c.B, o.CommittedB, w.tree.Diff.B.Call(change.B))
		}
		out.Places = append(out.Places, p)
	}
}

// addHidden counts the changes that the tree shows, and names the other changes if
// there are few. With a filter, it names none.
func (w *comparisonWriter) addHidden(out *Comparison, choice Choice) {
	const most = 5
	for _, c := range w.tree.Changes {
		if w.tree.Shows(c) {
			out.Shown++
			continue
		}
		if len(out.Hidden) <= most {
			call := w.tree.Merged.Tree.Call(c.At)
			out.Hidden = append(out.Hidden, fmt.Sprintf("%s %s %s", marks[c.Kind], w.story.Names.Of(call), w.story.Names.Place(call)))
		}
	}
	if len(out.Hidden) > most || choice.Filter.Active() {
		out.Hidden = nil
	}
}

// legend explains the marks of added and removed steps, and of the other changes that
// the tree shows.
func (w *comparisonWriter) legend() []string {
	words := &w.of.words
	texts := []string{marks[diff.Added] + " " + words.onlyIn(words.nameB), marks[diff.Removed] + " " + words.onlyIn(words.nameA)}
	for _, kind := range kinds[2:] {
		if slices.ContainsFunc(w.tree.Changes, func(c ShownChange) bool { return c.Kind == kind && w.tree.Shows(c) }) {
			texts = append(texts, marks[kind]+" "+words.kind(kind))
		}
	}
	return texts
}

// stepOf returns the step that shows a call, or else the nearest step above. If there
// is none, it returns -1.
func (w *comparisonWriter) stepOf(call int) int {
	for ; call >= 0; call = w.of.differences.Merged.Tree.Parent(call) {
		if step, ok := w.steps[call]; ok {
			return step
		}
	}
	return -1
}

// addSentences adds the sentences, each with the step that shows its call. It leaves
// out sentences about calls that the filter does not select, unless
// ComparisonOptions.EverySentence is set.
func (w *comparisonWriter) addSentences(out *Comparison, filter *Filter) {
	layers, unchanged := w.of.said.Layers, w.of.said.Unchanged
	if filter.Active() && !w.of.options.EverySentence {
		layers, unchanged, out.LeftOut = w.of.said.selected(w.of.selects(filter))
	}
	out.Unchanged = append(out.Unchanged, unchanged...)
	for _, l := range layers {
		layer := ComparedLayer{Name: l.Layer, Title: l.Title, Colour: LayerColour(l.Layer), Sentences: []ComparedSentence{}, Smaller: l.Smaller}
		for i := range l.Statements {
			sentence := w.of.Sentence(&l.Statements[i])
			sentence.Step = w.stepOf(sentence.Call)
			layer.Sentences = append(layer.Sentences, sentence)
		}
		out.Layers = append(out.Layers, layer)
	}
	out.NoReason = w.noReason(out.Layers)
}

// noReason says what a sentence without evidence means, if some sentences have evidence
// and others have none.
func (w *comparisonWriter) noReason(layers []ComparedLayer) string {
	with, without := false, false
	for _, l := range layers {
		for _, s := range l.Sentences {
			with, without = with || len(s.Evidence) > 0, without || len(s.Evidence) == 0
		}
	}
	if with && without {
		return w.of.words.Sprintf("A sentence without a line below it: the sources show no reason of its own.")
	}
	return ""
}

// called says how a section is entered. In the merged tree, the first step of the
// section is below its caller on side B. If its caller on side A is another step, the
// text names both callers. If only one side makes the call, the text names the caller
// on that side.
func (w *comparisonWriter) called(s *Section) string {
	switch {
	case s.Caller == nil:
		return ""
	case s.Root.Afterwards: // the merged tree has no times
		return saysAfterwards.Localize(w.Printer)
	}
	merged := w.entryOf(s)
	onA, ok := w.tree.entryOnA(s.Root)
	switch {
	case !ok || onA.by == merged.by:
		return w.entered(merged)
	case w.tree.Merged.B[s.Root.Calls[0]] == diff.None:
		return w.entered(onA)
	}
	words := &w.of.words
	return w.Sprintf("%s: %s; %s: %s", words.nameA, w.entered(onA), words.nameB, w.entered(merged))
}

// step describes a step and the steps that it called in its section. above holds the
// values that a reader has seen at the steps above.
func (w *comparisonWriter) step(n *Node, above values) ComparedStep {
	out := w.stepAlone(n)
	call, side := w.story.First(n), w.sideOf(n)
	w.tell(&out.StepHead, n, call, side.outcome(n))
	for k := range out.Sides {
		if s := &w.sides[k]; out.Sides[k] != nil {
			s.tell(&out.Sides[k].StepHead, n, s.call(n), s.outcome(n))
		}
	}
	texts, shown := w.values(n, above)
	if w.tree.onOneSide(n.Calls[0]) {
		out.Deciding = slices.DeleteFunc(texts, func(v Value) bool { return !v.Decides })
	}
	called := calledBy(n)
	for _, child := range called {
		if child.Opens != nil {
			link := w.stepAlone(child)
			link.Section = child.Opens.Number
			out.Children = append(out.Children, link)
			continue
		}
		step := w.step(child, shown)
		step.Elsewhere = slices.ContainsFunc(called, func(by *Node) bool { return w.instead[by] == child })
		out.Children = append(out.Children, step)
	}
	return out
}

// sideOf returns the side that provides a step's failure: B if B makes the call, else
// A.
func (w *comparisonWriter) sideOf(n *Node) *sideWriter {
	if w.tree.Merged.B[n.Calls[0]] == diff.None {
		return &w.sides[0]
	}
	return &w.sides[1]
}

// stepAlone describes a step without the fields that depend on other steps.
func (w *comparisonWriter) stepAlone(n *Node) ComparedStep {
	i, tree := n.Calls[0], w.tree
	name := w.of.merged.Name(i)
	out := ComparedStep{
		StepHead: w.head(n, w.story.First(n), w.sideOf(n).outcome(n)), Caller: name.Caller, Nth: name.Nth, Change: tree.ChangeAt(i), Mark: tree.Mark(i),
		A: w.spot(w.of.recordings.A, tree.Diff.A, w.of.a, tree.Merged.A[i]), B: w.spot(w.of.recordings.B, tree.Diff.B, w.of.b, tree.Merged.B[i]),
		Details: []string{}, Values: []ComparedValue{}, Children: []ComparedStep{},
	}
	if names := tree.groupNames(n); names != "" {
		out.Details = append(out.Details, oneLine(names))
	}
	for _, at := range tree.Merged.Changes[i] {
		w.addChange(&out, tree.Changes[at])
	}
	if was, ok := w.of.said.Instead[i]; ok {
		out.Instead = w.origin(was)
	}
	if is, ok := w.of.by[i]; ok {
		out.By = w.origin(is)
	}
	if w.of.options.Times {
		out.TimeA, out.TimeB = w.sides[0].time(n, w.Signs), w.sides[1].time(n, w.Signs)
	}
	if w.of.options.SideBySide {
		for k := range w.sides {
			out.Sides[k] = w.side(n, k)
		}
	}
	return out
}

// time returns the sum of the durations of a node's calls on the side. It returns "" if
// the side has no such call, or if only their entry was recorded.
func (s *sideWriter) time(n *Node, signs Signs) string {
	sum, made := int64(0), false
	for _, i := range n.Calls {
		if call := s.calls[i]; call != diff.None && !s.requests.Call(call).Leaf {
			sum, made = sum+s.requests.Call(call).DurationNs, true
		}
	}
	if !made {
		return ""
	}
	return signs.Duration(sum)
}

// side describes a step on side k. It returns nil if the side does not make the call.
func (w *comparisonWriter) side(n *Node, k int) *SideStep {
	s := &w.sides[k]
	call := s.call(n)
	if call == nil {
		return nil
	}
	return &SideStep{StepHead: s.head(n, call, s.outcome(n)), Values: w.changedValues(n, k)}
}

// changedValues returns side k's values of the attributes that differ. It leaves out an
// empty error.
func (w *comparisonWriter) changedValues(n *Node, k int) []Value {
	var all []Value
	for _, at := range w.tree.Merged.Changes[n.Calls[0]] {
		for _, v := range w.tree.Changes[at].Values {
			var both [2]string
			both[0], both[1] = InWordsApart(v)
			value := both[k]
			if v.Name == "error" && value == "" {
				continue // it did not fail on this side
			}
			all = append(all, Value{v.Name, oneLine(valueLabel(v.Name, false) + "=" + QuoteEmpty(quoted([]string{value})[0])), true})
		}
	}
	return all
}

// origin describes a call of the merged tree.
func (w *comparisonWriter) origin(call int) *Origin {
	return &Origin{Name: w.tree.Merged.Tree.Call(call).ShortName(), Step: w.stepOf(call)}
}

// addChange adds one change to its step.
func (w *comparisonWriter) addChange(out *ComparedStep, c ShownChange) {
	a, b := w.tree.Diff.A, w.tree.Diff.B
	out.Details = append(out.Details, w.tree.details(c)...)
	for _, v := range c.Values {
		out.Values = append(out.Values, ComparedValue(v))
	}
	if c.Kind == diff.Moved {
		if parent := a.Parent(c.A); parent >= 0 {
			out.Was = &Origin{Name: a.Call(parent).ShortName(), Step: w.stepOf(w.tree.Merged.AtA[parent])}
		}
	}
	if out.A != nil && out.B != nil && a.Call(c.A).File == b.Call(c.B).File {
		out.Compare = trace.CompareURL(w.of.recordings.A, w.of.recordings.B, b.Call(c.B))
	}
	if w.of.options.Links {
		out.Links = append(out.Links, w.of.changeURLs(c.Change)...)
	}
}

// spot describes call i of a side's tree, or returns nil for diff.None.
func (w *comparisonWriter) spot(rec *trace.Recording, tree *trace.Tree, places *trace.Places, i int) *Spot {
	if i == diff.None {
		return nil
	}
	call, name := tree.Call(i), places.Name(i)
	return &Spot{
		Call: i, Function: call.Function, Name: call.ShortName(), Place: w.story.Names.Place(call), Caller: name.Caller, Nth: name.Nth,
		Time: w.Took(call), URL: rec.SourceURL(call),
	}
}
