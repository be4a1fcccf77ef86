package view

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// A LayerSummary describes the changes in one part of the server.
type LayerSummary struct {
	// Layer is the name of the part's layer, or "". Title is the title of the part.
	Layer, Title string
	// Statements describe the changes that the default view shows.
	Statements []Statement
	// Smaller counts the other changes.
	Smaller int

	// others are the merged calls with the changes that Smaller counts.
	others []int
}

// summarize describes the changes of each part, in the order of parts.
func (s *Summary) summarize() {
	for _, st := range s.statements() {
		for _, statement := range s.statementOf(st) {
			s.say(s.partOfStatement(st), statement, st.calls())
		}
		if st.replaced != nil && len(st.at) == 1 && len(st.replaced.at) == 1 {
			s.Instead[st.at[0]] = st.replaced.at[0]
		}
	}
	for _, p := range s.Packages { // last, because these statements say the least about the calls
		s.say(p.Layer, s.packageMoved(p), s.movedTo(p))
	}
	for i, change := range s.Changes {
		if (!change.Telling || s.folded[i]) && !s.MovedWithPackage(change.Change) {
			l := s.layer(s.partOf(change.At))
			l.others = append(l.others, change.At)
		}
	}
	counted := s.countOnly()
	s.shorten()
	for _, part := range s.parts() {
		at, ok := s.index[part]
		switch title := s.title(part); {
		case ok:
			s.Layers = append(s.Layers, s.layers[at])
		case title != "" && !counted[part]:
			s.Unchanged, s.unchanged = append(s.Unchanged, title), append(s.unchanged, part)
		}
	}
}

// parts returns the parts of the server in the order in which the request enters
// them. The request enters a part with its first key step or, if it has none, with
// its first call. Helpers of a part are often called before the request enters it.
func (s *Summary) parts() []string {
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

// mostStatements limits the statements of a part.
const mostStatements = 12

// shorten limits the number of statements of each part. Each further statement
// counts as a smaller change.
func (s *Summary) shorten() {
	for i := range s.layers {
		l := &s.layers[i]
		kept := min(mostStatements, len(l.Statements))
		for _, st := range l.Statements[kept:] {
			l.others = append(l.others, st.Calls[0])
		}
		l.Statements, l.Smaller = l.Statements[:kept], len(l.others)
	}
}

// countOnly adds statements that count the calls that only one side has, in parts without
// a change. It returns these parts. Calls below a change of another part are counted
// together. Their statement names the outermost call of this change, and stands in the part
// of this call. If no statement describes the change, countOnly adds one.
func (s *Summary) countOnly() (counted map[string]bool) {
	counts := s.countOneSided()
	described := map[int]bool{}
	counted = map[string]bool{}
	for _, n := range counts {
		counted[n.part] = true
		part, calls := n.part, n.calls
		st := s.count(n.side, len(n.calls))
		if !slices.ContainsFunc(n.calls, func(i int) bool { return s.Merged.Tree.Call(i).Function != s.Merged.Tree.Call(n.calls[0]).Function }) {
			st.Callee = s.nameInMerged(n.calls[0]).named()
		}
		if n.above != "" {
			st.Caller, st.Counted = s.nameInMerged(n.top).named(), s.title(n.part)
			s.addCause(n.top, described)
			part, calls = s.partOf(n.top), append([]int{n.top}, n.calls...)
		}
		s.say(part, st, calls)
	}
	return counted
}

// A oneSidedCount counts calls of a part that only one side has.
type oneSidedCount struct {
	countedCalls
	// calls are the counted calls, of the merged tree. top is the result of
	// topOnOneSide for the first of them.
	calls []int
	top   int
}

// countedCalls says which calls are counted together: calls with the same three values.
// above is the function of the call that topOnOneSide returns, or "" if this call is in
// the same part.
type countedCalls struct {
	part  string
	side  Side
	above string
}

// countOneSided counts the calls of one side in the parts without a change, sorted by
// part and side. Larger counts come first.
func (s *Summary) countOneSided() []oneSidedCount {
	var all []oneSidedCount
	index := map[countedCalls]int{}
	for i := range s.Merged.Tree.Len() {
		part := s.partOf(i)
		if _, changed := s.index[part]; changed || !s.onOneSide(i) {
			continue
		}
		of, top := countedCalls{part: part, side: SideA}, s.topOnOneSide(i)
		if s.Merged.A[i] == diff.None {
			of.side = SideB
		}
		if s.partOf(top) != part {
			of.above = s.Merged.Tree.Call(top).Function
		}
		at, known := index[of]
		if !known {
			at = len(all)
			index[of] = at
			all = append(all, oneSidedCount{countedCalls: of, top: top})
		}
		all[at].calls = append(all[at].calls, i)
	}
	slices.SortStableFunc(all, func(a, b oneSidedCount) int {
		return cmp.Or(strings.Compare(a.part, b.part), cmp.Compare(a.side, b.side), cmp.Compare(len(b.calls), len(a.calls)))
	})
	return all
}

// topOnOneSide returns the outermost call of a chain of calls down to call i that only
// one side makes.
func (s *Summary) topOnOneSide(i int) int {
	for above := s.Merged.Tree.Parent(i); above >= 0 && s.onOneSide(above); above = s.Merged.Tree.Parent(above) {
		i = above
	}
	return i
}

// nameInMerged names a call of the merged tree by its call on side B or, if side B
// does not make it, on side A.
func (s *Summary) nameInMerged(i int) name {
	if b := s.Merged.B[i]; b != diff.None {
		return s.nameOf(s.Diff.B, b)
	}
	return s.nameOf(s.Diff.A, s.Merged.A[i])
}

// addCause adds the statements on the change at call top, which only one side makes.
// It adds none if the change is telling or in described, because it already has
// statements then. described is a set of indices of Changes.
func (s *Summary) addCause(top int, described map[int]bool) {
	tree := s.Merged.Tree
	at := slices.IndexFunc(s.Changes, func(c ShownChange) bool {
		same := tree.Parent(c.At) == tree.Parent(top) && tree.Call(c.At).Function == tree.Call(top).Function
		return c.At == top || same && (c.Kind == diff.Added || c.Kind == diff.Removed || c.Kind == diff.Repeated)
	})
	if at < 0 || described[at] || s.Changes[at].Telling {
		return
	}
	described[at] = true
	c := &s.Changes[at]
	for _, st := range s.Of(c) {
		s.say(s.partOf(c.At), st, []int{c.At})
	}
	l := s.layer(s.partOf(c.At))
	if i := slices.Index(l.others, c.At); i >= 0 { // no longer a smaller change
		l.others = slices.Delete(l.others, i, i+1)
	}
}

// A Summary describes in statements how two requests differ.
type Summary struct {
	*Differences
	// Layers are the changed parts of the server, in the order in which the request
	// enters them. Unchanged has the titles of the parts without a difference.
	Layers    []LayerSummary
	Unchanged []string
	// Instead maps a call of side B to the call of side A that it replaces,
	// according to a statement. Both are calls of the merged tree.
	Instead map[int]int

	// unchanged has the names of the parts, in the order of Unchanged.
	unchanged []string
	guide     Guide
	sides     SideNames
	// reasons knows the source of both sides. It may be nil.
	reasons *diff.Reasons
	// layers are the parts with changes. index maps a part to its place in layers.
	layers []LayerSummary
	index  map[string]int
	// said maps a part and the words of a statement to the place of the statement in
	// this part.
	said map[string]int
	// called maps short names to functions, by side.
	called map[*trace.Tree]map[string][]string
	// made has caller and callee pairs, by side; see madeOn.
	made map[*trace.Tree]map[[2]string]bool
	// folded marks the changes that statements on key steps below describe.
	folded map[int]bool
}

// SideNames describes the two sides of a comparison.
type SideNames struct {
	// A and B are the names of the sides.
	A, B string
	// Lang is the language of titles, "en" or "zh".
	Lang string
	// Scenarios is set for two scenarios on one release. Nothing changed over
	// time between them.
	Scenarios bool
	// Varying are functions that make other calls in some runs.
	Varying []scenarios.Function
}

// NewSummary summarizes differences that are merged. reasons may be nil.
func NewSummary(c *Differences, guide Guide, sides SideNames, reasons *diff.Reasons) *Summary {
	s := &Summary{
		Differences: c, Instead: map[int]int{}, guide: guide, sides: sides, reasons: reasons,
		index: map[string]int{}, said: map[string]int{}, called: map[*trace.Tree]map[string][]string{}, folded: map[int]bool{}, made: map[*trace.Tree]map[[2]string]bool{},
	}
	s.summarize()
	return s
}

// impersonation is the name of a part of the authorization layer. This part has its
// own title, and so its own summary.
const impersonation = trace.LayerAuthorization + "/impersonation"

// partOf returns the part of the server for call i of the merged tree.
func (s *Summary) partOf(i int) string {
	return partOf(s.guide, s.Merged.Tree.Call(i).Function)
}

// title returns a part's title, or "".
func (s *Summary) title(part string) string {
	if part == impersonation {
		return message.Of("Impersonation").In(s.sides.Lang)
	}
	return s.guide.Title(part)
}

// layer returns a part's summary, and creates it if needed.
func (s *Summary) layer(name string) *LayerSummary {
	at, ok := s.index[name]
	if !ok {
		at = len(s.layers)
		s.index[name] = at
		title := s.title(name)
		if title == "" {
			title = message.Of("Elsewhere").In(s.sides.Lang)
		}
		layer, _, _ := strings.Cut(name, "/")
		s.layers = append(s.layers, LayerSummary{Layer: layer, Title: title})
	}
	return &s.layers[at]
}

// say adds a statement to a part. calls are the calls of the merged tree that it
// describes. If the part has a statement with the same words, this statement gets
// the calls instead.
func (s *Summary) say(part string, st Statement, calls []int) {
	l := s.layer(part)
	st.Layer = l.Layer
	words := part + "\n" + st.words()
	at, known := s.said[words]
	if !known {
		at = len(l.Statements)
		s.said[words] = at
		l.Statements = append(l.Statements, st)
	}
	l.Statements[at].Calls = append(l.Statements[at].Calls, calls...)
}

// words returns the sentence of a statement and its evidence. say merges statements
// with the same words.
func (st *Statement) words() string {
	p := message.Printer{}
	all := []string{st.Text(p, func(ns int64) string { return strconv.FormatInt(ns, 10) })}
	for i := range st.Evidence {
		all = append(all, st.Evidence[i].In(p))
	}
	return strings.Join(all, "\n")
}

// count returns the statement that only one side has n calls of a layer.
func (s *Summary) count(side Side, n int) Statement {
	st := s.statement(StatementCount)
	st.Only, st.B = side, int64(n)
	return st
}

// movedTo returns the calls of the merged tree with a function that moved as part of
// p.
func (s *Summary) movedTo(p PackageMove) []int {
	var calls []int
	for _, c := range s.Changes {
		if from, to, ok := s.packageOnly(c.Change); ok && from == p.From && to == p.To {
			calls = append(calls, c.At)
		}
	}
	return calls
}

func (s *Summary) packageMoved(p PackageMove) Statement {
	st := s.statement(StatementPackage)
	st.B, st.Was, st.Callee = int64(p.Functions), Named{Name: p.From}, Named{Name: p.To}
	return st
}

// selected returns the parts of the summary that concern selected calls. layers has
// the statements about selected calls, and statements on the first few smaller changes of
// such calls; it counts the other ones.
// unchanged has the titles of the unchanged parts with selected calls. leftOut counts
// the other statements. selects reports whether a call of the merged tree is selected.
func (s *Summary) selected(selects func(call int) bool) (layers []LayerSummary, unchanged []string, leftOut int) {
	for _, l := range s.Layers {
		of := l
		of.Statements, of.Smaller = nil, 0
		for _, st := range l.Statements {
			if slices.ContainsFunc(st.Calls, selects) {
				of.Statements = append(of.Statements, st)
			} else {
				leftOut++
			}
		}
		for _, call := range l.others {
			switch {
			case !selects(call):
			case len(of.Statements) < mostStatements:
				for _, st := range s.smaller(call) {
					of.add(st)
				}
			default:
				of.Smaller++
			}
		}
		if len(of.Statements) > 0 || of.Smaller > 0 {
			layers = append(layers, of)
		}
	}
	passed := map[string]bool{}
	for i := range s.Merged.Tree.Len() {
		if selects(i) {
			passed[s.partOf(i)] = true
		}
	}
	for i, part := range s.unchanged {
		if passed[part] {
			unchanged = append(unchanged, s.Unchanged[i])
		}
	}
	return layers, unchanged, leftOut
}

// add adds a statement, or its calls to the statement with the same words.
func (l *LayerSummary) add(st Statement) {
	words := st.words()
	for i := range l.Statements {
		if l.Statements[i].words() == words {
			l.Statements[i].Calls = append(slices.Clip(l.Statements[i].Calls), st.Calls...)
			return
		}
	}
	l.Statements = append(l.Statements, st)
}

// smaller returns statements on the changes at a call of the merged tree.
func (s *Summary) smaller(call int) []Statement {
	var all []Statement
	for _, at := range s.Merged.Changes[call] {
		for _, st := range s.Of(&s.Changes[at]) {
			st.Layer, st.Calls = s.Changes[at].Layer, []int{call}
			all = append(all, st)
		}
	}
	return all
}

// Of returns the statements on one change.
func (s *Summary) Of(c *ShownChange) []Statement {
	if c.Kind != diff.Added && c.Kind != diff.Removed {
		return s.changed(c)
	}
	o := s.only(c)
	var purposes []string
	if purpose := PurposeOf(s.CallOf(c.Change)); purpose != "" {
		purposes = []string{purpose}
	}
	return []Statement{s.onlyOn(&o, purposes)}
}
