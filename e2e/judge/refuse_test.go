package judge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view"
)

// handmade is a handwritten source of a release.
type handmade struct {
	texts map[string][]call
	named map[string][]mention
	on    map[string]bool
	asks  map[string][]string
}

func (h handmade) text(_, function string) ([]call, bool) {
	calls, ok := h.texts[function]
	return calls, ok
}
func (h handmade) programs() []string { return []string{"kube-apiserver"} }

func (h handmade) mentions(_, name string) []mention { return h.named[name] }
func (h handmade) asked(_, function string) []string { return h.asks[function] }
func (h handmade) gate(_, name string) (on, known bool) {
	on, known = h.on[name]
	return on, known
}

// TestJudgeRefuses checks that the judge accepts true statements and refuses false ones.
func TestJudgeRefuses(t *testing.T) {
	within := branch{kind: "in", texts: []string{"ifn>3"}, line: 8, limits: map[string]bool{"size": true}}
	b := handmade{
		texts: map[string][]call{
			"q/p.A": {{name: "q/p.B", static: true, gates: []string{"G"}, branches: []branch{within}}, {name: "q/p.T.M", static: true}, {name: "q/p.New", static: true}},
			"q/p.B": nil, "q/p.New": nil, "q/p.T.M": nil, "q/p.Only": nil, "q/p.F": {{name: "q/p.Only", static: true}},
		},
		named: map[string][]mention{"q/p.T": {{"q/p.New", nil}}, "q/p.New": {{"q/p.A", []string{"G"}}}, "q/p.B": {{"q/p.A", []string{"G"}}, {"", nil}}},
		on:    map[string]bool{"G": true},
		asks:  map[string][]string{"q/p.A": {"G"}},
	}
	a := handmade{texts: map[string][]call{"q/p.A": {{name: "q/p.B", static: true}, {name: "q/p.T.M", static: true}, {name: "q/p.I.M"}}, "q/p.B": nil, "q/p.F": nil, "q/p.T.M": nil, "q/p.V.M": nil, "q/r.Only": nil}, on: map[string]bool{"G": false}}
	id := func(i int) string { return fmt.Sprintf("%016x", i+1) }
	request := func(names ...string) *trace.Recording {
		r := trace.Request{TraceID: strings.Repeat("a", 32), Method: "GET", Path: "/", Status: 200}
		for i, name := range names {
			c := trace.Call{ID: id(i), Function: name, Process: "kube-apiserver"}
			if i > 0 {
				c.Parent = id(0)
			}
			r.Calls = append(r.Calls, c)
		}
		return &trace.Recording{Requests: []trace.Request{r}}
	}
	j := newJudge("v1.1.0", "v1.2.0", a, b, request("q/p.A", "q/p.F", "q/p.V.M"), request("q/p.A", "q/p.B", "q/p.T.M", "q/p.F", "q/p.Only"))
	j.tables = []table{{"v1.0.0", a.gate}, {"v1.1.0", a.gate}, {"v1.2.0", b.gate}}
	statement := func(kind view.StatementKind, caller, callee string, why diff.Why, evidence ...view.Evidence) view.Statement {
		return view.Statement{
			Kind: kind, Only: view.SideB, NameA: "v1.1.0", NameB: "v1.2.0", Caller: view.Named{Function: caller, Name: "caller"}, Callee: view.Named{Function: callee, Name: "callee"},
			Why: why, Way: diff.Way{Kind: diff.WayCalls}, Evidence: evidence,
		}
	}
	asks := func(function, gate string, on bool, since string) view.Statement {
		return statement(view.StatementValue, "", function, diff.NoReason, view.Evidence{Kind: view.EvidenceAsks, Gate: gate, On: on, Since: since})
	}
	ran := func(evidence ...view.Evidence) view.Statement {
		return statement(view.StatementCalls, "q/p.A", "q/p.B", diff.OtherWay, evidence...)
	}
	gate := func(name string, on bool, since string) view.Evidence {
		return view.Evidence{Kind: view.EvidenceGate, Gate: name, On: on, Since: since}
	}
	stands := func(kind recordings.BranchKind, text string, line int, limit recordings.Threshold) view.Evidence {
		return view.Evidence{Kind: view.EvidenceBranch, Side: "v1.2.0", File: "q/p/f.go", Line: line, Branch: recordings.Branch{Kind: kind, Text: text, Threshold: limit}}
	}
	there := func(text string) view.Evidence {
		return view.Evidence{Kind: view.EvidenceBranch, Side: "v1.1.0", Branch: recordings.Branch{Kind: recordings.BranchIn, Text: text}}
	}
	repeated := func(caller, was, is string) view.Statement {
		st := statement(view.StatementRepeated, caller, is, diff.NoReason)
		st.Only, st.Was = 0, view.Named{Function: was, Name: "was"}
		return st
	}
	gone := statement(view.StatementCalls, "q/p.F", "q/p.Only", diff.NewFunction)
	gone.Only = view.SideA
	for _, test := range []struct {
		name   string
		of     view.Statement
		isTrue bool
	}{
		{"a new function is called", statement(view.StatementCalls, "q/p.F", "q/p.Only", diff.NewFunction), true},
		{"a new call that both make", statement(view.StatementCalls, "q/p.A", "q/p.B", diff.NewCall), false},
		{"a new function that both have", statement(view.StatementCalls, "q/p.A", "q/p.B", diff.NewFunction), false},
		{"a removed function that the newer side has", gone, false},
		{"both sources have it", ran(), true},
		{"both sources have it, in evidence", ran(view.Evidence{Kind: view.EvidenceBoth}), true},
		{"only one source has it, in evidence", statement(view.StatementCalls, "q/p.F", "q/p.Only", diff.NewFunction, view.Evidence{Kind: view.EvidenceBoth}), false},
		{"the other side lacks it, in evidence", statement(view.StatementCalls, "q/p.F", "q/p.Only", diff.NewFunction, view.Evidence{Kind: view.EvidenceNoFunction, Side: "v1.1.0"}), true},
		{"this side has it, in evidence", statement(view.StatementCalls, "q/p.F", "q/p.Only", diff.NewFunction, view.Evidence{Kind: view.EvidenceNoFunction, Side: "v1.2.0"}), false},
		{"the other side does not have its package, in evidence", statement(view.StatementCalls, "q/p.F", "q/p.Only", diff.NewFunction, view.Evidence{Kind: view.EvidenceNoPackage, Side: "v1.1.0", Package: "q/p"}), true},
		{"another package, in evidence", statement(view.StatementCalls, "q/p.F", "q/p.Only", diff.NewFunction, view.Evidence{Kind: view.EvidenceNoPackage, Side: "v1.1.0", Package: "q/r"}), false},
		{"the caller lacks the call, in evidence", statement(view.StatementCalls, "q/p.F", "q/p.Only", diff.NewCall, view.Evidence{Kind: view.EvidenceNoCall, Side: "v1.1.0", Name: "q/p.F"}), true},
		{"the caller has the call, in evidence", statement(view.StatementBetween, "q/p.A", "q/p.B", diff.OtherWay, view.Evidence{Kind: view.EvidenceNoCall, Side: "v1.1.0", Name: "q/p.A"}), false},
		{"the caller has a call of an interface that may be the call, in evidence", statement(view.StatementCalls, "q/p.A", "q/p.V.M", diff.NewCall, view.Evidence{Kind: view.EvidenceNoCall, Side: "v1.1.0", Name: "q/p.A"}), false},
		{"there is no such caller, in evidence", statement(view.StatementCalls, "q/p.F", "q/p.Only", diff.NewCall, view.Evidence{Kind: view.EvidenceNoCall, Side: "v1.1.0", Name: "q/p.Nobody"}), false},
		{"it has another name, in evidence", statement(view.StatementBetween, "q/p.F", "q/p.Only", diff.MovedFunction, view.Evidence{Kind: view.EvidenceOtherName, Side: "v1.1.0", Package: "q/r", Name: "r.Only"}), true},
		{"no source has the other name, in evidence", statement(view.StatementBetween, "q/p.F", "q/p.Only", diff.MovedFunction, view.Evidence{Kind: view.EvidenceOtherName, Side: "v1.1.0", Package: "q/s", Name: "s.Only"}), false},
		{"the other side runs another function, in evidence", statement(view.StatementBetween, "q/p.A", "q/p.T.M", diff.OtherWay, view.Evidence{Kind: view.EvidenceInstead, Side: "v1.1.0", Name: "p.V.M"}), true},
		{"the other side does not run that function, in evidence", statement(view.StatementBetween, "q/p.A", "q/p.T.M", diff.OtherWay, view.Evidence{Kind: view.EvidenceInstead, Side: "v1.1.0", Name: "p.W.M"}), false},
		{"a gate", ran(gate("G", true, "v1.2")), true},
		{"a gate since another release", ran(gate("G", true, "v1.1")), false},
		{"a gate that is off", ran(gate("G", false, "v1.2")), false},
		{"another gate", ran(gate("H", true, "v1.2")), false},
		{"the gate of a method's value", statement(view.StatementCalls, "q/p.A", "q/p.T.M", diff.OtherWay, gate("G", true, "v1.2")), true},
		{"a gate of something else", statement(view.StatementCalls, "q/p.F", "q/p.Only", diff.NewFunction, gate("G", true, "v1.2")), false},
		{"a gate that it asks for", asks("q/p.A", "G", true, "v1.2"), true},
		{"a gate that it asks for, since another release", asks("q/p.A", "G", true, "v1.1"), false},
		{"a gate that it asks for and that is off", asks("q/p.A", "G", false, "v1.2"), false},
		{"a gate that another function asks for", asks("q/p.F", "G", true, "v1.2"), false},
		{"a branch", ran(stands(recordings.BranchIn, "if n > 3", 8, recordings.NoThreshold)), true},
		{"a branch with a limit", ran(stands(recordings.BranchIn, "if n > 3", 8, recordings.ThresholdSize)), true},
		{"a branch with another limit", ran(stands(recordings.BranchIn, "if n > 3", 8, recordings.ThresholdTime)), false},
		{"a branch at another line", ran(stands(recordings.BranchIn, "if n > 3", 9, recordings.NoThreshold)), false},
		{"another branch", ran(stands(recordings.BranchIn, "if n > 4", 8, recordings.NoThreshold)), false},
		{"an else", ran(stands(recordings.BranchElse, "if n > 3", 8, recordings.NoThreshold)), false},
		{"behind a branch", ran(stands(recordings.BranchPast, "if n > 3", 8, recordings.NoThreshold)), false},
		{"an assertion", ran(stands(recordings.BranchIn, "if m, ok := n.(T); ok", 8, recordings.NoThreshold)), false},
		{"no branch on the other side", ran(view.Evidence{Kind: view.EvidenceNoBranch, Side: "v1.1.0"}), true},
		{"no branch on this side", ran(view.Evidence{Kind: view.EvidenceNoBranch, Side: "v1.2.0"}), false},
		{"a branch on the other side", ran(there("if ok")), false},
		{"another call in a branch, on the side with the call", ran(view.Evidence{Kind: view.EvidenceInBranch, Side: "v1.2.0", Name: "p.B", Branch: recordings.Branch{Kind: recordings.BranchIn, Text: "if n > 3"}}), false},
		{"another call in another branch", ran(view.Evidence{Kind: view.EvidenceInBranch, Side: "v1.1.0", Name: "p.B", Branch: recordings.Branch{Kind: recordings.BranchIn, Text: "if ok"}}), false},
		{"evidence of an unknown kind", ran(view.Evidence{Kind: "nothing"}), false},
		{"another callee on each side", repeated("q/p.F", "q/p.Old", "q/p.Only"), true},
		{"a callee that is not called", repeated("q/p.A", "q/p.B", "q/p.Only"), false},
		{"a statement of an unknown kind", statement("nothing", "q/p.A", "q/p.B", diff.NoReason), false},
	} {
		if err := j.judge(&test.of); (err == nil) != test.isTrue {
			t.Errorf("%s: got the error %v, expected one only for a false statement", test.name, err)
		}
	}
}

// TestJudgeSkipsForeign checks that the judge skips a statement only if it names a function
// that no program with known sources called.
func TestJudgeSkipsForeign(t *testing.T) {
	r := trace.Request{Calls: []trace.Call{
		{Function: "q/p.A", Process: "kube-apiserver"}, {Function: "q/p.A", Process: "kube-scheduler"}, {Function: "q/p.S", Process: "kube-scheduler"},
	}}
	rec := &trace.Recording{Requests: []trace.Request{r}}
	j := newJudge("a", "b", handmade{}, handmade{}, rec, rec)
	for _, test := range []struct {
		of   view.Statement
		want bool
	}{
		{view.Statement{Caller: view.Named{Function: "q/p.A"}, Callee: view.Named{Function: "q/p.A"}}, false},
		{view.Statement{Caller: view.Named{Function: "q/p.A"}, Callee: view.Named{Function: "q/p.S"}}, true},
		{view.Statement{Caller: view.Named{Function: "q/p.S"}}, true},
		{view.Statement{Caller: view.Named{Function: "q/p.Unknown"}}, false},
	} {
		if got := j.foreign(&test.of); got != test.want {
			t.Errorf("foreign(%v → %v) is %v, expected %v", test.of.Caller, test.of.Callee, got, test.want)
		}
	}
}
