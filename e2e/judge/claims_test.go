package judge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view"
)

// A call is a call in the text of a function.
type call struct {
	// name is the called function or interface method. It is "" for a call of a
	// variable's value.
	name string
	// static is set if the call always runs the function with this name.
	static bool
	// gates are the feature gates in conditions around the call.
	gates []string
	// branches are the branches around the call. They include earlier if statements with
	// a body that leaves the function or the loop.
	branches []branch
}

// A branch is a branch around a call, or before it.
type branch struct {
	// kind is "in", "else", "past" or "loop".
	kind string
	// texts are the ways to write the branch, without blanks.
	texts []string
	// line is the line in the file, or 0 if it is not known.
	line int
	// limits are the kinds of values in the condition's comparisons: "time", "size",
	// "verbosity". It is nil if they are not known.
	limits map[string]bool
}

// A mention is a place that calls or names a function, or that makes a value of a type.
type mention struct {
	// in is the function with the mention, or "" for the variables of a package.
	in    string
	gates []string
}

// A source has facts from the source code of one release.
type source interface {
	// text lists the calls in the text of a function, without the calls in its
	// literals. If no traced package of the program has the function, ok is false.
	text(program, function string) (calls []call, ok bool)
	// mentions lists the places in traced packages that mention a function, or make a
	// value of a type.
	mentions(program, name string) []mention
	// gate returns whether a program's feature gate is on by default. known is false if
	// the source does not have the gate.
	gate(program, name string) (on, known bool)
	// asked lists the feature gates that the text of a function asks for.
	asked(program, function string) []string
	// programs lists the programs whose sources are known.
	programs() []string
}

// A function is a function of a program, by its full name.
type function struct{ program, name string }

// A judge checks the sentences of one comparison.
type judge struct {
	// sides are the sources of both sides, by the side's name in sentences. a and b are
	// these names.
	sides map[string]source
	a, b  string
	// known has the recorded functions by short name. requests has the recorded requests
	// of each side.
	known    map[string][]function
	requests map[string][]trace.Request
	// tables have the feature gates of each release up to the release of B, oldest
	// first.
	tables []table
}

// A table has the feature gates of a release.
type table struct {
	release string
	gate    func(program, name string) (on, known bool)
}

func newJudge(nameA, nameB string, a, b source, recordings ...*trace.Recording) *judge {
	j := &judge{sides: map[string]source{nameA: a, nameB: b}, a: nameA, b: nameB, known: map[string][]function{}, requests: map[string][]trace.Request{}}
	for i, rec := range recordings {
		j.requests[[]string{nameA, nameB}[i]] = rec.Requests
		for _, r := range rec.Requests {
			for i := range r.Calls {
				c := &r.Calls[i]
				f, short := function{c.Process, c.Function}, funcname.Short(c.Function)
				if !slices.Contains(j.known[short], f) {
					j.known[short] = append(j.known[short], f)
				}
				for name := short; name != f.name; { // a sentence may use more of the path than the short name
					before := strings.TrimSuffix(strings.TrimSuffix(f.name, name), "/")
					name = f.name[strings.LastIndexByte(before, '/')+1:]
					if !slices.Contains(j.known[name], f) {
						j.known[name] = append(j.known[name], f)
					}
				}
			}
		}
	}
	return j
}

// judge checks a statement and its evidence. It has nothing to check if a statement is
// about the recordings alone.
func (j *judge) judge(st *view.Statement) error {
	if st.Text(message.Printer{}, func(ns int64) string { return strconv.FormatInt(ns, 10) }) == "" {
		return fmt.Errorf("a statement of kind %q has no sentence", st.Kind)
	}
	c := j.claimOf(st)
	if err := j.statement(st, c); err != nil {
		return err
	}
	for i := range st.Evidence {
		if err := j.evidence(st, c, &st.Evidence[i]); err != nil {
			return fmt.Errorf("%q: %w", st.Evidence[i].In(message.Printer{}), err)
		}
	}
	return nil
}

// A claim is the meaning of a statement about a call that one side makes. The functions
// have their full names.
type claim struct {
	// has is the side with the call, lacks is the other side.
	has, lacks, caller, called string
	purposes                   []string
	// leads is set if other functions lie between caller and called. Any call of the
	// caller may then lead to called. between is set if the statement does not say how
	// the caller reaches called.
	leads, between bool
}

// foreign reports whether a statement names a function that was recorded only in programs
// whose sources are not known.
func (j *judge) foreign(st *view.Statement) bool {
	for _, named := range []view.Named{st.Caller, st.Callee, st.Inner, st.Was, st.WasCaller, st.AlsoCaller} {
		if named.Function != "" && j.foreignName(named.Function) {
			return true
		}
	}
	return false
}

// foreignName is like foreign, for the name of one function.
func (j *judge) foreignName(name string) bool {
	known := j.sides[j.b].programs()
	return len(j.known[name]) > 0 && !slices.ContainsFunc(j.known[name], func(f function) bool { return slices.Contains(known, f.program) })
}

func (j *judge) claimOf(st *view.Statement) claim {
	c := claim{
		has: j.b, lacks: j.a, caller: st.Caller.Function, called: st.Callee.Function, purposes: st.Callee.Purposes,
		leads: st.Kind == view.StatementLeads, between: st.Kind == view.StatementBetween || st.Kind == view.StatementReplaces,
	}
	if st.Only == view.SideA {
		c.has, c.lacks = j.a, j.b
	}
	return c
}

func (j *judge) statement(st *view.Statement, c claim) error {
	called := st.Way.Kind == diff.WayCalls
	switch st.Kind {
	case view.StatementCalls:
		switch st.Why {
		case diff.NewFunction:
			return firstOf(j.calls(c.has, c.caller, c.called), j.absent(c.lacks, c.called))
		case diff.NewCall:
			return firstOf(j.calls(c.has, c.caller, c.called), j.more(c.has, c.lacks, c.caller, c.called))
		case diff.OtherWay:
			return j.both(c.caller, c.called)
		}
		return j.calls(c.has, c.caller, c.called)
	case view.StatementLeads:
		return j.leads(c.has, c.caller, c.called, st.Way)
	case view.StatementBetween:
		if st.Why == diff.NewCall || st.Why == diff.NewFunction {
			return j.between(c)
		}
	case view.StatementNoSpan:
		if st.Inner.Function == "" && called {
			return j.both(c.caller, c.called)
		}
	case view.StatementPlugins:
		return firstOf(j.runsOnly(c, st.Caller.Function), j.runsOnly(c, st.AlsoCaller.Function))
	case view.StatementMoved:
		switch {
		case st.Why == diff.NewCall:
			return firstOf(
				j.calls(j.b, st.Caller.Function, c.called), j.more(j.b, j.a, st.Caller.Function, c.called),
				j.calls(j.a, st.WasCaller.Function, c.called), j.more(j.a, j.b, st.WasCaller.Function, c.called))
		case called && st.Caller.Function != st.WasCaller.Function:
			return firstOf(j.calls(j.a, st.WasCaller.Function, c.called), j.calls(j.b, st.Caller.Function, c.called))
		}
	case view.StatementRenamed:
		if st.Why == diff.NewFunction && st.Was.Name != st.Callee.Name {
			return firstOf(j.absent(j.b, st.Was.Function), j.absent(j.a, c.called))
		}
	case view.StatementRepeated:
		switch {
		case called && st.Was.Function != "":
			return firstOf(j.callsIfThere(j.a, c.caller, st.Was.Function), j.callsIfThere(j.b, c.caller, c.called))
		case called:
			return firstOf(j.callsIfThere(j.a, c.caller, c.called), j.calls(j.b, c.caller, c.called))
		}
	}
	return nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// of returns the functions with a short name that the source of a side has.
func (j *judge) of(side, short string) (all []function) {
	for _, f := range j.known[short] {
		if _, ok := j.sides[side].text(f.program, f.name); ok {
			all = append(all, f)
		}
	}
	return all
}

// A verdict says whether a function's text calls another function.
type verdict int

const (
	noText  verdict = iota // the source lacks the caller
	never                  // the text has no such call
	perhaps                // through an interface or a variable
	surely
)

// verdict returns the strongest verdict over all functions with these short names.
func (j *judge) verdict(side, caller, called string) verdict {
	best := noText
	for _, v := range j.verdicts(side, caller, called) {
		best = max(best, v)
	}
	return best
}

// verdicts returns, for each function with the short name called, whether the caller's
// text calls it.
func (j *judge) verdicts(side, caller, called string) map[function]verdict {
	all := map[function]verdict{}
	for _, f := range j.known[caller] {
		calls, ok := j.sides[side].text(f.program, f.name)
		if !ok {
			continue
		}
		for _, to := range j.known[called] {
			all[to] = max(all[to], never)
			for _, c := range calls {
				switch {
				case c.static && c.name == to.name && f.program == to.program:
					all[to] = surely
				case !c.static && (c.name == "" || funcname.Last(c.name) == funcname.Last(to.name)):
					all[to] = max(all[to], perhaps)
				}
			}
		}
	}
	return all
}

// more checks that one side's text may call a function with the short name, and that
// the other side's text does not surely call it.
func (j *judge) more(has, lacks, caller, called string) error {
	there := j.verdicts(lacks, caller, called)
	for f, v := range j.verdicts(has, caller, called) {
		if v >= perhaps && there[f] < surely {
			return nil
		}
	}
	return fmt.Errorf("the source of %s has this call, too", lacks)
}

// calls checks that a text may call a function.
func (j *judge) calls(side, caller, called string) error {
	if j.verdict(side, caller, called) <= never {
		return fmt.Errorf("the source of %s has no such call in %s", side, caller)
	}
	return nil
}

// callsIfThere is like calls, but accepts a side without the caller. The caller may
// have another name there.
func (j *judge) callsIfThere(side, caller, called string) error {
	if j.verdict(side, caller, called) == noText {
		return nil
	}
	return j.calls(side, caller, called)
}

// absent checks that a side's source lacks a function that the other side has. It returns
// an error if the other side has functions with the short name, and this side has all of
// them.
func (j *judge) absent(side, short string) error {
	other := j.a
	if side == j.a {
		other = j.b
	}
	has, here := j.of(other, short), j.of(side, short)
	if len(has) > 0 && len(here) > 0 && !slices.ContainsFunc(has, func(f function) bool { return !slices.Contains(here, f) }) {
		return fmt.Errorf("the source of %s has %s", side, here[0].name)
	}
	return nil
}

// both checks that both sources have the call. The caller may have another name on one
// side.
func (j *judge) both(caller, called string) error {
	inA, inB := j.verdict(j.a, caller, called), j.verdict(j.b, caller, called)
	if inA == never || inB == never || inA == noText && inB == noText {
		return fmt.Errorf("expected that both sources have this call")
	}
	return j.inBoth(called)
}

// inBoth checks that both sources have a function.
func (j *judge) inBoth(short string) error {
	for side := range j.sides {
		if len(j.of(side, short)) == 0 {
			return fmt.Errorf("the source of %s has no %s", side, short)
		}
	}
	return nil
}

// leaf checks a function without a span. why is the reason in the sentence. If it is that
// the function is a leaf, the function's text must have no calls.
func (j *judge) leaf(side, short string, why recordings.Spanless) error {
	all := j.of(side, short)
	if len(all) == 0 {
		return fmt.Errorf("the source of %s has no %s", side, short)
	}
	if why != recordings.SpanlessLeaf {
		return nil
	}
	for _, f := range all {
		if calls, _ := j.sides[side].text(f.program, f.name); len(calls) == 0 {
			return nil
		}
	}
	return fmt.Errorf("in the source of %s the function has calls, so it is not a leaf", side)
}

// leads checks that the caller's text has a call of a function of the package way.By, and
// no static call of the function itself.
func (j *judge) leads(side, caller, called string, way diff.Way) error {
	if j.verdict(side, caller, called) == surely {
		return fmt.Errorf("the source of %s has the call itself", side)
	}
	by := way.By
	if way.Kind != diff.WayThrough || by == "" {
		return nil // the way is another program, or a queue such as raft
	}
	texts := 0
	for _, f := range j.known[caller] { // the text of one of the functions with this short name
		calls, ok := j.sides[side].text(f.program, f.name)
		if !ok {
			continue
		}
		texts++
		if slices.ContainsFunc(calls, func(c call) bool { return c.name != "" && funcname.Package(c.name) == by }) {
			return nil
		}
	}
	if texts == 0 {
		return nil
	}
	return fmt.Errorf("in %s the text of %s calls nothing of package %s", side, caller, by)
}

// untraced checks that a text calls a function of the package, and that the side does
// not trace the package's functions.
func (j *judge) untraced(side, caller, called, pkg string) error {
	for to, v := range j.verdicts(side, caller, called) {
		if v != surely || funcname.Package(to.name) != pkg {
			continue
		}
		if _, traced := j.sides[side].text(to.program, to.name); traced {
			return fmt.Errorf("%s of %s is traced", pkg, side)
		}
		return nil
	}
	return j.leads(side, caller, called, diff.Way{Kind: diff.WayThrough, By: pkg})
}

// between checks that the sources differ in the function itself, or in the call.
func (j *judge) between(c claim) error {
	if len(j.of(c.has, c.called)) == 0 {
		return fmt.Errorf("the source of %s has no %s", c.has, c.called)
	}
	if j.absent(c.lacks, c.called) == nil || j.verdict(c.lacks, c.caller, c.called) != surely {
		return nil
	}
	return j.more(c.has, c.lacks, c.caller, c.called)
}
