package view

import (
	"strconv"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// A template is the sentence of a kind of Statement. Statement.values replaces
// the names in braces.
type template struct {
	kind StatementKind
	// when chooses among a kind's templates: the first match counts. nil always
	// matches.
	when func(*Statement) bool
	text message.Message
}

func isAdded(st *Statement) bool     { return st.fromSource() && st.Only == SideB }
func isRemoved(st *Statement) bool   { return st.fromSource() && st.Only == SideA }
func fromSource(st *Statement) bool  { return st.fromSource() }
func called(st *Statement) bool      { return st.called() }
func between(st *Statement) bool     { return st.Inner.Name != "" }
func elsewhere(st *Statement) bool   { return st.Elsewhere }
func alone(st *Statement) bool       { return st.Inner.Name == "" }
func after(st *Statement) bool       { return st.After }
func one(st *Statement) bool         { return st.B == 1 }
func below(st *Statement) bool       { return st.Caller.Name != "" }
func belowOne(st *Statement) bool    { return below(st) && one(st) }
func same(st *Statement) bool        { return st.Callee.Name != "" }
func belowSame(st *Statement) bool   { return below(st) && same(st) }
func belowOther(st *Statement) bool  { return below(st) && st.Counted != "" }
func onePlugin(st *Statement) bool   { return len(st.Callee.Purposes) == 1 }
func twoCallers(st *Statement) bool  { return st.AlsoCaller.Name != "" }
func sameName(st *Statement) bool    { return st.Was.Name == st.Callee.Name }
func sameCaller(st *Statement) bool  { return st.WasCaller.Function == st.Caller.Function }
func otherCallee(st *Statement) bool { return st.called() && st.Was.Name != "" }

// templates are the sentences of all statements.
var templates = []template{
	{StatementCalls, isAdded, message.Of("{caller} now calls {callee}{times}")},
	{StatementCalls, isRemoved, message.Of("{caller} no longer calls {callee}{times}")},
	{StatementCalls, elsewhere, message.Of("{caller} calls {callee} on both sides, but here only in {side}{alsoTimes}")},
	{StatementCalls, nil, message.Of("{caller} calls {callee} only in {side}{alsoTimes}")},
	{StatementLeads, isAdded, message.Of("{caller} now leads to {callee}{times}{way}")},
	{StatementLeads, isRemoved, message.Of("{caller} no longer leads to {callee}{times}{way}")},
	{StatementLeads, elsewhere, message.Of("{caller} leads to {callee}{way} on both sides, but here only in {side}{alsoTimes}")},
	{StatementLeads, nil, message.Of("{caller} leads to {callee}{way} only in {side}{alsoTimes}")},
	{StatementBetween, isAdded, message.Of("{callee} now stands between {caller} and {inner}")},
	{StatementBetween, isRemoved, message.Of("{callee} no longer stands between {caller} and {inner}")},
	{StatementBetween, nil, message.Of("{callee} stands between {caller} and {inner} only in {side}")},
	{StatementReplaces, nil, message.Of("{callee} takes the place of {was} between {caller} and {inner}")},
	{StatementNoSpan, between, message.Of("{callee}, between {caller} and {inner}, has no span in {lacks}")},
	{StatementNoSpan, called, message.Of("{caller} calls {callee} on both sides; it has no span in {lacks}")},
	{StatementNoSpan, nil, message.Of("{caller} leads to {callee}{way}, which has no span in {lacks}")},
	{StatementNotTraced, nil, message.Of("{caller} calls {callee} on both sides; in {lacks} it is in a package that is not traced")},
	{StatementPlugins, func(st *Statement) bool { return twoCallers(st) && onePlugin(st) }, message.Of("the plugin {plugins} is called only in {side}, by {caller} and {also}")},
	{StatementPlugins, twoCallers, message.Of("the plugins {plugins} are called only in {side}, by {caller} and {also}")},
	{StatementPlugins, onePlugin, message.Of("the plugin {plugins} is called only in {side}, by {caller}")},
	{StatementPlugins, nil, message.Of("the plugins {plugins} are called only in {side}, by {caller}")},

	{StatementNested, nil, message.Of("below {caller}, calls of {callee} are nested: {a} deep in {A}, {b} deep in {B}")},
	{StatementMoved, sameCaller, message.Of("{callee} is now in another call of {caller}")},
	{StatementMoved, fromSource, message.Of("{callee} is now called by {caller}, no longer by {wasCaller}")},
	{StatementMoved, called, message.Of("{callee} is called by {wasCaller} in {A}, by {caller} in {B}")},
	{StatementMoved, nil, message.Of("{callee} has another caller: {wasCaller} in {A}, {caller} in {B}")},
	{StatementRenamed, sameName, message.Of("{callee} is now in {valueB}, was in {valueA}")},
	{StatementRenamed, fromSource, message.Of("{was} is now {callee}")},
	{StatementRenamed, nil, message.Of("{callee} takes the place of {was}")},
	{StatementRepeated, otherCallee, message.Of("{caller} calls {was} {timesA} in {A}, {callee} {timesB} in {B}")},
	{StatementRepeated, called, message.Of("{caller} calls {callee} {timesA} in {A}, {timesB} in {B}")},
	{StatementRepeated, nil, message.Of("{caller} leads to {callee} {timesA} in {A}, {timesB} in {B}")},
	{StatementReordered, alone, message.Of("below {caller}, {callee} has another place in the order of calls")},
	{StatementReordered, after, message.Of("below {caller}, {callee} runs after {inner} in {B}, before it in {A}")},
	{StatementReordered, nil, message.Of("below {caller}, {callee} runs before {inner} in {B}, after it in {A}")},
	{StatementValue, nil, message.Of("{value} of {callee} is {valueA} in {A}, {valueB} in {B}")},
	{StatementFails, nil, message.Of("{callee} fails only in {side}: {error}")},
	{StatementTime, nil, message.Of("{callee} by itself took {timeA} in {A}, {timeB} in {B}")},
	{StatementPackage, nil, message.Of("{b} called functions are now in package {callee}, before in {was}")},
	{StatementCount, belowOne, message.Of("below {caller}: 1 call only in {side}, of {callee}")},
	{StatementCount, belowSame, message.Of("below {caller}: {b} calls only in {side}, of {callee}")},
	{StatementCount, belowOther, message.Of("below {caller}: {b} calls of the layer {counted} only in {side}")},
	{StatementCount, below, message.Of("below {caller}: {b} calls only in {side}")},
	{StatementCount, one, message.Of("1 call only in {side}, of {callee}")},
	{StatementCount, same, message.Of("{b} calls only in {side}, of {callee}")},
	{StatementCount, nil, message.Of("{b} calls only in {side}")},
}

// Text returns the sentence of a statement in the printer's language, without a
// full stop. duration formats a time in nanoseconds.
func (st *Statement) Text(p message.Printer, duration func(ns int64) string) string {
	for _, t := range templates {
		if t.kind == st.Kind && (t.when == nil || t.when(st)) {
			return t.text.Fill(p, st.values(p, duration))
		}
	}
	return ""
}

// values returns the replacements of the names in braces of a template.
func (st *Statement) values(p message.Printer, duration func(ns int64) string) map[string]string {
	times, alsoTimes := "", ""
	if st.Only != 0 && st.B > 1 && st.Kind != StatementNested {
		times, alsoTimes = " "+timesOf(p, st.B), p.Sprintf(", ")+timesOf(p, st.B)
	}
	was, is := InWordsApart(st.Value)
	return map[string]string{
		"A": st.NameA, "B": st.NameB, "side": st.side(), "lacks": st.lacks(),
		"caller": st.Caller.Localize(p), "callee": st.Callee.Localize(p), "inner": st.Inner.Localize(p), "was": st.Was.Localize(p),
		"wasCaller": st.WasCaller.Localize(p), "also": st.AlsoCaller.Localize(p), "plugins": message.List(st.Callee.Purposes).Localize(p),
		"counted": st.Counted, "a": strconv.FormatInt(st.A, 10), "b": strconv.FormatInt(st.B, 10),
		"timesA": timesOf(p, st.A), "timesB": timesOf(p, st.B), "timeA": duration(st.A), "timeB": duration(st.B),
		"value": ValueLabel(st.Value.Name), "valueA": QuoteEmpty(text.Escape(was)), "valueB": QuoteEmpty(text.Escape(is)), "error": text.Escape(was + is),
		"way": st.wayText(p), "times": times, "alsoTimes": alsoTimes,
	}
}

// wayText names the package, queue or program between Caller and Callee, or
// returns "".
func (st *Statement) wayText(p message.Printer) string {
	switch st.Way.Kind {
	case diff.WayThrough:
		return p.Sprintf(" through %s", st.Way.By)
	case diff.WayQueue:
		return p.Sprintf(" by a hand-over through %s", st.Way.By)
	case diff.WayProcess:
		return p.Sprintf(" in %s", st.Way.By)
	}
	return ""
}

// timesOf returns "once", "twice" or "n times".
func timesOf(p message.Printer, n int64) string {
	switch n {
	case 1:
		return p.Sprintf("once")
	case 2:
		return p.Sprintf("twice")
	}
	return p.Sprintf("%d times", n)
}
