package render

import (
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// A statement is the content of one sentence: one change, or several that differ only in their
// purpose, such as calls of plugins.
type statement struct {
	layer string
	// only is set for an addition or a removal, else change.
	only   *only
	change *ShownChange
	// purposes are the purposes of the calls, in order; empty if they are not known.
	purposes []string
	// replaced is the removal whose place an addition took.
	replaced *statement
	// alsoBy is the caller that asks the same plugins in the other phase of admission, or "".
	alsoBy string
	// at are the calls of the merged tree that changed so.
	at []int
}

// calls returns the calls of the merged tree that a statement describes.
func (st *statement) calls() []int {
	if st.replaced != nil {
		return slices.Concat(st.at, st.replaced.at)
	}
	return st.at
}

// An only is a call that only one side makes, without its purpose. Equal ones are one statement.
type only struct {
	kind diff.Kind
	// full is the function's name; function and caller are short names; inner is that of the call below it that both sides
	// make, or "".
	full, function, caller, inner string
	why                           diff.Reason
	times                         int
	// above is the caller, as a call of A, and innerA the inner call.
	above, innerA int
	// deepA and deepB count how deep calls of the function are nested on each side, if the inner call is one of them; else they are 0.
	deepA, deepB int
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
		tree, top := s.sideOf(change.Change)
		keys := s.keysBetween(change.Change, s.guide)
		if len(keys) == 0 || tree.Parent(top) < 0 { // of a whole request, nothing calls the key steps from outside
			keys = []int{top}
		}
		s.folded[i] = !slices.Contains(keys, top)
		for _, call := range keys {
			o, at := s.onlyAt(change, call), s.mergedAt(tree, call)
			known := index[o]
			if known == nil {
				known = &statement{layer: s.guide.Layer(o.full), only: &o}
				index[o] = known
				all = append(all, known)
			}
			known.at = append(known.at, at)
			if purpose := purposeOf(tree.Call(call)); purpose != "" && !slices.Contains(known.purposes, purpose) {
				known.purposes = append(known.purposes, purpose)
			}
		}
	}
	return asked(s.withBesides(replacements(all, s.partOfStatement), index))
}

// asks reports whether the statement says that only one side asks these plugins, in code that is the same on both sides.
func (st *statement) asks() bool {
	o := st.only
	return o != nil && st.replaced == nil && len(st.purposes) > 0 && o.inner == "" && o.times == 0 &&
		o.why.Why == diff.OtherWay && o.why.Way.Kind == diff.WayCalls && o.why.Gate == "" && o.why.Branch.Asked && !o.why.Branch.Differs
}

// asked merges the statement that a phase of admission asks plugins on one side alone with that on the other phase.
func asked(all []*statement) []*statement {
	var out []*statement
	for _, st := range all {
		at := slices.IndexFunc(out, func(known *statement) bool {
			return known.alsoBy == "" && known.asks() && st.asks() && known.only.kind == st.only.kind && slices.Equal(known.purposes, st.purposes)
		})
		if at < 0 {
			out = append(out, st)
			continue
		}
		out[at].alsoBy = st.only.caller
		out[at].at = append(out[at].at, st.at...)
	}
	return out
}

// withBesides adds what besides returns, behind the statement on the call that makes those calls. What takes the place of another
// call has no such statements.
func (s *summary) withBesides(all []*statement, known map[only]*statement) []*statement {
	told := map[int]bool{} // calls of the merged tree
	for _, st := range all {
		for _, at := range st.at {
			told[at] = told[at] || st.only != nil
		}
	}
	var out []*statement
	for _, st := range all {
		out = append(out, st)
		if st.only == nil || st.replaced != nil {
			continue
		}
		for _, at := range st.at {
			for _, more := range s.besides(st.only.kind, at) {
				if known[*more.only] == nil && !told[more.at[0]] {
					known[*more.only] = more
					out = append(out, more)
				}
			}
		}
	}
	return out
}

// besides returns statements on the key steps that came, or went, with call i of the merged tree: calls that it makes itself, and whose
// functions only its side has. The sentence on call i, that it stands between two others, says nothing of them.
func (s *summary) besides(kind diff.Kind, i int) []*statement {
	tree, calls := s.Diff.A, s.Merged.A
	if kind == diff.Added {
		tree, calls = s.Diff.B, s.Merged.B
	}
	if s.finder == nil || s.words.scenarios || s.firstPaired(tree, calls[i]) == diff.None {
		return nil
	}
	var all []*statement
	for child := range s.Merged.Tree.Children(i) {
		call := s.Merged.Tree.Call(child)
		if s.Merged.A[child] != diff.None && s.Merged.B[child] != diff.None || !s.guide.Key(call.Function) || upstream(call) {
			continue
		}
		why := s.finder.Of(s.Diff, onlyChange(kind, calls[child]))
		if why.Why != diff.NewFunction || why.Way.Kind != diff.WayCalls {
			continue
		}
		all = append(all, &statement{layer: s.guide.Layer(call.Function), at: []int{child}, only: &only{
			kind: kind, full: call.Function, function: call.ShortName(), caller: s.callerName(tree, calls[child]), why: why, above: diff.None, innerA: diff.None,
		}})
	}
	return all
}

// replacements merges a removal and the addition that replaces it into one statement: both are
// below the same call and above the same call.
func replacements(all []*statement, part func(*statement) string) []*statement {
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
		if alike := slices.DeleteFunc(slices.Clone(by), func(added *statement) bool { return part(added) != part(removed) }); len(alike) == 1 {
			by = alike // several came in one place, or went
		}
		if len(by) == 1 {
			by[0].replaced = removed
			gone = append(gone, removed)
		}
	}
	return slices.DeleteFunc(all, func(s *statement) bool { return slices.Contains(gone, s) })
}

// partOfStatement names the part of the server in which a statement is shown.
func (s *summary) partOfStatement(st *statement) string {
	return s.part(st.layer, s.Merged.Tree.Call(st.at[0]).Function)
}

func (o *only) samePlace(removed *only) bool {
	between := o.above != diff.None && o.above == removed.above && o.inner != "" && removed.inner != "" && o.innerA == removed.innerA
	return between && o.why.Replaces(removed.why)
}

// onlyAt describes an addition or a removal by a call of its side: its own, or a key step below that, above the call that both
// sides make.
func (s *summary) onlyAt(c *ShownChange, call int) only {
	o := s.only(c)
	tree, top := s.sideOf(c.Change)
	if call == top {
		return o
	}
	below := ShownChange{Change: onlyChange(c.Kind, call)}
	o.deepA, o.deepB, o.caller = 0, 0, s.callerName(tree, top)
	o.full, o.function, o.why = tree.Call(call).Function, tree.Call(call).ShortName(), s.reason(&below)
	return o
}

// mergedAt is a call of a side as that of the merged tree.
func (s *summary) mergedAt(tree *trace.Tree, i int) int {
	if tree == s.Diff.B {
		return s.Merged.AtB[i]
	}
	return s.Merged.AtA[i]
}

// only describes an addition or a removal.
func (s *summary) only(c *ShownChange) only {
	tree, i := s.sideOf(c.Change)
	o := only{kind: c.Kind, full: tree.Call(i).Function, function: tree.Call(i).ShortName(), caller: s.callerName(tree, i), why: s.reason(c), above: diff.None, innerA: diff.None}
	if parent := tree.Parent(i); parent >= 0 {
		o.above = s.inA(tree, parent)
	}
	if c.Wraps && tree.Parent(i) >= 0 {
		if inner := s.firstPaired(tree, i); inner != diff.None {
			o.inner, o.innerA = named(tree.Call(inner)), s.inA(tree, inner)
			var below int
			if o.deepA, o.deepB, below = s.nested(tree, i, inner); o.deepA != o.deepB {
				o.caller = s.nameOf(tree, below)
			}
		}
	}
	if o.inner == "" && c.Times > 1 {
		o.times = c.Times
	}
	return o
}

// nested returns how deep calls of one function are nested on each side, where only one side makes the outer call and both make the
// inner one; 0 if the two calls are not of one function. caller is the call above the outermost of them.
func (s *summary) nested(tree *trace.Tree, outer, inner int) (deepA, deepB, caller int) {
	other, partner := s.Diff.B, s.partners(tree)
	if tree == s.Diff.B {
		other = s.Diff.A
	}
	function, first := tree.Call(outer).Function, outer
	for above := tree.Parent(first); above >= 0 && tree.Call(above).Function == function; above = tree.Parent(above) {
		first = above
	}
	caller = tree.Parent(first)
	if tree.Call(inner).Function != function || caller < 0 || partner[caller] == diff.None {
		return 0, 0, caller
	}
	there, top := partner[inner], partner[caller]
	if other.Call(there).Function != function || there <= top || there >= other.End(top) {
		return 0, 0, caller
	}
	for other.Parent(there) != top {
		there = other.Parent(there)
	}
	deepA, deepB = deepest(tree, first, function), deepest(other, there, function)
	if tree == s.Diff.B {
		deepA, deepB = deepB, deepA
	}
	return deepA, deepB, caller
}

// deepest returns how many calls of a function lie within each other at call i and below it, at most.
func deepest(tree *trace.Tree, i int, function string) int {
	within, most := make([]int, tree.End(i)-i), 0
	for n := range within {
		if n > 0 {
			within[n] = within[tree.Parent(i+n)-i]
		}
		if tree.Call(i+n).Function == function {
			within[n]++
		}
		most = max(most, within[n])
	}
	return most
}

// inA is a call of either tree as that of A.
func (s *summary) inA(tree *trace.Tree, i int) int {
	if tree == s.Diff.A {
		return i
	}
	return s.Diff.InA[i]
}

func (s *summary) reason(c *ShownChange) diff.Reason {
	if s.finder == nil {
		return diff.Reason{}
	}
	return s.finder.Of(s.Diff, c.Change)
}

// text is the sentence of a statement.
func (s *summary) text(st *statement) string {
	switch {
	case st.only == nil:
		return s.changed(st.change)
	case st.replaced != nil:
		was, is := apart(st.replaced.only.full, st.only.full)
		return s.words.Sprintf("%s takes the place of %s between %s and %s", s.withPurposes(is, st.purposes),
			s.withPurposes(was, st.replaced.purposes), st.only.caller, st.only.inner) + s.gateOf(st.only.why)
	case st.asks():
		return s.asksOnly(st)
	}
	return s.onlyOn(st.only, s.withPurposes(st.only.function, st.purposes))
}

// asksOnly says that only one side asks plugins.
func (s *summary) asksOnly(st *statement) string {
	w, plugins := &s.words, message.List(st.purposes)
	has, _ := s.names(st.only.kind)
	if st.alsoBy == "" {
		return w.Plural(len(st.purposes), "the plugin %s is asked only in %s, by %s", "the plugins %s are asked only in %s, by %s", plugins, has, st.only.caller)
	}
	return w.Plural(len(st.purposes), "the plugin %s is asked only in %s, by %s and %s", "the plugins %s are asked only in %s, by %s and %s",
		plugins, has, st.only.caller, st.alsoBy)
}

func (s *summary) withPurposes(name string, purposes []string) string {
	if len(purposes) == 0 {
		return name
	}
	return s.words.Sprintf("%s (%s)", name, message.List(purposes))
}

// onlyOn describes a call that only one side makes.
func (s *summary) onlyOn(o *only, name string) string {
	if o.inner != "" {
		return s.onlyBetween(o, name)
	}
	w, why := &s.words, o.why
	has, lacks := s.names(o.kind)
	way := s.wayText(why.Way)
	if o.times > 0 && why.Why != diff.NoSpan && why.Why != diff.OtherPlace { // else both sides may make the call, and only one counts it
		name += " " + w.count(o.times)
	}
	text := ""
	switch {
	case why.Way.Kind == diff.WayCalls && (w.scenarios || why.Why == diff.NoReason):
		text = w.Sprintf("in %s %s calls %s", has, o.caller, name)
	case w.scenarios, why.Why == diff.NoReason:
		text = w.Sprintf("in %s %s leads to %s%s", has, o.caller, name, way)
	case why.Why == diff.NoSpan && why.Way.Kind == diff.WayCalls:
		text = w.Sprintf("%s calls %s in both, and in %s it has no span: %s", o.caller, name, lacks, why.Spanless.Why())
	case why.Why == diff.NoSpan:
		text = w.Sprintf("%s leads to %s%s, which in %s has no span: %s", o.caller, name, way, lacks, why.Spanless.Why())
	case why.Why == diff.OtherPlace:
		text = s.otherPlace(o, name, lacks)
	case why.Why == diff.OtherWay && why.Way.Kind == diff.WayCalls:
		text = w.Sprintf("here %s calls %s only in %s, though both sources have the call", o.caller, name, has)
	case why.Why == diff.OtherWay:
		text = w.Sprintf("here %s leads to %s%s only in %s, by a call that both sources have", o.caller, name, way, has)
	case o.kind == diff.Added && why.Way.Kind == diff.WayCalls:
		text = w.Sprintf("%s now calls %s", o.caller, name)
	case o.kind == diff.Added:
		text = w.Sprintf("%s now leads to %s%s", o.caller, name, way)
	case why.Way.Kind == diff.WayCalls:
		text = w.Sprintf("%s no longer calls %s", o.caller, name)
	default:
		text = w.Sprintf("%s no longer leads to %s%s", o.caller, name, way)
	}
	return text + s.sourceOf(o) + s.gateOf(why) + s.branchOf(o)
}

// onlyBetween describes a call that only one side makes, between two that both make.
func (s *summary) onlyBetween(o *only, name string) string {
	w := &s.words
	has, lacks := s.names(o.kind)
	text := ""
	switch {
	case o.deepA != o.deepB:
		return w.Sprintf("calls of %s are nested %d deep below %s in %s, %d deep in %s", name, o.deepA, o.caller, w.nameA, o.deepB, w.nameB) + s.gateOf(o.why)
	case w.scenarios || o.why.Why == diff.NoReason:
		text = w.Sprintf("in %s %s stands between %s and %s", has, name, o.caller, o.inner)
	case o.why.Why == diff.OtherWay:
		text = w.Sprintf("%s stands between %s and %s only in %s, though both sources have the call", name, o.caller, o.inner, has)
	case o.why.Why == diff.NoSpan:
		return w.Sprintf("%s, between %s and %s, has no span in %s: %s", name, o.caller, o.inner, lacks, o.why.Spanless.Why())
	case o.why.Why == diff.OtherPlace:
		return s.otherPlace(o, name, lacks)
	case o.kind == diff.Removed:
		text = w.Sprintf("%s no longer stands between %s and %s", name, o.caller, o.inner)
	default:
		text = w.Sprintf("%s now stands between %s and %s", name, o.caller, o.inner)
	}
	switch o.why.Way.Kind {
	case diff.WayQueue:
		text += w.Sprintf(", handed over through %s", o.why.Way.By)
	case diff.WayProcess:
		text += w.Sprintf(", reached%s", s.wayText(o.why.Way))
	}
	return text + s.sourceOf(o) + s.gateOf(o.why) + s.branchOf(o)
}

// otherPlace describes a call that the other side also makes, but in a package without spans.
func (s *summary) otherPlace(o *only, name, lacks string) string {
	return s.words.Sprintf("%s calls %s in %s, too, in a package that is not traced: %s", o.caller, name, lacks, o.why.Package)
}

// names returns the name of the side that has a call, and that of the other side.
func (s *summary) names(kind diff.Kind) (has, lacks string) {
	if kind == diff.Added {
		return s.words.nameB, s.words.nameA
	}
	return s.words.nameA, s.words.nameB
}

// sourceOf says that a function is new in the release, or gone.
func (s *summary) sourceOf(o *only) string {
	switch {
	case s.words.scenarios || o.why.Why != diff.NewFunction:
		return ""
	case o.kind == diff.Added:
		return s.words.Sprintf(", new in the source")
	}
	return s.words.Sprintf(", gone from the source")
}

// gateOf says on which feature gate it depends.
func (s *summary) gateOf(r diff.Reason) string {
	if r.Gate == "" || s.words.scenarios {
		return ""
	}
	if r.On {
		return s.words.Sprintf(": feature gate %s is on by default since %s", r.Gate, r.Since)
	}
	return s.words.Sprintf(": feature gate %s is off by default since %s", r.Gate, r.Since)
}

// wayText describes what is between a call and its caller; "" for nothing.
func (s *summary) wayText(w diff.Way) string {
	switch w.Kind {
	case diff.WayThrough:
		return s.words.Sprintf(" through %s", w.By)
	case diff.WayQueue:
		return s.words.Sprintf(" by a hand-over through %s", w.By)
	case diff.WayProcess:
		return s.words.Sprintf(" in %s", w.By)
	}
	return ""
}

// moved describes a call that another function now makes.
func (s *summary) moved(name string, c *ShownChange) string {
	w := &s.words
	was, is := s.callerName(s.Diff.A, c.A), s.callerName(s.Diff.B, c.B)
	if above, aboveWas := s.Diff.B.Parent(c.B), s.Diff.A.Parent(c.A); above >= 0 && aboveWas >= 0 {
		caller, callerWas := s.Diff.B.Call(above), s.Diff.A.Call(aboveWas)
		switch {
		case callerWas.Function == caller.Function:
			return w.Sprintf("%s runs below another call of %s", name, is)
		case callerWas.ShortName() == caller.ShortName():
			was, is = apart(callerWas.Function, caller.Function)
		}
	}
	if s.finder != nil && s.Diff.A.Call(c.A).Function == s.Diff.B.Call(c.B).Function {
		inA, inB := s.finder.WayInA(s.Diff, c.A), s.finder.WayInB(s.Diff, c.B)
		called := inA.Kind == diff.WayCalls && inB.Kind == diff.WayCalls
		switch {
		case called && !w.scenarios && s.isElsewhere(c):
			return w.Sprintf("%s is now called by %s, no longer by %s", name, is, was)
		case called:
			return w.Sprintf("%s is called by %s in %s, by %s in %s", name, was, w.nameA, is, w.nameB)
		}
	}
	return w.Sprintf("%s runs below %s in %s, below %s in %s", name, was, w.nameA, is, w.nameB)
}

// isElsewhere reports whether the new caller did not make the call before, and the old caller no longer makes it.
func (s *summary) isElsewhere(c *ShownChange) bool {
	above, aboveWas := s.Diff.B.Parent(c.B), s.Diff.A.Parent(c.A)
	if above < 0 || aboveWas < 0 {
		return false
	}
	called, calledWas := s.Diff.B.Call(c.B), s.Diff.A.Call(c.A)
	// The matching may have paired a caller with a function of another name, while the source also has one of its own name.
	callers, callersWas := []*trace.Call{s.Diff.B.Call(above)}, []*trace.Call{s.Diff.A.Call(aboveWas)}
	if i := s.Diff.InA[above]; i != diff.None {
		callers = append(callers, s.Diff.A.Call(i))
	}
	if j := s.Diff.InB[aboveWas]; j != diff.None {
		callersWas = append(callersWas, s.Diff.B.Call(j))
	}
	return !slices.ContainsFunc(callers, func(caller *trace.Call) bool {
		before, _ := s.finder.CallsInA(caller, calledWas)
		return before
	}) && !slices.ContainsFunc(callersWas, func(caller *trace.Call) bool {
		after, _ := s.finder.CallsInB(caller, called)
		return after
	})
}

// renamed describes a function that has another name, or is in another file.
func (s *summary) renamed(name string, c *ShownChange) string {
	a, b := s.Diff.A.Call(c.A), s.Diff.B.Call(c.B)
	was, is := a.ShortName(), b.ShortName()
	switch {
	case was == is:
		return s.words.Sprintf("%s is now in %s, was in %s", name, b.File, a.File)
	case s.finder != nil && s.finder.Renamed(a, b):
		return s.words.Sprintf("%s is now %s", was, is)
	}
	return s.words.Sprintf("%s takes the place of %s", is, was)
}

// repeated describes a call that is made more or less often.
func (s *summary) repeated(name string, c *ShownChange) string {
	w, caller := &s.words, s.callerName(s.Diff.B, c.B)
	was, is := w.count(c.CountA), w.count(c.CountB)
	called := s.finder != nil && s.finder.WayInA(s.Diff, c.A).Kind == diff.WayCalls && s.finder.WayInB(s.Diff, c.B).Kind == diff.WayCalls
	nameWas, nameIs := s.Diff.A.Call(c.A).Function, s.Diff.B.Call(c.B).Function
	switch {
	case called && nameWas != nameIs:
		nameWas, nameIs = apart(nameWas, nameIs)
		return w.Sprintf("%s calls %s %s in %s, %s %s in %s", caller, nameWas, was, w.nameA, nameIs, is, w.nameB)
	case called && w.scenarios:
		return w.Sprintf("%s calls %s %s in %s, %s in %s", caller, name, was, w.nameA, is, w.nameB)
	case called:
		return w.Sprintf("%s calls %s %s, was %s", caller, name, is, was)
	case w.scenarios:
		return w.Sprintf("%s runs %s below %s in %s, %s in %s", name, was, caller, w.nameA, is, w.nameB)
	}
	return w.Sprintf("%s runs %s below %s, was %s", name, is, caller, was)
}

// changed describes a change of a call that both sides make.
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
		return s.reordered(name, c)
	case diff.Timed:
		return s.timed(name, s.words.units.duration(c.OwnNsA), s.words.units.duration(c.OwnNsB))
	}
	values := c.Values
	if c.Telling {
		values = c.Fresh
	}
	var texts []string
	for _, v := range values {
		texts = append(texts, s.valued(name, v))
	}
	return strings.Join(texts, s.words.between())
}

// timed describes the change of the time that a call took without its callees.
func (s *summary) timed(name, was, is string) string {
	w := &s.words
	if w.scenarios {
		return w.Sprintf("%s by itself took %s in %s, %s in %s", name, was, w.nameA, is, w.nameB)
	}
	return w.Sprintf("%s by itself took %s, was %s", name, is, was)
}

func (s *summary) valued(name string, v diff.ValueChange) string {
	w := &s.words
	was, is := inWordsApart(v)
	was, is = oneLine(was), oneLine(is)
	switch fails := v.Name == "error"; {
	case fails && v.A == "" && w.scenarios:
		return w.Sprintf("%s fails in %s: %s", name, w.nameB, is)
	case fails && v.A == "":
		return w.Sprintf("%s now fails: %s", name, is)
	case fails && w.scenarios:
		return w.Sprintf("%s fails in %s: %s", name, w.nameA, was)
	case fails:
		return w.Sprintf("%s no longer fails: %s", name, was)
	case w.scenarios:
		return w.Sprintf("%s of %s is %s in %s, %s in %s", valueLabel(v.Name), name, quoteEmpty(was), w.nameA, quoteEmpty(is), w.nameB)
	}
	return w.Sprintf("%s of %s is %s, was %s", valueLabel(v.Name), name, quoteEmpty(is), quoteEmpty(was))
}

func quoteEmpty(s string) string {
	if s == "" {
		return `""`
	}
	return s
}
