package view

import (
	"slices"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// A finding is the content of one Statement while it is collected. It is one
// change, or several that differ only in their purpose, such as calls of
// plugins.
type finding struct {
	layer string
	// only is set for an addition or a removal. Otherwise change is set.
	only   *oneSidedCall
	change *ShownChange
	// purposes are the calls' purposes, in order, or none if unknown.
	purposes []string
	// replaced is the removal that the addition replaces.
	replaced *finding
	// alsoBy is the caller that calls the same plugins in the other phase of
	// admission. Its name is "" if there is none.
	alsoBy name
	// at are the changed calls of the merged tree.
	at []int
}

// calls returns the calls of the merged tree that a statement describes.
func (st *finding) calls() []int {
	if st.replaced != nil {
		return slices.Concat(st.at, st.replaced.at)
	}
	return st.at
}

// A oneSidedCall is a call that only one side makes, without its purpose. Equal values
// become one statement.
type oneSidedCall struct {
	kind diff.Kind
	// full is the function's name, function its short name. inner is the call
	// below it that both sides make. Its name is "" if there is none.
	full, function string
	caller, inner  name
	why            diff.Reason
	times          int
	// above is the caller and innerA the inner call, by call of A.
	above, innerA int
	// deepA and deepB are the depths of nested calls of the function on each
	// side. They are 0 unless the inner call is one of these calls.
	deepA, deepB int
}

// A name is a Named with at most one purpose.
type name struct{ function, short, purpose string }

func (n name) named() Named {
	named := Named{Function: n.function, Name: n.short}
	if n.purpose != "" {
		named.Purposes = []string{n.purpose}
	}
	return named
}

// nameOfCall returns the name of a call. If many calls share it, it has the
// purpose.
func nameOfCall(call *trace.Call) name { return name{call.Function, call.ShortName(), PurposeOf(call)} }

// statements collects the changes for a first look as findings.
func (s *Summary) statements() []*finding {
	var all []*finding
	index := map[oneSidedCall]*finding{}
	for i := range s.Changes {
		change := &s.Changes[i]
		if !change.Telling {
			continue
		}
		if change.Kind != diff.Added && change.Kind != diff.Removed {
			all = append(all, &finding{layer: change.Layer, change: change, at: []int{change.At}})
			continue
		}
		tree, top := s.SideOf(change.Change)
		keys := s.KeysBetween(change.Change, s.guide)
		if len(keys) == 0 || tree.Parent(top) < 0 { // a whole request has no caller
			keys = []int{top}
		}
		s.folded[i] = !slices.Contains(keys, top)
		for _, call := range keys {
			o, at := s.onlyAt(change, call), s.mergedAt(tree, call)
			known := index[o]
			if known == nil {
				known = &finding{layer: s.guide.Layer(o.full), only: &o}
				index[o] = known
				all = append(all, known)
			}
			known.at = append(known.at, at)
			if purpose := PurposeOf(tree.Call(call)); purpose != "" && !slices.Contains(known.purposes, purpose) {
				known.purposes = append(known.purposes, purpose)
			}
		}
	}
	return mergePhases(s.addNewCallees(replacements(all, s.partOfStatement), index))
}

// callsPluginsOnly reports whether the statement says that only one side calls these
// plugins, in code that is the same on both sides.
func (st *finding) callsPluginsOnly() bool {
	o := st.only
	return o != nil && st.replaced == nil && len(st.purposes) > 0 && o.inner.short == "" && o.times == 0 &&
		o.why.Why == diff.OtherWay && o.why.Way.Kind == diff.WayCalls && o.why.Gate == "" && o.why.Branch.Asked && !o.why.Branch.Differs
}

// mergePhases merges the statements on the two phases of admission, if the same
// plugins are called in both phases on one side alone.
func mergePhases(all []*finding) []*finding {
	var out []*finding
	for _, st := range all {
		at := slices.IndexFunc(out, func(known *finding) bool {
			return known.alsoBy.short == "" && known.callsPluginsOnly() && st.callsPluginsOnly() && known.only.kind == st.only.kind && slices.Equal(known.purposes, st.purposes)
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

// addNewCallees adds the findings of newCallees, each behind the finding on the call
// that makes these calls. A call that replaces another one has no such
// findings.
func (s *Summary) addNewCallees(all []*finding, known map[oneSidedCall]*finding) []*finding {
	told := map[int]bool{} // calls of the merged tree
	for _, st := range all {
		for _, at := range st.at {
			told[at] = told[at] || st.only != nil
		}
	}
	var out []*finding
	for _, st := range all {
		out = append(out, st)
		if st.only == nil || st.replaced != nil {
			continue
		}
		for _, at := range st.at {
			for _, more := range s.newCallees(st.only.kind, at) {
				if known[*more.only] == nil && !told[more.at[0]] {
					known[*more.only] = more
					out = append(out, more)
				}
			}
		}
	}
	return out
}

// newCallees returns findings on the key steps that came or went with call i of
// the merged tree. Call i itself makes these calls, and only its side has their
// functions. The sentence on call i only says that it is between two others.
func (s *Summary) newCallees(kind diff.Kind, i int) []*finding {
	tree, calls := s.Diff.A, s.Merged.A
	if kind == diff.Added {
		tree, calls = s.Diff.B, s.Merged.B
	}
	if s.reasons == nil || s.sides.Scenarios || s.largestPaired(tree, calls[i]) == diff.None {
		return nil
	}
	var all []*finding
	for child := range s.Merged.Tree.Children(i) {
		call := s.Merged.Tree.Call(child)
		if s.Merged.A[child] != diff.None && s.Merged.B[child] != diff.None || !s.guide.Key(call.Function) || Upstream(call) {
			continue
		}
		why := s.reasons.Of(s.Diff, OnlyChange(kind, calls[child]))
		if !why.Absent || why.Way.Kind != diff.WayCalls {
			continue
		}
		all = append(all, &finding{layer: s.guide.Layer(call.Function), at: []int{child}, only: &oneSidedCall{
			kind: kind, full: call.Function, function: call.ShortName(), caller: s.callerName(tree, calls[child]), why: why, above: diff.None, innerA: diff.None,
		}})
	}
	return all
}

// replacements merges a removal and the addition that replaces it into one
// finding. Both are below the same call and above the same call.
func replacements(all []*finding, part func(*finding) string) []*finding {
	var gone []*finding
	for _, removed := range all {
		if removed.only == nil || removed.only.kind != diff.Removed {
			continue
		}
		var by []*finding
		for _, added := range all {
			if added.only != nil && added.only.kind == diff.Added && added.replaced == nil && added.only.samePlace(removed.only) {
				by = append(by, added)
			}
		}
		if alike := slices.DeleteFunc(slices.Clone(by), func(added *finding) bool { return part(added) != part(removed) }); len(alike) == 1 {
			by = alike // several were added or removed in one place
		}
		if len(by) == 1 {
			by[0].replaced = removed
			gone = append(gone, removed)
		}
	}
	return slices.DeleteFunc(all, func(s *finding) bool { return slices.Contains(gone, s) })
}

// partOfStatement returns the part of the server that shows a statement.
func (s *Summary) partOfStatement(st *finding) string {
	return partOfLayer(st.layer, s.Merged.Tree.Call(st.at[0]).Function)
}

func (o *oneSidedCall) samePlace(removed *oneSidedCall) bool {
	between := o.above != diff.None && o.above == removed.above && o.inner.short != "" && removed.inner.short != "" && o.innerA == removed.innerA
	return between && o.why.Replaces(removed.why)
}

// onlyAt describes an addition or a removal by a call of its side. This is the
// changed call, or a key step between it and the call below that both sides
// make.
func (s *Summary) onlyAt(c *ShownChange, call int) oneSidedCall {
	o := s.only(c)
	tree, top := s.SideOf(c.Change)
	if call == top {
		return o
	}
	below := ShownChange{Change: OnlyChange(c.Kind, call)}
	o.deepA, o.deepB, o.caller = 0, 0, s.callerName(tree, top)
	o.full, o.function, o.why = tree.Call(call).Function, tree.Call(call).ShortName(), s.Reason(&below)
	return o
}

// mergedAt returns the index in the merged tree for a call of a side.
func (s *Summary) mergedAt(tree *trace.Tree, i int) int {
	if tree == s.Diff.B {
		return s.Merged.AtB[i]
	}
	return s.Merged.AtA[i]
}

// only describes an addition or a removal.
func (s *Summary) only(c *ShownChange) oneSidedCall {
	tree, i := s.SideOf(c.Change)
	o := oneSidedCall{kind: c.Kind, full: tree.Call(i).Function, function: tree.Call(i).ShortName(), caller: s.callerName(tree, i), why: s.Reason(c), above: diff.None, innerA: diff.None}
	if parent := tree.Parent(i); parent >= 0 {
		o.above = s.inA(tree, parent)
	}
	if c.Wraps && tree.Parent(i) >= 0 {
		if inner := s.largestPaired(tree, i); inner != diff.None {
			o.inner, o.innerA = nameOfCall(tree.Call(inner)), s.inA(tree, inner)
			var below int
			if o.deepA, o.deepB, below = s.nested(tree, i, inner); o.deepA != o.deepB {
				o.caller = s.nameOf(tree, below)
			}
		}
	}
	if o.inner.short == "" && c.Times > 1 {
		o.times = c.Times
	}
	return o
}

// nested returns how deep calls of one function are nested on each side. Only
// one side makes the call outer. Both sides make the call inner below it. The
// depths are 0 if the two calls are not of one function. caller is the call
// above the outermost nested call.
func (s *Summary) nested(tree *trace.Tree, outer, inner int) (deepA, deepB, caller int) {
	other, partner := s.Diff.B, s.Partners(tree)
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

// deepest returns the maximum depth of nested calls of a function, at call i
// and below it.
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

// inA returns the index in A for a call of either tree.
func (s *Summary) inA(tree *trace.Tree, i int) int {
	if tree == s.Diff.A {
		return i
	}
	return s.Diff.InA[i]
}

// Reason returns the reason for a change. It is the zero Reason if the sources
// are not known.
func (s *Summary) Reason(c *ShownChange) diff.Reason {
	if s.reasons == nil {
		return diff.Reason{}
	}
	return s.reasons.Of(s.Diff, c.Change)
}

// statementOf returns the statements of a finding.
func (s *Summary) statementOf(f *finding) []Statement {
	switch {
	case f.only == nil:
		return s.changed(f.change)
	case f.replaced != nil:
		st := s.onlyOn(f.only, f.purposes)
		was, is := apart(f.replaced.only.full, f.only.full)
		st.Kind, st.Callee.Name = StatementReplaces, is
		st.Was = Named{f.replaced.only.full, was, f.replaced.purposes}
		st.Evidence = s.gateOf(f.only.why)
		return []Statement{st}
	case f.callsPluginsOnly():
		st := s.onlyOn(f.only, f.purposes)
		st.Kind, st.Evidence, st.AlsoCaller = StatementPlugins, nil, f.alsoBy.named()
		return []Statement{st}
	}
	return []Statement{s.onlyOn(f.only, f.purposes)}
}

// onlyOn describes a call that only one side makes.
func (s *Summary) onlyOn(o *oneSidedCall, purposes []string) Statement {
	st := s.statement(StatementCalls)
	st.Caller, st.Callee = o.caller.named(), Named{o.full, o.function, purposes}
	st.Why, st.Way = o.why.Why, o.why.Way
	if st.Only = SideA; o.kind == diff.Added {
		st.Only = SideB
	}
	if s.sides.Scenarios { // the source is the same
		st.Why = diff.NoReason
	}
	nested := o.deepA != o.deepB
	switch {
	case nested:
		st.Kind, st.A, st.B = StatementNested, int64(o.deepA), int64(o.deepB)
	case st.Why == diff.NoSpan:
		st.Kind, st.Inner = StatementNoSpan, o.inner.named()
		st.Evidence = append(st.Evidence, Evidence{Kind: EvidenceNoSpan, Spanless: o.why.Spanless})
		return st
	case st.Why == diff.OtherPlace:
		st.Kind = StatementNotTraced
		st.Evidence = append(st.Evidence, Evidence{Kind: EvidencePackage, Side: st.lacks(), Package: o.why.Package})
		return st
	case o.inner.short != "":
		st.Kind, st.Inner = StatementBetween, o.inner.named()
		st.Evidence = append(st.Evidence, s.wayOf(o.why.Way)...)
	case o.why.Way.Kind != diff.WayCalls:
		st.Kind = StatementLeads
	}
	st.Elsewhere = s.madeOn(o.kind)[[2]string{o.caller.function, o.full}]
	if o.times > 0 { // else both sides may make the call, and only one counts it
		st.B = int64(o.times)
	}
	if nested {
		st.Evidence = append(st.Evidence, s.gateOf(o.why)...)
		return st
	}
	gate, branch := s.gateOf(o.why), s.branchOf(&st, o.why.Branch)
	if o.why.Instead != "" { // both sides reached the call
		branch = nil
	}
	st.Evidence = slices.Concat(st.Evidence, s.sourceOf(&st, o.why, slices.Concat(gate, branch)), gate, branch)
	return st
}

// madeOn returns the pairs of caller and called function on the side without
// the change: A for an addition, else B.
func (s *Summary) madeOn(kind diff.Kind) map[[2]string]bool {
	tree := s.Diff.B
	if kind == diff.Added {
		tree = s.Diff.A
	}
	made := s.made[tree]
	if made == nil {
		made = map[[2]string]bool{}
		for i := 1; i < tree.Len(); i++ {
			made[[2]string{tree.Call(tree.Parent(i)).Function, tree.Call(i).Function}] = true
		}
		s.made[tree] = made
	}
	return made
}

// statement begins a statement.
func (s *Summary) statement(kind StatementKind) Statement {
	return Statement{Kind: kind, NameA: s.sides.A, NameB: s.sides.B}
}

// both begins a statement on a call that both sides make.
func (s *Summary) both(kind StatementKind, c *ShownChange) Statement {
	st := s.statement(kind)
	call := s.Diff.B.Call(c.B)
	st.Callee = Named{Function: call.Function, Name: call.ShortName()}
	if purpose := PurposeOf(call); purpose != "" {
		st.Callee.Purposes = []string{purpose}
	}
	return st
}

// moved describes a call that another function now makes.
func (s *Summary) moved(c *ShownChange) Statement {
	st := s.both(StatementMoved, c)
	st.WasCaller, st.Caller = s.callerName(s.Diff.A, c.A).named(), s.callerName(s.Diff.B, c.B).named()
	if above, aboveWas := s.Diff.B.Parent(c.B), s.Diff.A.Parent(c.A); above >= 0 && aboveWas >= 0 {
		caller, callerWas := s.Diff.B.Call(above), s.Diff.A.Call(aboveWas)
		if callerWas.Function != caller.Function && callerWas.ShortName() == caller.ShortName() {
			st.WasCaller.Name, st.Caller.Name = apart(callerWas.Function, caller.Function)
		}
	}
	if s.reasons == nil || s.Diff.A.Call(c.A).Function != s.Diff.B.Call(c.B).Function {
		return st
	}
	inA, inB := s.reasons.WayInA(s.Diff, c.A), s.reasons.WayInB(s.Diff, c.B)
	if inA.Kind == diff.WayCalls && inB.Kind == diff.WayCalls {
		st.Way = inB
		if !s.sides.Scenarios && s.isElsewhere(c) {
			st.Why = diff.NewCall
		}
	}
	return st
}

// isElsewhere reports whether the new caller did not make the call before, and
// the old caller no longer makes it.
func (s *Summary) isElsewhere(c *ShownChange) bool {
	above, aboveWas := s.Diff.B.Parent(c.B), s.Diff.A.Parent(c.A)
	if above < 0 || aboveWas < 0 {
		return false
	}
	called, calledWas := s.Diff.B.Call(c.B), s.Diff.A.Call(c.A)
	// The matching may have paired a caller with a function of another name,
	// although the source also has a function of the caller's own name. Check
	// both.
	callers, callersWas := []*trace.Call{s.Diff.B.Call(above)}, []*trace.Call{s.Diff.A.Call(aboveWas)}
	if i := s.Diff.InA[above]; i != diff.None {
		callers = append(callers, s.Diff.A.Call(i))
	}
	if j := s.Diff.InB[aboveWas]; j != diff.None {
		callersWas = append(callersWas, s.Diff.B.Call(j))
	}
	return !slices.ContainsFunc(callers, func(caller *trace.Call) bool {
		before, _ := s.reasons.CallsInA(caller, calledWas)
		return before
	}) && !slices.ContainsFunc(callersWas, func(caller *trace.Call) bool {
		after, _ := s.reasons.CallsInB(caller, called)
		return after
	})
}

// renamed describes a function that has another name, file or package.
func (s *Summary) renamed(c *ShownChange) Statement {
	st := s.both(StatementRenamed, c)
	a, b := s.Diff.A.Call(c.A), s.Diff.B.Call(c.B)
	st.Was = Named{Function: a.Function, Name: a.ShortName()}
	st.Value = diff.ValueChange{Name: "file", A: a.File, B: b.File}
	if s.reasons != nil && s.reasons.Renamed(a, b) {
		st.Why = diff.NewFunction
	}
	return st
}

// repeated describes a call that is made more or less often.
func (s *Summary) repeated(c *ShownChange) Statement {
	st := s.both(StatementRepeated, c)
	st.Caller = s.callerName(s.Diff.B, c.B).named()
	st.A, st.B = int64(c.CountA), int64(c.CountB)
	if s.varies(st.Caller) {
		st.Evidence = append(st.Evidence, Evidence{Kind: EvidenceVaries, Name: st.Caller.Name})
	}
	if s.reasons != nil {
		inA, inB := s.reasons.WayInA(s.Diff, c.A), s.reasons.WayInB(s.Diff, c.B)
		if inA.Kind == diff.WayCalls && inB.Kind == diff.WayCalls {
			st.Way = inB
		}
	}
	if was, is := s.Diff.A.Call(c.A).Function, s.Diff.B.Call(c.B).Function; was != is {
		st.Was.Function = was
		st.Was.Name, st.Callee.Name = apart(was, is)
	}
	return st
}

// changed describes a change of a call that both sides make. Changed values
// have one statement each.
func (s *Summary) changed(c *ShownChange) []Statement {
	switch c.Kind {
	case diff.Moved:
		return []Statement{s.moved(c)}
	case diff.Renamed:
		return []Statement{s.renamed(c)}
	case diff.Repeated:
		return []Statement{s.repeated(c)}
	case diff.Reordered:
		return []Statement{s.reordered(c)}
	case diff.Timed:
		st := s.both(StatementTime, c)
		st.A, st.B = c.OwnNsA, c.OwnNsB
		return []Statement{st}
	}
	values := c.Values
	if c.Telling {
		values = c.Fresh
	}
	var all []Statement
	for _, v := range values {
		st := s.both(StatementValue, c)
		st.Value = v
		if fails := v.Name == "error"; fails && v.A == "" {
			st.Kind, st.Only = StatementFails, SideB
		} else if fails && v.B == "" {
			st.Kind, st.Only = StatementFails, SideA
		}
		st.Evidence = s.askedBy(c, v)
		all = append(all, st)
	}
	return all
}
