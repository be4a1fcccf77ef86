package view

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// An Evidence is a line below the sentence of a Statement. It says why the
// Statement is true.
type Evidence struct {
	Kind EvidenceKind
	// Side is the side with the described source.
	Side string
	// Gate is a feature gate. On is its default on side B. Since is the first
	// minor version with that default.
	Gate  string
	On    bool
	Since string
	// Branch is the innermost branch around the call. It begins at File and
	// Line. File may be "".
	Branch recordings.Branch
	File   string
	Line   int
	// Spanless is why a function has no span.
	Spanless recordings.Spanless
	// Package is the path of a package.
	Package string
	// Name is a function, a queue or a program.
	Name string
}

// An EvidenceKind is the kind of an Evidence.
type EvidenceKind string

// The kinds of evidence.
const (
	// EvidenceGate: a feature gate decides whether the call is made. It has
	// another default on side A.
	EvidenceGate EvidenceKind = "gate"
	// EvidenceAsks: the function with that Name asks for a feature gate. It has
	// another default on side A.
	EvidenceAsks EvidenceKind = "asks"
	// EvidenceNoFunction: the source of a side has no function with that Name.
	EvidenceNoFunction EvidenceKind = "no function"
	// EvidenceNoPackage: a side does not trace the function's Package. Its source may not
	// have the package.
	EvidenceNoPackage EvidenceKind = "no package"
	// EvidenceOtherName: the source of a side has the function in Package, where its name
	// is Name.
	EvidenceOtherName EvidenceKind = "other name"
	// EvidenceNoCall: in the source of a side, the caller with that full Name does not make
	// the call.
	EvidenceNoCall EvidenceKind = "no call"
	// EvidenceInstead: both sources have the call, of an interface method or a function
	// value. On a side, it runs the function with that Name.
	EvidenceInstead EvidenceKind = "instead"
	// EvidenceBoth: both sources have the call.
	EvidenceBoth EvidenceKind = "both sources"
	// EvidenceUnexplained: both sources have the call, and nothing tells why only
	// Side made it.
	EvidenceUnexplained EvidenceKind = "not told"
	// EvidenceBothLead: both sources have the call that leads there.
	EvidenceBothLead EvidenceKind = "both sources lead"
	// EvidenceBranch: the call is in a branch of the source of a side.
	EvidenceBranch EvidenceKind = "branch"
	// EvidenceInBranch: in place of the call, a side made its last call of the function
	// with that Name, in a branch that the other side did not take.
	EvidenceInBranch EvidenceKind = "in a branch"
	// EvidenceNoBranch: the call is in no branch on a side.
	EvidenceNoBranch EvidenceKind = "no branch"
	// EvidenceNoPlugin: on a side, the caller with that Name does not call this
	// plugin.
	EvidenceNoPlugin EvidenceKind = "no plugin"
	// EvidenceNoSpan: why the function has no span.
	EvidenceNoSpan EvidenceKind = "no span"
	// EvidencePackage: the package that a side does not trace.
	EvidencePackage EvidenceKind = "package"
	// EvidenceVaries: the calls of the function with that Name vary from run to run.
	EvidenceVaries EvidenceKind = "varies"
	// EvidenceQueue: a queue hands the call over.
	EvidenceQueue EvidenceKind = "queue"
	// EvidenceProcess: the call runs in another program.
	EvidenceProcess EvidenceKind = "process"
)

// In returns the line in the printer's language.
func (e *Evidence) In(p message.Printer) string {
	switch e.Kind {
	case EvidenceGate:
		if e.On {
			return p.Sprintf("the call depends on feature gate %s, on by default since %s", e.Gate, e.Since)
		}
		return p.Sprintf("the call depends on feature gate %s, off by default since %s", e.Gate, e.Since)
	case EvidenceAsks:
		if e.On {
			return p.Sprintf("%s checks feature gate %s, on by default since %s", e.Name, e.Gate, e.Since)
		}
		return p.Sprintf("%s checks feature gate %s, off by default since %s", e.Name, e.Gate, e.Since)
	case EvidenceNoFunction:
		return p.Sprintf("the source of %s has no %s", e.Side, e.Name)
	case EvidenceNoPackage:
		return p.Sprintf("not known whether %s made this call: apitrace recorded nothing of package %s there", e.Side, e.Package)
	case EvidenceNoCall:
		return p.Sprintf("in the source of %s, %s does not make this call", e.Side, funcname.Short(e.Name))
	case EvidenceOtherName:
		return p.Sprintf("the source of %s has it, too, as %s", e.Side, e.Name)
	case EvidenceInstead:
		return p.Sprintf("both sources have this call, of an interface method or a function value; in %s it runs %s", e.Side, e.Name)
	case EvidenceBoth:
		return p.Sprintf("both sources have this call of %s", e.Name)
	case EvidenceUnexplained:
		return p.Sprintf("both sources have this call of %s; they do not tell why only %s made it", e.Name, e.Side)
	case EvidenceBothLead:
		return p.Sprintf("both sources have the call that leads there")
	case EvidenceBranch:
		return p.Sprintf("in %s %s", e.Side, e.branch())
	case EvidenceInBranch:
		return p.Sprintf("in %s the code calls %s instead, only if `%s` is true (%s:%d)", e.Side, e.Name, strings.TrimPrefix(e.Branch.Text, "if "), shortFile(e.File), e.Line)
	case EvidenceNoBranch:
		return p.Sprintf("in %s the call is in no branch", e.Side)
	case EvidenceNoPlugin:
		return p.Sprintf("in %s, %s does not call this plugin", e.Side, e.Name)
	case EvidenceNoSpan:
		return e.Spanless.Why().Localize(p)
	case EvidencePackage:
		return p.Sprintf("in %s the package is %s", e.Side, e.Package)
	case EvidenceVaries:
		return p.Sprintf("the calls of %s vary from run to run in this scenario: two runs on one side may differ like this", e.Name)
	case EvidenceQueue:
		return p.Sprintf("not a direct call: the work is handed over through %s, and another goroutine makes the call", e.Name)
	case EvidenceProcess:
		return p.Sprintf("the call runs in another program: %s", e.Name)
	}
	return ""
}

// branch describes when a call in the branch is reached, such as the condition
// that must hold.
func (e *Evidence) branch() message.Message {
	b, place := &e.Branch, ""
	if e.File != "" {
		place = fmt.Sprintf(" (%s:%d)", shortFile(e.File), e.Line)
	}
	condition, isIf := strings.CutPrefix(b.Text, "if ")
	left, isAnd := strings.CutSuffix(b.Text, " &&")
	right, isOr := strings.CutSuffix(b.Text, " ||")
	asserted := assertion.FindStringSubmatch(condition)
	isType := asserted != nil && asserted[1] == asserted[4]
	limit := limitOf(b.Threshold)
	switch {
	case b.Kind == recordings.BranchPast:
		return message.Of("the code leaves before this call if `%s` is true%s%s", condition, limit, place)
	case b.Kind == recordings.BranchLoop:
		return message.Of("the call is made for each element of `%s`%s%s", strings.TrimPrefix(b.Text, "range "), limit, place)
	case b.Kind == recordings.BranchElse && isType:
		return message.Of("the call is made only if `%s` is not of type `%s`%s%s", asserted[2], asserted[3], limit, place)
	case b.Kind == recordings.BranchElse:
		return message.Of("the call is made only if `%s` is false%s%s", condition, limit, place)
	case isIf && isType:
		return message.Of("the call is made only if `%s` is of type `%s`%s%s", asserted[2], asserted[3], limit, place)
	case isIf:
		return message.Of("the call is made only if `%s` is true%s%s", condition, limit, place)
	case isAnd:
		return message.Of("the call is made only if `%s` is true%s%s", left, limit, place)
	case isOr:
		return message.Of("the call is made only if `%s` is false%s%s", right, limit, place)
	}
	return message.Of("the call is made only in the branch `%s`%s%s", b.Text, limit, place) // a case, or a loop with a condition
}

// assertion matches the condition that a value has a type: v, ok := x.(T); ok.
var assertion = regexp.MustCompile(`^\w+, (\w+) := (.+)\.\(([^()]+)\); (\w+)$`)

func limitOf(t recordings.Threshold) message.Message {
	switch t {
	case recordings.ThresholdTime:
		return message.Of(", a time limit")
	case recordings.ThresholdSize:
		return message.Of(", a size limit")
	case recordings.ThresholdVerbosity:
		return message.Of(", which depends on the verbosity of the log")
	}
	return message.Message{}
}

// sourceOf returns the evidence of the sources for a call that only one side
// makes, for the reason why. more is the other evidence.
func (s *Summary) sourceOf(st *Statement, why diff.Reason, more []Evidence) []Evidence {
	switch {
	case s.varies(st.Caller) && (s.sides.Scenarios || st.Why == diff.OtherWay) && (len(more) == 0 || more[0].Kind != EvidenceGate):
		return []Evidence{{Kind: EvidenceVaries, Name: st.Caller.Name}}
	case s.sides.Scenarios:
	case why.Why == diff.NoPackage:
		return []Evidence{{Kind: EvidenceNoPackage, Side: st.lacks(), Package: why.Package}}
	case why.Why == diff.NewCall && why.OtherCaller != "":
		return []Evidence{{Kind: EvidenceNoCall, Side: st.lacks(), Name: why.OtherCaller}}
	case why.Why == diff.NewFunction:
		return []Evidence{{Kind: EvidenceNoFunction, Side: st.lacks(), Name: st.Callee.Name}}
	case why.Why == diff.MovedFunction:
		return []Evidence{{Kind: EvidenceOtherName, Side: st.lacks(), Name: funcname.Short(why.OtherName), Package: funcname.Package(why.OtherName)}}
	case why.Instead != "":
		return []Evidence{{Kind: EvidenceInstead, Side: st.lacks(), Name: funcname.Short(why.Instead)}}
	case st.Why == diff.OtherWay && st.Kind == StatementLeads:
		return []Evidence{{Kind: EvidenceBothLead}}
	case st.Why == diff.OtherWay && len(more) == 0:
		return []Evidence{{Kind: EvidenceUnexplained, Side: st.side(), Name: st.Callee.Name}}
	case st.Why == diff.OtherWay && more[0].Kind != EvidenceGate:
		return []Evidence{{Kind: EvidenceBoth, Name: st.Callee.Name}}
	}
	return nil
}

// varies reports whether a function makes other calls in some runs.
func (s *Summary) varies(caller Named) bool {
	return slices.ContainsFunc(s.sides.Varying, func(f scenarios.Function) bool { return f.Is(caller.Function) })
}

// gateOf returns the feature gate that a call depends on, as evidence.
func (s *Summary) gateOf(r diff.Reason) []Evidence {
	if r.Gate == "" || s.sides.Scenarios {
		return nil
	}
	return []Evidence{{Kind: EvidenceGate, Gate: r.Gate, On: r.On, Since: r.Since}}
}

// askedBy returns the feature gate that the function of a call asks for, as evidence for a
// value that is true or false. Other values rarely depend on the gate.
func (s *Summary) askedBy(c *ShownChange, v diff.ValueChange) []Evidence {
	if s.reasons == nil || s.sides.Scenarios || v.A+v.B != "truefalse" && v.A+v.B != "falsetrue" {
		return nil
	}
	gate, on, since := s.reasons.AskedGate(s.Diff, c.B)
	if gate == "" {
		return nil
	}
	return []Evidence{{Kind: EvidenceAsks, Name: s.Diff.B.Call(c.B).ShortName(), Gate: gate, On: on, Since: since}}
}

// branchOf returns the branch around the call in the caller's source, on the
// side that ran it. It adds the differences on the other side: another branch,
// or no call of the plugin. It returns only the branch with another call on the other side, if
// that is known.
func (s *Summary) branchOf(st *Statement, b diff.Branch) []Evidence {
	if s.sides.Scenarios {
		return nil
	}
	var all []Evidence
	switch {
	case b.Instead != "":
		return []Evidence{{Kind: EvidenceInBranch, Side: st.lacks(), Name: b.Instead, Branch: b.Branch, File: b.File, Line: b.At}}
	case b.Kind != recordings.NoBranch:
		all = append(all, Evidence{Kind: EvidenceBranch, Side: st.side(), Branch: b.Branch, File: b.File, Line: b.At})
	}
	switch {
	case b.Differs && b.Other.Kind != recordings.NoBranch:
		all = append(all, Evidence{Kind: EvidenceBranch, Side: st.lacks(), Branch: b.Other})
	case b.Differs:
		all = append(all, Evidence{Kind: EvidenceNoBranch, Side: st.lacks()})
	}
	if b.Asked {
		all = append(all, Evidence{Kind: EvidenceNoPlugin, Side: st.lacks(), Name: st.Caller.Name})
	}
	return all
}

// wayOf returns the queue or program on the way from a caller to a call between
// two others.
func (s *Summary) wayOf(way diff.Way) []Evidence {
	switch way.Kind {
	case diff.WayQueue:
		return []Evidence{{Kind: EvidenceQueue, Name: way.By}}
	case diff.WayProcess:
		return []Evidence{{Kind: EvidenceProcess, Name: way.By}}
	}
	return nil
}
