package render

import (
	"slices"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/view"
)

// A DiffTree is the drawing of WriteDiff for one pair of requests, as data: the sentences, and the merged tree of both
// with marks, for a front end with a layout of its own. Calls are those of the merged tree, in order of entry.
type DiffTree struct {
	Lang    string `json:"lang" description:"The language of all sentences, en or zh."`
	NameA   string `json:"nameA" description:"What side A is called: a release, or a scenario."`
	NameB   string `json:"nameB" description:"What side B is called."`
	Request string `json:"request" description:"Method and path of the request."`
	// RequestA and RequestB are the numbers of the request, Pairs all pairs of requests.
	RequestA int        `json:"requestA" description:"Number of the request on side A, from 1; 0 if that does not have it."`
	RequestB int        `json:"requestB" description:"Number of the request on side B, from 1; 0 if that does not have it."`
	Pairs    []DiffPair `json:"pairs" description:"All pairs of requests, in order."`
	StatusA  int        `json:"statusA" description:"HTTP status of side A, 0 if that does not have the request."`
	StatusB  int        `json:"statusB" description:"HTTP status of side B."`
	CallsA   int        `json:"callsA" description:"How many calls side A has."`
	CallsB   int        `json:"callsB" description:"How many calls side B has."`
	Same     bool       `json:"same" description:"Whether both took the same path to the same answer."`
	OnlyIn   string     `json:"onlyIn,omitempty" description:"Which side alone has the request; absent if both do. There is no tree then."`
	Facts    string     `json:"facts" description:"How many calls and changes there are, in words."`
	// Warnings say what may be no change of upstream's.
	Warnings []string `json:"warnings" description:"What may be no change of upstream's, such as edited files."`
	Legend   []string `json:"legend" description:"The marks that steps have here, each with its meaning."`
	// Layers and Unchanged are the summary.
	Layers    []DiffTreeLayer `json:"layers" description:"What changed, by layer."`
	Unchanged []string        `json:"unchanged" description:"Titles of the layers in which no difference is recorded."`
	Changes   int             `json:"changes" description:"How many changes there are."`
	Shown     int             `json:"shown" description:"How many of them the steps show."`
	// TooMany counts the changes of a first look that are too many for it: then there are no sections.
	TooMany  int               `json:"tooMany,omitempty" description:"How many changes a first look would have to show if those are too many: then there are no sections. Ask for one layer, or for all. Absent otherwise."`
	Sections []DiffTreeSection `json:"sections" description:"The sections of the merged tree."`
}

// A DiffPair is a request of both sides, or of one.
type DiffPair struct {
	Request string `json:"request" description:"Method and path."`
	Same    bool   `json:"same" description:"Whether both took the same path to the same answer."`
}

// A DiffTreeLayer is a LayerSummary.
type DiffTreeLayer struct {
	Name      string             `json:"name" description:"Name of the layer, empty for what is in none."`
	Title     string             `json:"title" description:"Title of the layer."`
	Colour    string             `json:"colour" description:"Colour of the layer, empty if it has none."`
	Sentences []DiffTreeSentence `json:"sentences" description:"What changed."`
	Smaller   int                `json:"smaller" description:"How many changes are in no sentence."`
}

// A DiffTreeSentence is a sentence and its place.
type DiffTreeSentence struct {
	Text string `json:"text" description:"The sentence, without a full stop."`
	// Evidence are lines that belong below the sentence.
	Evidence []string `json:"evidence" description:"How the sentence is known, or on what it depends: one line each."`
	// Call is the first call of which it tells, Step the nearest shown one at or above that.
	Call int `json:"call" description:"The first call of which it tells."`
	Step int `json:"step" description:"The step that shows that call, or the nearest above it; -1 if there are no sections."`
}

// A DiffTreeSection is a section of the merged tree.
type DiffTreeSection struct {
	Number int          `json:"number" description:"Counts from 1."`
	Layer  string       `json:"layer" description:"Name of the layer, empty if the section is in none."`
	Title  string       `json:"title" description:"Title of the layer for people."`
	Colour string       `json:"colour" description:"Colour of the layer, empty if it has none."`
	Called string       `json:"called,omitempty" description:"Who called the section's first step; absent for the first section."`
	Root   DiffTreeStep `json:"root" description:"The step with which the request enters the layer."`
	// Instead stands here and not below its caller, so that both are in one place.
	Instead *DiffTreeStep `json:"instead,omitempty" description:"The step of side A whose place the first step took; absent if it took none, or if that step leads on itself."`
}

// A DiffTreeStep is a step of the merged tree. If only one side has the call, the number of the other side is -1.
type DiffTreeStep struct {
	Call     int       `json:"call" description:"The step's call in the merged tree; the first one if it stands for several."`
	Calls    []int     `json:"calls,omitempty" description:"All calls that the step stands for; absent if it is one."`
	A        *DiffSpot `json:"a,omitempty" description:"The call on side A; absent if that does not make it."`
	B        *DiffSpot `json:"b,omitempty" description:"The call on side B; absent if that does not make it."`
	Function string    `json:"function" description:"Full name of the function, that of side B if that makes the call."`
	Caller   string    `json:"caller" description:"Full name of the function above it in the merged tree, empty for the first call."`
	Nth      int       `json:"nth" description:"Which of the calls of the function below that one it is, from 1. Function, caller and nth name a place in a link."`
	Name     string    `json:"name" description:"What the step is called."`
	Place    string    `json:"place,omitempty" description:"Folder, file and line of the function."`
	Layer    string    `json:"layer" description:"Name of the function's layer, empty if it has none."`
	Colour   string    `json:"colour" description:"Colour of the layer."`
	Key      bool      `json:"key" description:"Whether it is a key step."`
	// Change is "" for a step that is the same on both sides.
	Change string `json:"change" description:"added if side B alone makes the call, removed if side A alone does, changed if something else differs, empty if nothing does." enum:"|added|removed|changed"`
	Mark   string `json:"mark" description:"The signs of what changed, as the terminal has them; empty for nothing."`
	// Details say what changed.
	Details []string    `json:"details" description:"What changed at the call: its old name, caller, count or values."`
	Values  []DiffValue `json:"values" description:"The values that differ."`
	// Was is set for a call that has moved.
	Was *DiffOrigin `json:"was,omitempty" description:"Where a moved call was on side A; absent if it has not moved."`
	// Instead and By point at each other.
	Instead      *DiffOrigin    `json:"instead,omitempty" description:"The call of side A whose place this call of side B took; absent if a sentence says no such thing."`
	By           *DiffOrigin    `json:"by,omitempty" description:"The call of side B that took the place of this call of side A; absent if a sentence says no such thing."`
	Compare      string         `json:"compare,omitempty" description:"Where upstream shows what happened to the file; absent if that is not known."`
	Folded       int            `json:"folded" description:"How many calls are folded of which this step is the nearest caller."`
	Through      int            `json:"through" description:"How many folded calls lie between the step above and this one."`
	NewGoroutine bool           `json:"newGoroutine,omitempty" description:"Whether it runs on a new goroutine: one that its caller, or a call between the two, started."`
	Handoff      string         `json:"handoff,omitempty" description:"The queue, such as raft, through which its caller handed it over to another goroutine; absent if it did not."`
	Process      string         `json:"process,omitempty" description:"The process that is entered with the step; absent if it is the caller's."`
	Section      int            `json:"section,omitempty" description:"Number of the section that begins with the step; absent if none does."`
	Children     []DiffTreeStep `json:"children" description:"The steps that it called, or that calls folded below it called."`
}

// A DiffSpot is a call on one side.
type DiffSpot struct {
	Call     int    `json:"call" description:"Number of the call in its own request."`
	Function string `json:"function" description:"Full name of the function."`
	Name     string `json:"name" description:"Its short name."`
	Place    string `json:"place" description:"File and line of the function."`
	Caller   string `json:"caller" description:"Full name of the function that called it."`
	Nth      int    `json:"nth" description:"Which of the calls of the function by that caller it is, from 1."`
	Time     string `json:"time" description:"How long it took, empty if only its entry was recorded."`
	URL      string `json:"url,omitempty" description:"Where upstream shows the function; absent if that is not known."`
}

// A DiffOrigin is another call that belongs to a change: the caller before a call moved, or the call whose place it took.
type DiffOrigin struct {
	Name string `json:"name" description:"Short name of that call's function."`
	Step int    `json:"step" description:"The step that shows that call, or the nearest above it."`
}

// mostDiffSteps is the maximum number of calls in a tree; that of two starts of a server would have 30 MB.
const mostDiffSteps = 5000

// DiffTrees makes the DiffTrees of one pair of requests in one language. What does not depend on the choice of changes is made once.
type DiffTrees struct {
	comparison *diff.Comparison
	pair       *diff.RequestPair
	guide      Guide
	options    DiffOptions

	// What follows is nil if one side lacks the request.
	finder      *diff.Reasons
	differences *Differences
	summary     *view.Summary
	// by is Summary.Instead the other way round.
	by           map[int]int
	merged, a, b *trace.Places
}

// NewDiffTrees prepares a pair of requests.
func NewDiffTrees(c *diff.Comparison, pair *diff.RequestPair, guide Guide, options DiffOptions) (*DiffTrees, error) {
	t := &DiffTrees{comparison: c, pair: pair, guide: guide, options: options}
	if pair.Diff == nil {
		return t, nil
	}
	finder, err := diff.NewReasons(c)
	if err != nil {
		return nil, err
	}
	t.finder, t.differences = finder, view.NewDifferences(pair.Diff, guide)
	t.merged, t.a, t.b = trace.NewPlaces(t.differences.Merged.Tree), trace.NewPlaces(pair.Diff.A), trace.NewPlaces(pair.Diff.B)
	t.summary, t.by = view.NewSummary(t.differences, guide, options.sides(c), finder), map[int]int{}
	for is, was := range t.summary.Instead {
		t.by[was] = is
	}
	return t, nil
}

// Differences returns what differs, with the merged tree; nil if one side lacks the request.
func (t *DiffTrees) Differences() *Differences { return t.differences }

// Tree returns the tree with all changes, or those that concern key steps; of some layers, or without any of all.
func (t *DiffTrees) Tree(full bool, layers []string) *DiffTree {
	doc := t.head()
	if t.differences == nil {
		return doc
	}
	options := t.options
	options.Full, options.Filter.Layers = full, layers
	d := newDiffDrawing(t.comparison, t.pair, t.differences, t.guide, options)
	d.finder = t.finder
	w := &diffTreeWriter{diffDrawing: d, trees: t, steps: map[int]int{}, instead: map[*node]*node{}}
	doc.OnlyIn, doc.Facts, doc.Changes, doc.TooMany = "", d.diffFacts(), len(d.Changes), d.tooMany()
	if d.story.Shown > mostDiffSteps {
		doc.TooMany = len(d.Changes)
	}
	if doc.TooMany == 0 && len(d.Changes) > 0 {
		w.write(doc)
	}
	w.addSentences(doc)
	return doc
}

// head says what is compared.
func (t *DiffTrees) head() *DiffTree {
	c, pair, words := t.comparison, t.pair, t.options.words(t.comparison)
	doc := &DiffTree{
		RequestA: numberOf(c.A, pair.A), RequestB: numberOf(c.B, pair.B), Pairs: []DiffPair{},
		Lang: message.For(t.options.Lang).Lang(), NameA: t.options.NameA, NameB: t.options.NameB, Same: pair.Same(),
		Warnings: append([]string{}, t.options.warnings(c)...), Legend: []string{}, Layers: []DiffTreeLayer{}, Unchanged: []string{}, Sections: []DiffTreeSection{},
	}
	for i := range c.Requests {
		r := c.Requests[i].B
		if r == nil {
			r = c.Requests[i].A
		}
		doc.Pairs = append(doc.Pairs, DiffPair{r.Method + " " + oneLine(r.Path), c.Requests[i].Same()})
	}
	if r := pair.A; r != nil {
		doc.Request, doc.StatusA, doc.CallsA = r.Method+" "+oneLine(r.Path), r.Status, len(r.Calls)
		doc.OnlyIn = words.onlyIn(t.options.NameA)
	}
	if r := pair.B; r != nil {
		doc.Request, doc.StatusB, doc.CallsB = r.Method+" "+oneLine(r.Path), r.Status, len(r.Calls)
		doc.OnlyIn = words.onlyIn(t.options.NameB)
	}
	return doc
}

// numberOf returns the number of a request in a recording, counted from 1; 0 if the recording does not have it.
func numberOf(rec *trace.Recording, r *trace.Request) int {
	for i := range rec.Requests {
		if &rec.Requests[i] == r {
			return i + 1
		}
	}
	return 0
}

type diffTreeWriter struct {
	*diffDrawing
	trees *DiffTrees
	// steps are, by call of the merged tree, the first call of the step that shows it.
	steps map[int]int
	// instead are the steps that stand in the section of what took their place, by the first step of that section.
	instead map[*node]*node
}

// write adds the sections.
func (w *diffTreeWriter) write(doc *DiffTree) {
	doc.Legend = w.legend()
	for _, c := range w.Changes {
		if w.shows(c) {
			doc.Shown++
		}
	}
	var note func(n *node)
	note = func(n *node) {
		for _, call := range n.Calls {
			w.steps[call] = n.Calls[0]
		}
		for _, child := range n.Children {
			if was := w.placeTaken(n, child); was != nil {
				w.instead[child] = was
			}
			note(child)
		}
	}
	note(w.story.Root)
	for _, s := range w.story.Sections {
		section := DiffTreeSection{
			Number: s.Number, Layer: s.Layer, Title: w.story.Title(s, w.guide, w.lang), Colour: view.LayerColour(s.Layer),
			Called: w.called(s), Root: w.step(s.Root),
		}
		if was := w.instead[s.Root]; was != nil {
			step := w.stepAlone(was)
			section.Instead = &step
		}
		doc.Sections = append(doc.Sections, section)
	}
}

// placeTaken returns, of the steps beside one that opens a section, the one whose place that took; nil if there is none, or if it leads on
// itself.
func (w *diffTreeWriter) placeTaken(parent, n *node) *node {
	was, ok := w.trees.summary.Instead[n.Calls[0]]
	if !ok || n.Opens == nil {
		return nil
	}
	for _, beside := range calledBy(parent) {
		if slices.Equal(beside.Calls, []int{was}) && beside.Opens == nil && len(beside.Children) == 0 {
			return beside
		}
	}
	return nil
}

// legend explains the marks that steps have.
func (w *diffTreeWriter) legend() []string {
	texts := []string{
		diffMarks[diff.Added] + " " + w.words.onlyIn(w.options.NameB), diffMarks[diff.Removed] + " " + w.words.onlyIn(w.options.NameA),
	}
	for _, kind := range diffKinds[2:] {
		if slices.ContainsFunc(w.Changes, func(c ShownChange) bool { return c.Kind == kind && w.shows(c) }) {
			texts = append(texts, diffMarks[kind]+" "+w.words.kind(kind))
		}
	}
	return texts
}

// stepOf returns the step that shows a call, or the nearest above it; -1 if there is none.
func (w *diffTreeWriter) stepOf(call int) int {
	for ; call >= 0; call = w.Merged.Tree.Parent(call) {
		if step, ok := w.steps[call]; ok {
			return step
		}
	}
	return -1
}

// addSentences adds the sentences, with the steps of the tree that they lead to.
func (w *diffTreeWriter) addSentences(doc *DiffTree) {
	doc.Unchanged = append(doc.Unchanged, w.trees.summary.Unchanged...)
	for _, l := range w.trees.summary.Layers {
		out := DiffTreeLayer{Name: l.Layer, Title: l.Title, Colour: view.LayerColour(l.Layer), Sentences: []DiffTreeSentence{}, Smaller: l.Smaller}
		for i := range l.Statements {
			st := &l.Statements[i]
			said, first := w.words.statement(st), st.Calls[0]
			out.Sentences = append(out.Sentences, DiffTreeSentence{Text: said.Text, Evidence: append([]string{}, said.Evidence...), Call: first, Step: w.stepOf(first)})
		}
		doc.Layers = append(doc.Layers, out)
	}
}

// step describes a step and the steps that it called in its section.
func (w *diffTreeWriter) step(n *node) DiffTreeStep {
	out := w.stepAlone(n)
	children := calledBy(n)
	elsewhere := func(child *node) bool {
		return slices.ContainsFunc(children, func(by *node) bool { return w.instead[by] == child })
	}
	for _, child := range children {
		switch {
		case child.Opens != nil:
			link := w.stepAlone(child)
			link.Section = child.Opens.Number
			out.Children = append(out.Children, link)
		case !elsewhere(child):
			out.Children = append(out.Children, w.step(child))
		}
	}
	return out
}

func (w *diffTreeWriter) stepAlone(n *node) DiffTreeStep {
	i := n.Calls[0]
	call := w.Merged.Tree.Call(i)
	name := w.trees.merged.Name(i)
	out := DiffTreeStep{
		Call: i, A: w.spot(w.comparison.A, w.Diff.A, w.trees.a, w.Merged.A[i]), B: w.spot(w.comparison.B, w.Diff.B, w.trees.b, w.Merged.B[i]),
		Function: call.Function, Caller: name.Caller, Nth: name.Nth, Name: w.name(n), Layer: n.Layer, Colour: view.LayerColour(n.Layer), Key: n.Key,
		Mark: w.mark(i), Details: []string{}, Values: []DiffValue{}, Folded: n.Folded() + n.Cut, Through: n.Through, NewGoroutine: n.NewGoroutine, Handoff: n.Handoff,
		Children: []DiffTreeStep{},
	}
	switch {
	case out.A == nil:
		out.Change = "added"
	case out.B == nil:
		out.Change = "removed"
	case out.Mark != "":
		out.Change = "changed"
	}
	if len(n.Calls) > 1 {
		out.Calls = slices.Clone(n.Calls)
	}
	if at := w.at(n); at != nil {
		out.Place = w.placeIn(at)
	}
	if n.Crossing {
		out.Process = call.Process
	}
	if names := w.groupNames(n); names != "" {
		out.Details = append(out.Details, oneLine(names))
	}
	for _, at := range w.Merged.Changes[i] {
		w.tell(&out, w.Changes[at])
	}
	if was, ok := w.trees.summary.Instead[i]; ok {
		out.Instead = w.origin(was)
	}
	if is, ok := w.trees.by[i]; ok {
		out.By = w.origin(is)
	}
	return out
}

func (w *diffTreeWriter) origin(call int) *DiffOrigin {
	return &DiffOrigin{Name: w.Merged.Tree.Call(call).ShortName(), Step: w.stepOf(call)}
}

// tell adds one change to its step.
func (w *diffTreeWriter) tell(out *DiffTreeStep, c ShownChange) {
	out.Details = append(out.Details, w.detailTexts(c)...)
	for _, v := range c.Values {
		out.Values = append(out.Values, DiffValue(v))
	}
	if c.Kind == diff.Moved {
		if parent := w.Diff.A.Parent(c.A); parent >= 0 {
			out.Was = &DiffOrigin{Name: w.Diff.A.Call(parent).ShortName(), Step: w.stepOf(w.Merged.AtA[parent])}
		}
	}
	if out.A != nil && out.B != nil && w.Diff.A.Call(c.A).File == w.Diff.B.Call(c.B).File {
		out.Compare = trace.CompareURL(w.comparison.A, w.comparison.B, w.Diff.B.Call(c.B))
	}
}

func (w *diffTreeWriter) spot(rec *trace.Recording, tree *trace.Tree, places *trace.Places, i int) *DiffSpot {
	if i == diff.None {
		return nil
	}
	call, name := tree.Call(i), places.Name(i)
	return &DiffSpot{
		Call: i, Function: call.Function, Name: call.ShortName(), Place: w.placeIn(call), Caller: name.Caller, Nth: name.Nth,
		Time: Took(call, false), URL: rec.SourceURL(call),
	}
}
