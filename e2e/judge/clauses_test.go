package judge

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view"
)

// evidence checks a line of evidence below a statement.
func (j *judge) evidence(st *view.Statement, c claim, e *view.Evidence) error {
	switch e.Kind {
	case view.EvidenceGate:
		return j.gate(c, e.Gate, e.On, e.Since)
	case view.EvidenceAsks:
		return j.asksFor(st, e)
	case view.EvidenceNoFunction, view.EvidenceNoPackage:
		if e.Side != c.lacks {
			return fmt.Errorf("the evidence names %s, which is the side with the call", e.Side)
		}
		if e.Kind == view.EvidenceNoPackage && !j.isIn(c.called, e.Package) {
			return fmt.Errorf("%s is not in package %s", c.called, e.Package)
		}
		return j.absent(e.Side, c.called)
	case view.EvidenceNoCall:
		return j.noCall(c, e)
	case view.EvidenceOtherName:
		return j.otherName(c, e)
	case view.EvidenceInstead:
		return j.instead(c, e)
	case view.EvidenceBoth, view.EvidenceUnexplained:
		if c.between {
			return j.inBoth(c.called)
		}
		return j.both(c.caller, c.called)
	case view.EvidenceVaries:
		if st.Kind == view.StatementRepeated {
			return nil // about the recordings alone
		}
		return j.both(c.caller, c.called)
	case view.EvidenceBothLead:
		return firstOf(j.leads(j.a, c.caller, c.called, st.Way), j.leads(j.b, c.caller, c.called, st.Way))
	case view.EvidenceBranch:
		return j.branch(c, e)
	case view.EvidenceInBranch:
		if e.Side != c.lacks {
			return fmt.Errorf("the evidence names %s, which is the side with the call", e.Side)
		}
		instead := c
		instead.called, instead.leads = e.Name, false
		return j.branch(instead, e)
	case view.EvidenceNoBranch:
		others, _ := j.callsOf(e.Side, c)
		inNone := func(made call) bool {
			return !slices.ContainsFunc(made.branches, func(b branch) bool { return b.kind != "past" })
		}
		if !slices.ContainsFunc(j.candidates(others, c), inNone) {
			return fmt.Errorf("in the source of %s each such call is in a branch", e.Side)
		}
		return nil
	case view.EvidenceNoPlugin:
		return j.runsNone(c)
	case view.EvidenceNoSpan:
		return j.leaf(c.lacks, c.called, e.Spanless)
	case view.EvidencePackage:
		return j.untraced(e.Side, c.caller, c.called, e.Package)
	case view.EvidenceQueue, view.EvidenceProcess:
		return nil // about the recordings alone
	}
	return fmt.Errorf("the judge has no rule for this kind of evidence")
}

// isIn reports whether a recorded function with a short name is in a package.
func (j *judge) isIn(short, pkg string) bool {
	return slices.ContainsFunc(j.known[short], func(f function) bool { return funcname.Package(f.name) == pkg })
}

// otherName checks that the source of a side has the claim's function in another package,
// and not under its own name.
func (j *judge) otherName(c claim, e *view.Evidence) error {
	if err := j.absent(e.Side, c.called); err != nil {
		return err
	}
	for _, f := range j.known[c.called] {
		name := e.Package + strings.TrimPrefix(f.name, funcname.Package(f.name))
		if _, ok := j.sides[e.Side].text(f.program, name); ok && strings.HasSuffix(name, e.Name) {
			return nil
		}
	}
	return fmt.Errorf("the source of %s has no %s in %s", e.Side, e.Name, e.Package)
}

// noCall checks that the caller of the evidence does not call the claim's function by name
// in the source of a side.
func (j *judge) noCall(c claim, e *view.Evidence) error {
	if e.Side != c.lacks {
		return fmt.Errorf("the evidence names %s, which is the side with the call", e.Side)
	}
	found := false
	for _, f := range j.known[e.Name] {
		calls, ok := j.sides[e.Side].text(f.program, f.name)
		found = found || ok
		isMethod := strings.Count(c.called[len(funcname.Package(c.called)):], ".") > 1
		if slices.ContainsFunc(calls, func(made call) bool {
			return made.static && made.name == c.called || isMethod && !made.static && made.name != "" && funcname.Last(made.name) == funcname.Last(c.called)
		}) {
			return fmt.Errorf("in the source of %s, %s may call %s", e.Side, e.Name, c.called)
		}
	}
	if !found {
		return fmt.Errorf("the source of %s has no %s", e.Side, e.Name)
	}
	return nil
}

// instead checks evidence that a side ran another function in place of the claim's
// function. A call of the claim's caller must be able to run both functions. The side must
// have recorded a call of the other function by this caller.
func (j *judge) instead(c claim, e *view.Evidence) error {
	calls, _ := j.callsOf(e.Side, c)
	if !slices.ContainsFunc(j.candidates(calls, c), func(made call) bool {
		return !made.static && (made.name == "" || funcname.Last(made.name) == funcname.Last(e.Name))
	}) {
		return fmt.Errorf("in the source of %s, no call of %s may run both functions", e.Side, c.caller)
	}
	for i := range j.requests[e.Side] {
		tree, err := trace.NewTree(&j.requests[e.Side][i])
		if err != nil {
			return err
		}
		for at := 1; at < tree.Len(); at++ {
			caller := tree.Call(tree.Parent(at)).Function
			if tree.Call(at).ShortName() == e.Name && caller == c.caller {
				return nil
			}
		}
	}
	return fmt.Errorf("%s recorded no call of %s by %s", e.Side, e.Name, c.caller)
}

// callsOf returns the calls in the text of the claim's caller, and the full name of the
// caller. If several functions have the caller's short name, it returns the calls and
// names of all.
func (j *judge) callsOf(side string, c claim) (all []call, names []string) {
	for _, f := range j.known[c.caller] {
		calls, ok := j.sides[side].text(f.program, f.name)
		if !ok {
			continue
		}
		names = append(names, f.name)
		all = append(all, calls...)
	}
	return all, names
}

// candidates returns the calls that may be calls of the claim's function. If there are
// none, or if the claim only says that the caller leads to the function, it returns all
// calls, because each of them may lead to it.
func (j *judge) candidates(calls []call, of claim) []call {
	if of.leads {
		return calls
	}
	var named, others []call
	for _, c := range calls {
		is := slices.ContainsFunc(j.known[of.called], func(f function) bool {
			return c.static && c.name == f.name || !c.static && (c.name == "" || funcname.Last(c.name) == funcname.Last(f.name))
		})
		if is {
			named = append(named, c)
		} else {
			others = append(others, c)
		}
	}
	if len(named) > 0 {
		return named
	}
	return others
}

// gate checks a sentence about a gate: on is its default in B but not in A, since is
// the first release with this default, and the call depends on the gate.
func (j *judge) gate(c claim, gate string, on bool, since string) error {
	err := fmt.Errorf("by the tables of %s the default of %s is another one", j.b, gate)
	for _, f := range j.known[c.called] { // functions of one or more programs
		if is, known := j.sides[j.b].gate(f.program, gate); known && is == on {
			if err = j.gateOf(c, f.program, gate, on, since); err == nil {
				return nil
			}
		}
	}
	return err
}

// gateOf is gate for one program.
func (j *judge) gateOf(c claim, program, gate string, on bool, since string) error {
	if was, known := j.sides[j.a].gate(program, gate); known && was == on {
		return fmt.Errorf("by the tables of %s the default of %s is the same", j.a, gate)
	}
	if err := j.sinceRelease(j.b, program, gate, on, since); err != nil {
		return err
	}
	if !j.depends(c, program, gate) {
		return fmt.Errorf("nothing in the source of %s makes %s depend on %s", c.has, c.called, gate)
	}
	return nil
}

// asksFor checks that the function of a statement asks for a gate, and that e.On is the
// gate's default in B but not in A.
func (j *judge) asksFor(st *view.Statement, e *view.Evidence) error {
	err := fmt.Errorf("%s does not ask for %s", st.Callee.Function, e.Gate)
	for _, f := range j.known[st.Callee.Function] {
		if !slices.Contains(j.sides[j.b].asked(f.program, st.Callee.Function), e.Gate) {
			continue
		}
		is, known := j.sides[j.b].gate(f.program, e.Gate)
		was, knownBefore := j.sides[j.a].gate(f.program, e.Gate)
		if !known || is != e.On || knownBefore && was == e.On {
			return fmt.Errorf("by the tables of %s and %s the default of %s did not change like this", j.a, j.b, e.Gate)
		}
		return j.sinceRelease(j.b, f.program, e.Gate, e.On, e.Since)
	}
	return err
}

// sinceRelease checks that the default of a gate changed to the value on in the release
// since, and did not change again up to the release of side.
func (j *judge) sinceRelease(side, program, gate string, on bool, since string) error {
	begun := ""
	for _, t := range j.tables {
		if semver.Compare(t.release, side) > 0 {
			break
		}
		if is, known := t.gate(program, gate); !known || is != on {
			begun = ""
		} else if begun == "" {
			begun = semver.MajorMinor(t.release)
		}
	}
	if begun != since {
		return fmt.Errorf("by the tables of all releases %s has its default since %s", gate, begun)
	}
	return nil
}

// depends reports whether a call depends on a gate. Either a condition around the call
// asks for the gate. Or such a condition is around each mention of the function, or
// around each place that makes a value of the method's type.
func (j *judge) depends(c claim, program, gate string) bool {
	calls, _ := j.callsOf(c.has, c)
	if slices.ContainsFunc(j.candidates(calls, c), func(made call) bool { return slices.Contains(made.gates, gate) }) {
		return true
	}
	for _, f := range j.known[c.called] {
		if f.program != program {
			continue
		}
		declared, _ := funcname.SplitLiteral(f.name)
		if j.gated(c.has, program, declared, gate, 3) || j.gated(c.has, program, typeOf(f.name), gate, 3) {
			return true
		}
	}
	return false
}

// gated reports whether every mention depends on a gate, or is in a function with this
// property. depth limits the recursion.
func (j *judge) gated(side, program, name, gate string, depth int) bool {
	mentions := j.sides[side].mentions(program, name)
	return name != "" && depth > 0 && len(mentions) > 0 && !slices.ContainsFunc(mentions, func(m mention) bool {
		return !slices.Contains(m.gates, gate) && !j.gated(side, program, m.in, gate, depth-1)
	})
}

// typeOf returns the type of a method, or "" if the function is not a method.
func typeOf(function string) string {
	declared, _ := funcname.SplitLiteral(function)
	pkg := funcname.Package(declared)
	typ, _, ok := strings.Cut(strings.TrimPrefix(declared[len(pkg):], "."), ".")
	if !ok {
		return ""
	}
	return pkg + "." + strings.TrimSuffix(strings.Trim(typ, "(*)"), "[...]")
}

// A form is a branch as the evidence describes it. It can match several branches of the
// source.
type form struct {
	kind    string
	matches func(text string) bool
}

func formOf(b recordings.Branch) form {
	kind := map[recordings.BranchKind]string{
		recordings.BranchIn: "in", recordings.BranchElse: "else", recordings.BranchPast: "past", recordings.BranchLoop: "loop",
	}[b.Kind]
	text := strings.TrimPrefix(b.Text, "range ")
	text, cut := strings.CutSuffix(strings.ReplaceAll(text, " ", ""), "…")
	return form{kind, func(t string) bool { return t == text || cut && strings.HasPrefix(t, text) }}
}

// limits are the names of thresholds in branch.limits.
var limits = map[recordings.Threshold]string{
	recordings.ThresholdTime: "time", recordings.ThresholdSize: "size", recordings.ThresholdVerbosity: "verbosity",
}

// branch checks that the call is in the branch, in the given file and line.
func (j *judge) branch(c claim, e *view.Evidence) error {
	c.leads = c.leads || c.between
	calls, in := j.callsOf(e.Side, c)
	if e.File != "" && !slices.ContainsFunc(in, func(f string) bool { return funcname.Package(f) == path.Dir(e.File) }) {
		return fmt.Errorf("the caller is not in package %s", path.Dir(e.File))
	}
	if !slices.ContainsFunc(j.candidates(calls, c), func(made call) bool { return made.standsIn(formOf(e.Branch), e.Line, limits[e.Branch.Threshold]) }) {
		return fmt.Errorf("in the source of %s no such call is in this branch", e.Side)
	}
	return nil
}

func (c call) standsIn(said form, line int, limit string) bool {
	return slices.ContainsFunc(c.branches, func(b branch) bool {
		if line > 0 && b.line > 0 && b.line != line || limit != "" && b.limits != nil && !b.limits[limit] {
			return false
		}
		return slices.ContainsFunc(b.texts, func(t string) bool {
			return b.kind == said.kind && said.matches(t)
		})
	})
}

// runsOnly checks that a caller runs each of the plugins on one side. On the other side,
// at least one call of the caller must run none of them. If caller is "", there is
// nothing to check.
func (j *judge) runsOnly(c claim, caller string) error {
	if caller == "" {
		return nil
	}
	c.caller = caller
	for _, plugin := range c.purposes {
		if !j.runs(c.has, caller, plugin) {
			return fmt.Errorf("%s does not run the plugin %s in %s", caller, plugin, c.has)
		}
	}
	return j.runsNone(c)
}

// runs reports whether a caller runs a plugin in one of a side's requests.
func (j *judge) runs(side, caller, plugin string) bool {
	for i := range j.requests[side] {
		tree, err := trace.NewTree(&j.requests[side][i])
		if err != nil {
			return false
		}
		for at := 1; at < tree.Len(); at++ {
			attributes := tree.Call(at).Attributes
			if tree.Call(tree.Parent(at)).Function == caller && (attributes[trace.AttrAdmissionPlugin] == plugin || attributes[trace.AttrAdmissionType] == plugin) {
				return true
			}
		}
	}
	return false
}

// runsNone checks that on the other side one call of the caller runs none of the plugins.
func (j *judge) runsNone(c claim) error {
	plugins := c.purposes
	for i := range j.requests[c.lacks] {
		tree, err := trace.NewTree(&j.requests[c.lacks][i])
		if err != nil {
			return err
		}
		for at := range tree.Len() {
			if tree.Call(at).Function != c.caller {
				continue
			}
			asked := false
			for child := range tree.Children(at) {
				attributes := tree.Call(child).Attributes
				asked = asked || slices.Contains(plugins, attributes[trace.AttrAdmissionPlugin]) || slices.Contains(plugins, attributes[trace.AttrAdmissionType])
			}
			if !asked {
				return nil
			}
		}
	}
	return fmt.Errorf("in %s, every call of the caller runs one of the plugins", c.lacks)
}
