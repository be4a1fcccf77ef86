package view

import (
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// A Statement says one thing about how the calls of two requests differ, as
// data. Text returns its sentence. Each Evidence is a line below the sentence.
// A Statement is true of the recordings and of the index of the sources; see
// diff.Reasons.
type Statement struct {
	Kind StatementKind
	// Layer is a layer, as in Classifier.Layer.
	Layer string
	// Only is the only side with the call, or 0.
	Only Side
	// NameA and NameB are the names of the sides.
	NameA, NameB string

	// Caller calls Callee. Inner is the second function around a Callee between two.
	Caller, Callee, Inner Named
	// Was and WasCaller are Callee and Caller on side A, if they differ. Was is also a
	// replaced call.
	Was, WasCaller Named
	// Elsewhere is set if only one side makes the call here, but Caller calls
	// Callee in another place on the other side.
	Elsewhere bool
	// AlsoCaller is a second caller of the same plugins.
	AlsoCaller Named
	// Why is why only one side makes the call. Way is the way from Caller to Callee.
	Why diff.Why
	Way diff.Way
	// Counted is the title of the layer of the counted calls, if it is not Layer.
	Counted string
	// A and B are both sides' counts, depths or times in nanoseconds.
	A, B int64
	// After is set for a change of the order if Callee runs after Inner on side
	// B and before it on side A.
	After bool
	// Value is the value that differs.
	Value diff.ValueChange
	// Evidence has the lines below the sentence.
	Evidence []Evidence
	// Calls are the described calls of the merged tree.
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
	// Function is the full name, Name a short one for readers.
	Function, Name string
	// Purposes are the called admission plugins, in order.
	Purposes []string
}

// Localize returns the name as a sentence has it.
func (n Named) Localize(p message.Printer) string {
	if len(n.Purposes) == 0 {
		return n.Name
	}
	return p.Sprintf("%s (%s)", n.Name, message.List(n.Purposes))
}

// A StatementKind is the kind of a Statement.
type StatementKind string

// The kinds of statements. The kinds up to StatementPlugins describe calls that
// only one side makes.
const (
	// StatementCalls: Caller calls Callee.
	StatementCalls StatementKind = "calls"
	// StatementLeads: Caller leads to Callee by a Way.
	StatementLeads StatementKind = "leads"
	// StatementBetween: Callee is between Caller and Inner in the tree.
	StatementBetween StatementKind = "between"
	// StatementReplaces: Callee is between Caller and Inner, where Was is on
	// side A.
	StatementReplaces StatementKind = "replaces"
	// StatementNoSpan: Caller's Callee has no span on the other side.
	StatementNoSpan StatementKind = "no span"
	// StatementNotTraced: Caller calls Callee on both sides. On the other side,
	// Callee is in a package without spans.
	StatementNotTraced StatementKind = "not traced"
	// StatementPlugins: Caller calls the Purposes of Callee.
	StatementPlugins StatementKind = "plugins"

	// StatementNested: A and B are the depths of Callee's calls below Caller.
	StatementNested StatementKind = "nested"
	// StatementMoved: Caller calls Callee on side B, WasCaller calls it on side
	// A.
	StatementMoved StatementKind = "moved"
	// StatementRenamed: Callee was called Was, or was in another file.
	StatementRenamed StatementKind = "renamed"
	// StatementRepeated: A and B are how often Callee is called by Caller, or runs below
	// it.
	StatementRepeated StatementKind = "repeated"
	// StatementReordered: Callee runs before or after Inner below Caller.
	StatementReordered StatementKind = "reordered"
	// StatementValue: Value of Callee differs.
	StatementValue StatementKind = "value"
	// StatementFails: Callee fails on one side alone, with Value.
	StatementFails StatementKind = "fails"
	// StatementTime: A and B are Callee's own times.
	StatementTime StatementKind = "time"
	// StatementPackage: B functions of package Was moved to package Callee.
	StatementPackage StatementKind = "package"
	// StatementCount: B calls of the layer are on one side alone. If they are below a
	// change of another layer, Caller is this change, Counted is their layer, and the
	// statement is one of Caller's layer. Another statement describes this change.
	StatementCount StatementKind = "count"
)

// called reports whether the source of Caller calls Callee. If both sides make
// the call, it is true of both sources.
func (st *Statement) called() bool { return st.Way.Kind == diff.WayCalls }

// fromSource reports whether the sources differ: only one side's source has the
// function, or its call in Caller.
func (st *Statement) fromSource() bool {
	return st.Why == diff.NewCall || st.Why == diff.NewFunction
}

// side names the only side that makes the call.
func (st *Statement) side() string {
	if st.Only == SideA {
		return st.NameA
	}
	return st.NameB
}

// lacks returns the name of the other side.
func (st *Statement) lacks() string {
	if st.Only == SideA {
		return st.NameB
	}
	return st.NameA
}
