package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/reason"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A statement is what one sentence says: one change, or several that differ only in what they
// are for, as calls of plugins do.
type statement struct {
	layer string
	// only is set for an addition or a removal, else change.
	only   *only
	change *ShownChange
	// purposes are what the calls are for, in order; none if that is not known.
	purposes []string
	// replaced is the removal whose place an addition took.
	replaced *statement
	// at are the calls of the merged tree that changed so.
	at []int
}

// calls are the calls of the merged tree of which a statement tells.
func (st *statement) calls() []int {
	if st.replaced != nil {
		return slices.Concat(st.at, st.replaced.at)
	}
	return st.at
}

// An only is a call that one side alone makes, without what it is for. Equal ones are one statement.
type only struct {
	kind diff.Kind
	// function and caller are short names; inner is that of the call below it which both sides
	// make, "" if there is none.
	function, caller, inner string
	why                     reason.Reason
	times                   int
	// above is the caller, as a call of A, and innerA the inner call.
	above, innerA int
}

// statements puts the changes that a first look should have into statements.
func (s *summary) statements() []*statement {
	var all []*statement
	index := map[only]*statement{}
	for i := range s.Changes {
		change := &s.Changes[i]
		if !change.Telling {
			continue
		}
		if change.Kind != diff.Added && change.Kind != diff.Removed {
			all = append(all, &statement{layer: change.Layer, change: change, at: []int{change.At}})
			continue
		}
		o := s.only(change)
		known := index[o]
		if known == nil {
			known = &statement{layer: change.Layer, only: &o}
			index[o] = known
			all = append(all, known)
		}
		known.at = append(known.at, change.At)
		if purpose := purposeOf(s.call(change.Change)); purpose != "" && !slices.Contains(known.purposes, purpose) {
			known.purposes = append(known.purposes, purpose)
		}
	}
	return replacements(all)
}

// replacements makes one statement of a removal and an addition that takes its place: they stand
// below the same call and above the same call.
func replacements(all []*statement) []*statement {
	var gone []*statement
	for _, removed := range all {
		if removed.only == nil || removed.only.kind != diff.Removed {
			continue
		}
		var by []*statement
		for _, added := range all {
			if added.only != nil && added.only.kind == diff.Added && added.replaced == nil && added.only.samePlace(removed.only) {
				by = append(by, added)
			}
		}
		if len(by) == 1 {
			by[0].replaced = removed
			gone = append(gone, removed)
		}
	}
	return slices.DeleteFunc(all, func(s *statement) bool { return slices.Contains(gone, s) })
}

func (o *only) samePlace(removed *only) bool {
	between := o.above != diff.None && o.above == removed.above && o.inner != "" && removed.inner != "" && o.innerA == removed.innerA
	return between && o.why.Replaces(removed.why)
}

// only describes an addition or a removal.
func (s *summary) only(c *ShownChange) only {
	tree, i := s.side(c)
	o := only{kind: c.Kind, function: tree.Call(i).ShortName(), caller: callerName(tree, i), why: s.reason(c), above: diff.None, innerA: diff.None}
	if parent := tree.Parent(i); parent >= 0 {
		o.above = s.inA(tree, parent)
	}
	if c.Wraps && tree.Parent(i) >= 0 {
		if inner := s.firstPaired(tree, i); inner != diff.None {
			o.inner, o.innerA = named(tree.Call(inner)), s.inA(tree, inner)
		}
	}
	if o.inner == "" && c.Times > 1 {
		o.times = c.Times
	}
	return o
}

// side is the tree and the call of a change: those of B, if B has it.
func (s *summary) side(c *ShownChange) (*trace.Tree, int) {
	if c.B != diff.None {
		return s.Diff.B, c.B
	}
	return s.Diff.A, c.A
}

// inA is a call of either tree as that of A.
func (s *summary) inA(tree *trace.Tree, i int) int {
	if tree == s.Diff.A {
		return i
	}
	return s.Diff.InA[i]
}

func (s *summary) reason(c *ShownChange) reason.Reason {
	if s.finder == nil {
		return reason.Reason{}
	}
	return s.finder.Of(s.Diff, c.Change)
}

// text is the sentence of a statement.
func (s *summary) text(st *statement) string {
	switch {
	case st.only == nil:
		return s.changed(st.change)
	case st.replaced != nil:
		return fmt.Sprintf(s.words.replaced, withPurposes(st.only.function, st.purposes), withPurposes(st.replaced.only.function, st.replaced.purposes),
			st.only.caller, st.only.inner) + s.gateOf(st.only.why)
	}
	return s.onlyOn(st.only, withPurposes(st.only.function, st.purposes))
}

func withPurposes(name string, purposes []string) string {
	if len(purposes) == 0 {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, strings.Join(purposes, ", "))
}

// onlyOn tells of a call that one side alone makes.
func (s *summary) onlyOn(o *only, name string) string {
	if o.inner != "" {
		return s.onlyBetween(o, name)
	}
	w, why := &s.words, o.why
	has, lacks := s.names(o.kind)
	way := s.wayText(why.Way)
	text := ""
	switch {
	case w.scenarios && why.Way.Kind == reason.Calls:
		text = fmt.Sprintf(w.callsIn, name, o.caller, "", has)
	case w.scenarios:
		text = fmt.Sprintf(w.leadsIn, name, o.caller, way, has)
	case why.Why == reason.NoSpan && why.Way.Kind == reason.Calls:
		text = fmt.Sprintf(w.callsNoSpan, name, o.caller, "", lacks, w.spanless[why.Spanless])
	case why.Why == reason.NoSpan:
		text = fmt.Sprintf(w.leadsNoSpan, name, o.caller, way, lacks, w.spanless[why.Spanless])
	case why.Why == reason.OtherPlace:
		text = fmt.Sprintf(w.otherPlace, name, o.caller, why.Package, lacks)
	case why.Why == reason.OtherWay && why.Way.Kind == reason.Calls:
		text = fmt.Sprintf(w.callsOnly, name, o.caller, "", has)
	case why.Why == reason.OtherWay:
		text = fmt.Sprintf(w.leadsOnly, name, o.caller, way, has)
	case why.Why == reason.Unknown:
		text = fmt.Sprintf(w.leadsIn, name, o.caller, way, has)
	case o.kind == diff.Added && why.Way.Kind == reason.Calls:
		text = fmt.Sprintf(w.calls, name, o.caller)
	case o.kind == diff.Added:
		text = fmt.Sprintf(w.leads, name, o.caller, way)
	case why.Way.Kind == reason.Calls:
		text = fmt.Sprintf(w.callsNoMore, name, o.caller)
	default:
		text = fmt.Sprintf(w.leadsNoMore, name, o.caller, way)
	}
	if o.times > 0 {
		text += " " + w.count(o.times)
	}
	return text + s.sourceOf(o) + s.gateOf(why)
}

// onlyBetween tells of a call that one side alone makes between two that both make.
func (s *summary) onlyBetween(o *only, name string) string {
	w := &s.words
	has, lacks := s.names(o.kind)
	format := w.comesBetween
	switch {
	case w.scenarios || o.why.Why == reason.Unknown:
		format = w.betweenIn
	case o.why.Why == reason.OtherWay:
		format = w.betweenOnly
	case o.why.Why == reason.NoSpan:
		return fmt.Sprintf(w.betweenNoSpan, name, o.caller, o.inner, lacks, w.spanless[o.why.Spanless])
	case o.why.Why == reason.OtherPlace:
		return fmt.Sprintf(w.otherPlace, name, o.caller, o.why.Package, lacks)
	case o.kind == diff.Removed:
		format = w.wentBetween
	}
	text := fmt.Sprintf(format, name, o.caller, o.inner, has)
	if kind := o.why.Way.Kind; kind == reason.Queue || kind == reason.Process {
		text += fmt.Sprintf(w.reached, s.wayText(o.why.Way))
	}
	return text + s.sourceOf(o) + s.gateOf(o.why)
}

// names are what the side is called that has a call, and the other one.
func (s *summary) names(kind diff.Kind) (has, lacks string) {
	if kind == diff.Added {
		return s.words.nameB, s.words.nameA
	}
	return s.words.nameA, s.words.nameB
}

// sourceOf says that a function came with the release, or is gone.
func (s *summary) sourceOf(o *only) string {
	switch {
	case s.words.scenarios || o.why.Why != reason.NewFunction:
		return ""
	case o.kind == diff.Added:
		return s.words.isNew
	}
	return s.words.isGone
}

// gateOf says on which feature gate it depends.
func (s *summary) gateOf(r reason.Reason) string {
	if r.Gate == "" || s.words.scenarios {
		return ""
	}
	format := s.words.gateOff
	if r.On {
		format = s.words.gateOn
	}
	return fmt.Sprintf(format, r.Gate, r.Since)
}

// wayText says what lies between a call and its caller, "" for nothing.
func (s *summary) wayText(w reason.Way) string {
	switch w.Kind {
	case reason.Through, reason.Queue:
		return fmt.Sprintf(s.words.through, w.By)
	case reason.Process:
		return fmt.Sprintf(s.words.inProgram, w.By)
	}
	return ""
}

// moved tells of a call that another function makes.
func (s *summary) moved(name string, c *ShownChange) string {
	w := &s.words
	is, was := callerName(s.Diff.B, c.B), callerName(s.Diff.A, c.A)
	format := w.runsBelow
	if s.finder != nil && s.Diff.A.Call(c.A).Function == s.Diff.B.Call(c.B).Function {
		inA, inB := s.finder.WayInA(s.Diff, c.A), s.finder.WayInB(s.Diff, c.B)
		called := inA.Kind == reason.Calls && inB.Kind == reason.Calls
		switch {
		case called && !w.scenarios && s.isElsewhere(c):
			format = w.moved
		case called:
			format = w.movedIn
		}
	}
	return fmt.Sprintf(format, name, is, was, w.nameA, w.nameB)
}

// isElsewhere reports whether the new caller did not call before, and the old one does not any more.
func (s *summary) isElsewhere(c *ShownChange) bool {
	above, aboveWas := s.Diff.B.Parent(c.B), s.Diff.A.Parent(c.A)
	if above < 0 || aboveWas < 0 {
		return false
	}
	isCaller, wasCaller := *s.Diff.B.Call(above), *s.Diff.A.Call(aboveWas)
	if i := s.Diff.InA[above]; i != diff.None {
		isCaller = *s.Diff.A.Call(i)
	}
	if j := s.Diff.InB[aboveWas]; j != diff.None {
		wasCaller = *s.Diff.B.Call(j)
	}
	before, _ := s.finder.CallsInA(&isCaller, s.Diff.A.Call(c.A))
	after, _ := s.finder.CallsInB(&wasCaller, s.Diff.B.Call(c.B))
	return !before && !after
}

// renamed tells of a function that goes by another name, or stands in another file.
func (s *summary) renamed(name string, c *ShownChange) string {
	a, b := s.Diff.A.Call(c.A), s.Diff.B.Call(c.B)
	was, is := a.ShortName(), b.ShortName()
	switch {
	case was == is:
		return fmt.Sprintf(s.words.otherFile, name, a.File, b.File)
	case s.finder != nil && s.finder.Renamed(a, b):
		return fmt.Sprintf(s.words.renamed, was, is)
	}
	return fmt.Sprintf(s.words.takesPlace, is, was)
}

// repeated tells of a call that is made more or less often.
func (s *summary) repeated(name string, c *ShownChange) string {
	format := s.words.repeatedBelow
	if s.finder != nil && s.finder.WayInA(s.Diff, c.A).Kind == reason.Calls && s.finder.WayInB(s.Diff, c.B).Kind == reason.Calls {
		format = s.words.repeated
	}
	return fmt.Sprintf(format, name, callerName(s.Diff.B, c.B), s.words.count(c.CountA), s.words.count(c.CountB))
}

// changed tells of a change of a call that both sides make.
func (s *summary) changed(c *ShownChange) string {
	name := named(s.Diff.B.Call(c.B))
	switch c.Kind {
	case diff.Moved:
		return s.moved(name, c)
	case diff.Renamed:
		return s.renamed(name, c)
	case diff.Repeated:
		return s.repeated(name, c)
	case diff.Reordered:
		return fmt.Sprintf(s.words.reordered, name, callerName(s.Diff.B, c.B))
	case diff.Timed:
		return fmt.Sprintf(s.words.timed, name, s.words.units.duration(c.OwnNsA), s.words.units.duration(c.OwnNsB))
	}
	values := c.Values
	if c.Telling {
		values = c.Fresh
	}
	var texts []string
	for _, v := range values {
		texts = append(texts, s.valued(name, v))
	}
	return strings.Join(texts, s.words.between)
}

func (s *summary) valued(name string, v diff.ValueChange) string {
	a, b := oneLine(shorten(v.A)), oneLine(shorten(v.B))
	switch {
	case v.Name == "error" && v.A == "":
		return fmt.Sprintf(s.words.failsNow, name, b)
	case v.Name == "error":
		return fmt.Sprintf(s.words.failsNoMore, name, a)
	}
	return fmt.Sprintf(s.words.value, name, valueLabel(v.Name), quoteEmpty(a), quoteEmpty(b))
}

func quoteEmpty(s string) string {
	if s == "" {
		return `""`
	}
	return s
}

// spanlessIn are the reasons why a function has no span.
var spanlessIn = map[string]map[recordings.Spanless]string{
	"en": {
		recordings.SpanlessLeaf: "it calls nothing there", recordings.SpanlessNamed: "apitrace leaves it out, since it is called too often",
		recordings.SpanlessBody: "it has no body in Go", recordings.SpanlessDirective: "a directive of the compiler forbids it",
	},
	"zh": {
		recordings.SpanlessLeaf: "它在那里不调用任何函数", recordings.SpanlessNamed: "它被调用得太频繁，apitrace 不追踪它",
		recordings.SpanlessBody: "它没有 Go 函数体", recordings.SpanlessDirective: "编译器指令不允许",
	},
}
