package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/apiserver/fault"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// A Comparer makes the comparisons of two recordings. It keeps what it has computed. It is
// not safe for concurrent use.
type Comparer struct {
	recordings *diff.Comparison
	guide      Guide
	options    ComparisonOptions
	words      comparisonWords
	reasons    *diff.Reasons
	// varying are the scenarios of the recordings if their traces differ from run to
	// run.
	varying []*scenarios.Scenario
	// differences and pairs have an element for each pair of requests. It is nil until it is
	// needed. Comparers of several languages share differences (see In).
	differences []*Differences
	pairs       []*Pair
}

// NewComparer prepares the comparison of two recordings. The guide must know the
// functions of both. NewComparer returns an error if the source of a side cannot be
// read.
func NewComparer(c *diff.Comparison, guide Guide, o ComparisonOptions) (*Comparer, error) {
	reasons, err := diff.NewReasons(c)
	if err != nil {
		return nil, err
	}
	return newComparer(c, reasons, guide, o), nil
}

func newComparer(c *diff.Comparison, reasons *diff.Reasons, guide Guide, o ComparisonOptions) *Comparer {
	return &Comparer{
		recordings: c, guide: guide, options: o, words: newComparisonWords(c, o), reasons: reasons, varying: varyingScenarios(c),
		differences: make([]*Differences, len(c.Requests)), pairs: make([]*Pair, len(c.Requests)),
	}
}

// In returns a Comparer for the same recordings and options in another language. guide is
// the guide in that language. Both share what does not depend on the language.
func (c *Comparer) In(lang string, guide Guide) *Comparer {
	o := c.options
	o.Lang = lang
	other := newComparer(c.recordings, c.reasons, guide, o)
	other.differences = c.differences
	return other
}

// differencesOf returns the differences of a pair of requests, or nil if one side lacks the
// request. Merge must be called before their merged tree is used.
func (c *Comparer) differencesOf(i int) *Differences {
	if d := c.recordings.Requests[i].Diff; d != nil && c.differences[i] == nil {
		c.differences[i] = NewUnmerged(d, c.guide)
	}
	return c.differences[i]
}

// varyingScenarios returns the recordings' library scenarios with traces that differ
// from run to run.
func varyingScenarios(c *diff.Comparison) []*scenarios.Scenario {
	var all []*scenarios.Scenario
	for _, rec := range []*trace.Recording{c.A, c.B} {
		s, err := scenarios.Known(ownScenario(rec))
		if err != nil || s.Varies.En == "" || len(all) > 0 && all[0].Name == s.Name {
			continue // not in the library, the same on each run, or already in all
		}
		all = append(all, s)
	}
	return all
}

// summary returns the statements about the differences of a pair of requests.
func (c *Comparer) summary(d *Differences) *Summary {
	sides := SideNames{A: c.options.NameA, B: c.options.NameB, Lang: c.options.Lang, Scenarios: c.words.scenarios}
	for _, scenario := range c.varying {
		sides.Varying = append(sides.Varying, scenario.Varies.Callers...)
	}
	return NewSummary(d, c.guide, sides, c.reasons)
}

// All returns the comparisons of all pairs of requests.
func (c *Comparer) All() []*Comparison {
	var all []*Comparison
	for i := range c.recordings.Requests {
		all = append(all, c.Pair(i).Comparison(c.options.Choice))
	}
	return all
}

// warnings returns warnings about differences that may not come from upstream: other
// traced packages, edited files, recordings of different scenarios, and scenarios with
// traces that differ from run to run.
func (c *Comparer) warnings() []string {
	w, a, b := &c.words, c.recordings.A, c.recordings.B
	texts := []string{}
	if c.recordings.OtherEdition() {
		texts = append(texts, w.Sprintf("%s and %s were recorded by two editions of apitrace that trace different packages: a call that one side lacks may have run there untraced; to be sure, record both with one apitrace", w.nameA, w.nameB))
	}
	moreA, moreB := a.More(), b.More()
	for _, side := range []struct {
		name string
		more []string
	}{{w.nameA, moreA}, {w.nameB, moreB}} {
		if len(side.more) > 0 {
			texts = append(texts, w.Sprintf("%s also traces packages that --trace named: %s", side.name, oneLine(message.List(side.more).Localize(w.Printer))))
		}
	}
	if !slices.Equal(moreA, moreB) {
		texts = append(texts, w.Sprintf("%s and %s trace different packages: what one side lacks may only not have been traced there; give both the same --trace to be sure", w.nameA, w.nameB))
	}
	for _, side := range []struct {
		name   string
		edited []string
	}{{w.nameA, a.Edited}, {w.nameB, b.Edited}} {
		if len(side.edited) > 0 {
			texts = append(texts, w.Sprintf("%s is not upstream's program: built with edits of %s", side.name, oneLine(message.List(side.edited).Localize(w.Printer))))
		}
	}
	if ownA, ownB := ownScenario(a), ownScenario(b); ownA != ownB && ownA != "" && ownB != "" {
		for _, side := range []struct{ fault, own string }{{a.Scenario, ownA}, {b.Scenario, ownB}} {
			if side.fault != side.own {
				texts = append(texts, w.Sprintf("%s is a recording of the scenario %s: the differences below are those of two scenarios, not of the fault; compare it with %[2]s", side.fault, side.own))
			}
		}
	}
	for _, scenario := range c.varying {
		if !c.recordings.Same() {
			texts = append(texts, w.Sprintf("the traces of %s differ from run to run: %s", scenario.Name, scenario.Varies.In(w.Lang())))
		}
	}
	return texts
}

// ownScenario returns the scenario that a recording replays. A recording of a fault of
// the course replays the fault's scenario. The result is "" if the scenario is not
// known.
func ownScenario(rec *trace.Recording) string {
	if len(rec.Edited) != 1 || rec.Edited[0] != rec.Scenario {
		return rec.Scenario
	}
	if f, err := fault.Find(rec.Scenario); err == nil && f != nil {
		return f.Scenario
	}
	return ""
}

// A Pair is a pair of requests to compare. The parts that do not depend on the choice
// of changes are computed once.
type Pair struct {
	*Comparer
	pair *diff.RequestPair

	// The fields below are nil if one side lacks the request.
	differences *Differences
	said        *Summary
	// by inverts Summary.Instead: it maps a replaced call to its replacement.
	by map[int]int
	// merged, a and b give the calls of the merged tree and of both sides the names for
	// links. They are nil until a tree is written.
	merged, a, b *trace.Places
}

// Pair prepares a pair of requests, counted from 0.
func (c *Comparer) Pair(i int) *Pair {
	if c.pairs[i] != nil {
		return c.pairs[i]
	}
	p := &Pair{Comparer: c, pair: &c.recordings.Requests[i], differences: c.differencesOf(i)}
	c.pairs[i] = p
	if p.differences == nil {
		return p
	}
	p.differences.Merge()
	p.said, p.by = c.summary(p.differences), map[int]int{}
	for is, was := range p.said.Instead {
		p.by[was] = is
	}
	return p
}

// Differences returns the differences and the merged tree; nil if one side lacks the
// request.
func (p *Pair) Differences() *Differences { return p.differences }

// Summary returns the statements about the differences; nil if one side lacks the
// request.
func (p *Pair) Summary() *Summary { return p.said }

// About returns the sentences about changes at calls of the merged tree. These are the
// sentences of the summary about these calls. Each change without such a sentence, such as a
// smaller one, has a sentence of its own. Both sides must have the request.
func (p *Pair) About(calls []int) []ComparedSentence {
	var about LayerSummary
	told := map[int]bool{}
	for _, l := range p.said.Layers {
		for _, st := range l.Statements {
			at := slices.DeleteFunc(slices.Clone(calls), func(call int) bool { return !slices.Contains(st.Calls, call) })
			if len(at) > 0 {
				about.add(st)
			}
			for _, call := range at {
				told[call] = true
			}
		}
	}
	for _, call := range calls {
		for _, n := range p.said.Merged.Changes[call] {
			c := &p.said.Changes[n]
			if told[call] && (c.Telling || p.said.MovedWithPackage(c.Change)) {
				continue
			}
			for _, st := range p.said.Of(c) {
				about.add(st)
			}
		}
	}
	return p.sentences(about.Statements)
}

// AboutAbove returns the sentences about the nearest change above a call that only one side makes:
// the call came or went with it. It returns none if both sides make the call.
func (p *Pair) AboutAbove(call int) []ComparedSentence {
	for p.said.onOneSide(call) {
		if call = p.said.Merged.Tree.Parent(call); call < 0 || !p.said.onOneSide(call) {
			break
		}
		if about := p.About([]int{call}); len(about) > 0 {
			return about
		}
	}
	return nil
}

// AboutSection returns the sentences of the summary about the part of the server to which a
// section of the merged tree belongs. Both sides must have the request.
func (p *Pair) AboutSection(s *Section) []ComparedSentence {
	at, ok := p.said.index[partOfLayer(s.Layer, p.said.Merged.Tree.Call(s.Root.Calls[0]).Function)]
	if !ok {
		return nil
	}
	return p.sentences(p.said.layers[at].Statements)
}

func (p *Pair) sentences(statements []Statement) (all []ComparedSentence) {
	for i := range statements {
		all = append(all, p.Sentence(&statements[i]))
	}
	return all
}

// Sentence writes a statement in words.
func (c *Comparer) Sentence(st *Statement) ComparedSentence {
	out := ComparedSentence{Kind: st.Kind, Text: st.Text(c.words.Printer, c.words.Duration), Evidence: []string{}, Step: -1}
	if len(st.Calls) > 0 {
		out.Call = st.Calls[0]
	}
	for i := range st.Evidence {
		out.Evidence = append(out.Evidence, st.Evidence[i].In(c.words.Printer))
	}
	return out
}

// Join joins sentences.
func (c *Comparer) Join(sentences []string) string {
	return strings.Join(sentences, c.words.between())
}

// Comparison describes the pair. With choice.Full its tree shows all changes. Otherwise
// Differences.marked selects the changes.
func (p *Pair) Comparison(choice Choice) *Comparison {
	out := p.head()
	if p.differences == nil {
		return out
	}
	out.OnlyIn, out.Facts, out.Changes = "", p.facts(), len(p.differences.Changes)
	w := &comparisonWriter{of: p}
	if !p.options.SummaryOnly && out.Changes > 0 {
		if out.TooMany = p.tooMany(choice); out.TooMany > 0 && !p.options.Places {
			w.addSentences(out, &choice.Filter) // without a tree: no step shows their calls
			return out
		}
		tree := newMergedTree(p.differences, p.words, p.guide, choice)
		if p.options.MostSteps > 0 && tree.Story.Shown > p.options.MostSteps {
			out.TooMany = p.selected(&choice.Filter)
		}
		w.write(out, tree, choice)
	}
	w.addSentences(out, &choice.Filter)
	return out
}

// selects returns a function that reports whether a filter selects a call of the merged
// tree, on either side.
func (p *Pair) selects(filter *Filter) func(call int) bool {
	d := p.differences
	a := newFiltering(filter, d.Diff.A, p.guide, ErrorPathOf(d.Diff.A, p.guide), false)
	b := newFiltering(filter, d.Diff.B, p.guide, ErrorPathOf(d.Diff.B, p.guide), false)
	return func(call int) bool {
		onA, onB := d.Merged.A[call], d.Merged.B[call]
		return onA != diff.None && a.selects(onA) || onB != diff.None && b.selects(onB)
	}
}

// selected returns the number of changes that a filter selects. The merged tree must
// exist.
func (p *Pair) selected(filter *Filter) int {
	if !filter.Active() {
		return len(p.differences.Changes)
	}
	selects, n := p.selects(filter), 0
	for i := range p.differences.Changes {
		if selects(p.differences.Changes[i].At) {
			n++
		}
	}
	return n
}

// tooMany returns the number of changes in the default view if there are too many to
// read. Otherwise, and in the full or a filtered view, it returns 0.
func (p *Pair) tooMany(choice Choice) int {
	const readable = 150
	n := 0
	for _, c := range p.differences.Changes {
		if c.Telling {
			n++
		}
	}
	if n <= readable || choice.Full || choice.Filter.Active() {
		return 0
	}
	return n
}

// head returns a Comparison that names the requests and both sides. OnlyIn is always
// set; Comparison clears it if both sides have the request.
func (p *Pair) head() *Comparison {
	c, w := p.recordings, &p.words
	out := &Comparison{
		RequestA: numberOf(c.A, p.pair.A), RequestB: numberOf(c.B, p.pair.B), Pairs: []ComparedPair{},
		Lang: w.Lang(), NameA: w.nameA, NameB: w.nameB, Same: p.pair.Same(),
		Warnings: p.warnings(), Legend: []string{}, Layers: []ComparedLayer{}, Unchanged: []string{}, Sections: []ComparedSection{},
	}
	for i := range c.Requests {
		r := c.Requests[i].B
		if r == nil {
			r = c.Requests[i].A
		}
		out.Pairs = append(out.Pairs, ComparedPair{requestLine(r), c.Requests[i].Same()})
	}
	if r := p.pair.A; r != nil {
		out.Request, out.StatusA, out.CallsA = requestLine(r), r.Status, len(r.Calls)
		out.OnlyIn = w.onlyIn(w.nameA)
	}
	if r := p.pair.B; r != nil {
		if was := out.Request; was != requestLine(r) {
			out.Was = was
		}
		out.Request, out.StatusB, out.CallsB = requestLine(r), r.Status, len(r.Calls)
		out.OnlyIn = w.onlyIn(w.nameB)
	}
	return out
}

func requestLine(r *trace.Request) string { return r.Method + " " + oneLine(r.AnyPath()) }

// numberOf returns a request's number in a recording, counted from 1, or 0 if the
// recording does not have the request.
func numberOf(rec *trace.Recording, r *trace.Request) int {
	for i := range rec.Requests {
		if &rec.Requests[i] == r {
			return i + 1
		}
	}
	return 0
}

// facts counts both sides' calls, and the changes by kind. ComparisonOptions.Times adds
// both durations.
func (p *Pair) facts() string {
	w, counts, calls := &p.words, map[diff.Kind]int{}, map[diff.Kind]int{}
	for _, c := range p.differences.Changes {
		counts[c.Kind]++
		calls[c.Kind] += c.Calls
	}
	var said []string
	all := 0
	for _, kind := range kinds {
		if n := counts[kind]; n > 0 {
			text := fmt.Sprintf("%s %d %s", marks[kind], n, w.kind(kind))
			if calls[kind] > n { // calls below them came or went with them
				text += w.Sprintf(" (%s calls)", Thousands(calls[kind]))
			}
			said = append(said, text)
			all += n
		}
	}
	if p.pair.Diff.Same() {
		said = append([]string{w.samePath()}, said...)
	}
	a, b := p.pair.A, p.pair.B
	text := w.Sprintf("%s %s %s calls", Thousands(len(a.Calls)), w.Arrow, Thousands(len(b.Calls)))
	if p.options.Times {
		text = w.Clauses(text, fmt.Sprintf("%s %s %s", w.Duration(a.Took().Nanoseconds()), w.Arrow, w.Duration(b.Took().Nanoseconds())))
	}
	if all > 0 {
		text = w.Clauses(text, w.Plural(all, "%s change", "%s changes", Thousands(all)))
	}
	return text + w.colon() + w.Clauses(said...)
}

// sourcePlace describes the line of a call's function on one side. The line is at
// upstream's tag, or at the commit of a checkout.
func sourcePlace(names *Names, rec *trace.Recording, committed *trace.CommittedTree, call *trace.Call) *SourcePlace {
	out := &SourcePlace{Name: names.Of(call), Place: names.Place(call), URL: rec.SourceURL(call)}
	if committed == nil {
		return out
	}
	line, state := committed.Line(call)
	switch {
	case state == trace.UncommittedLine:
		out.Uncommitted = true
	case state == trace.CommittedLine && line == "":
		out.Unpublished = true
	case state == trace.CommittedLine:
		out.URL = line
	}
	return out
}

// changeURLs returns upstream's addresses for a change's code: the call's place on
// each side and, if both are in the same file, the comparison of this file.
func (p *Pair) changeURLs(change diff.Change) []string {
	c, d := p.recordings, p.pair.Diff
	var urls []string
	add := func(url string) {
		if url != "" && !slices.Contains(urls, url) {
			urls = append(urls, url)
		}
	}
	if change.A != diff.None {
		add(c.A.SourceURL(d.A.Call(change.A)))
	}
	if change.B != diff.None {
		add(c.B.SourceURL(d.B.Call(change.B)))
	}
	if change.A != diff.None && change.B != diff.None && d.A.Call(change.A).File == d.B.Call(change.B).File {
		add(trace.CompareURL(c.A, c.B, d.B.Call(change.B)))
	}
	return urls
}
