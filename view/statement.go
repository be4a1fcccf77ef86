package view

import (
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// A Statement says one thing about how the calls of two requests differ, as data: Text is its sentence, and each Evidence has a line of its
// own. What a Statement says is true of the recordings and of the index of the sources, see diff.Reasons.
type Statement struct {
	Kind StatementKind
	// Layer is the part of the server of which it speaks, as Classifier.Layer names it.
	Layer string
	// Only is the side that alone has it, SideA or SideB; 0 if both sides have it, each in its own way.
	Only Side
	// NameA and NameB are what the sides are called.
	NameA, NameB string

	// Caller calls Callee. Inner is what a Callee between two leads to.
	Caller, Callee, Inner Named
	// Was is the Callee on side A, WasCaller the Caller there, where they differ; Was is the call that was replaced.
	Was, WasCaller Named
	// Elsewhere is set for a call that only one side makes if the other side has a call of Callee by Caller in another place.
	Elsewhere bool
	// AlsoCaller is a second caller of the same plugins.
	AlsoCaller Named
	// Why is the reason for a call that only one side has, Way how the Caller reaches it.
	Why diff.Why
	Way diff.Way
	// A and B are what differs: counts, depths, times in nanoseconds.
	A, B int64
	// After is set if Callee runs after Inner on side B and before it on side A, for a change of the order.
	After bool
	// Value is the value that differs.
	Value diff.ValueChange
	// Evidence are the lines that say how it is known, or on what it depends.
	Evidence []Evidence
	// Calls are the calls of the merged tree of which it speaks.
	Calls []int
}

// A Side is one of the two requests that are compared.
type Side int

// The sides.
const (
	SideA Side = 1
	SideB Side = 2
)

// Named is a function in a Statement.
type Named struct {
	// Function is its full name, Name a short one that no other function in the same place of the traces has.
	Function, Name string
	// Purposes tell calls of the function apart: the admission plugins that are called. They are in the order of the calls.
	Purposes []string
}

// Localize returns the name as a sentence has it.
func (n Named) Localize(p message.Printer) string {
	if len(n.Purposes) == 0 {
		return n.Name
	}
	return p.Sprintf("%s (%s)", n.Name, message.List(n.Purposes))
}

// A StatementKind is what a Statement says.
type StatementKind string

// The kinds of statements. Those up to StatementPlugins are of calls that only one side makes.
const (
	// StatementCalls: Caller calls Callee.
	StatementCalls StatementKind = "calls"
	// StatementLeads: Caller leads to Callee by a Way.
	StatementLeads StatementKind = "leads"
	// StatementBetween: Callee stands between Caller and Inner.
	StatementBetween StatementKind = "between"
	// StatementReplaces: Callee stands where Was stood on side A, between Caller and Inner.
	StatementReplaces StatementKind = "replaces"
	// StatementNoSpan: Callee, which Caller calls, has no span on the other side.
	StatementNoSpan StatementKind = "no span"
	// StatementNotTraced: Caller calls Callee on both sides, on the other side in a package without spans.
	StatementNotTraced StatementKind = "not traced"
	// StatementPlugins: Caller calls the Purposes of Callee.
	StatementPlugins StatementKind = "plugins"

	// StatementNested: A and B say how deep calls of Callee are nested below Caller.
	StatementNested StatementKind = "nested"
	// StatementMoved: Caller calls Callee, WasCaller did.
	StatementMoved StatementKind = "moved"
	// StatementRenamed: Callee was called Was, or was in another file.
	StatementRenamed StatementKind = "renamed"
	// StatementRepeated: A and B say how often Caller calls Callee, or Callee runs below Caller.
	StatementRepeated StatementKind = "repeated"
	// StatementReordered: Callee runs before or after Inner below Caller.
	StatementReordered StatementKind = "reordered"
	// StatementValue: Value of Callee differs.
	StatementValue StatementKind = "value"
	// StatementFails: Callee fails on one side alone, with Value.
	StatementFails StatementKind = "fails"
	// StatementTime: A and B are the times that Callee took by itself.
	StatementTime StatementKind = "time"
	// StatementPackage: B functions of package Was are in package Callee.
	StatementPackage StatementKind = "package"
	// StatementCount: B calls of the layer are on one side alone, below others of which another statement speaks.
	StatementCount StatementKind = "count"
)

// called reports whether the Caller's text calls the Callee, on both sides if both make the call.
func (st *Statement) called() bool { return st.Way.Kind == diff.WayCalls }

// fromSource reports whether the sources differ in the call: the text of the Caller, or the function, is on one side alone.
func (st *Statement) fromSource() bool {
	return st.Why == diff.NewCall || st.Why == diff.NewFunction
}

// side returns what the side is called that alone has it, lacks what the other one is called.
func (st *Statement) side() string {
	if st.Only == SideA {
		return st.NameA
	}
	return st.NameB
}

func (st *Statement) lacks() string {
	if st.Only == SideA {
		return st.NameB
	}
	return st.NameA
}
