package diff

import (
	"path"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A Why is the reason why only one side has a call.
type Why string

// The reasons.
const (
	// NoReason: one side has no index of the sources, or the index does not
	// have the answer.
	NoReason Why = ""
	// NewCall: only this side's source of the caller has the call, or makes
	// the called function literal.
	NewCall Why = "call"
	// NewFunction: only this side's source has the function.
	NewFunction Why = "function"
	// NoPackage: the other side traces no function of the package. The function may have
	// run there unseen; see Reason.Package.
	NoPackage Why = "no package"
	// MovedFunction: the other side's source has the function in another package; see
	// Reason.OtherName.
	MovedFunction Why = "moved function"
	// OtherPlace: on the other side, the caller's source calls a function with
	// that name in an untraced package.
	OtherPlace Why = "not traced"
	// NoSpan: the function has no span on the other side, but may have run.
	NoSpan Why = "no span"
	// OtherWay: both sources have the call, but only this side ran it.
	OtherWay Why = "other way"
)

// A Reason explains a call that only one side has.
type Reason struct {
	Why Why
	// Way is how the caller reaches the call.
	Way Way
	// Spanless is the reason why the function has no span on the other side,
	// if Why is NoSpan.
	Spanless recordings.Spanless
	// Package is the package that the other side does not trace, if Why is OtherPlace or
	// NoPackage. If Why is NoPackage, it is the function's own package.
	Package string
	// Absent is set if the index of the other side lacks the function, or its package.
	Absent bool
	// OtherName is the function's name on the other side if Why is MovedFunction.
	OtherName string
	// OtherCaller is the caller's name on the other side if its source there does not make
	// the call. It is "" if that is not known.
	OtherCaller string
	// Instead is set if Why is OtherWay and the caller's text calls an interface method or
	// a function value: on the other side, this one call runs only the function Instead,
	// which it does not run on this side.
	Instead string
	// Gate is a feature gate that the call depends on, with another default on
	// the other side, or "" if none is known. On is its default in B, since the
	// minor version Since.
	Gate  string
	On    bool
	Since string
	// Branch is the branch around the call in the caller's text, if Why is
	// OtherWay and no gate is known.
	Branch Branch
}

// A Branch is a branch around a call, compared with the other side.
type Branch struct {
	recordings.Branch
	// File is the caller's file, such as
	// "k8s.io/apiserver/pkg/admission/chain.go". At is the line of the branch
	// in it.
	File string
	At   int
	// Instead is set if the branch is one of the other side, which made its last call in
	// it: the short name of the called function. This side made no call in the branch.
	Instead string
	// Differs is set if the other side has the call in the branch Other.
	Differs bool
	Other   recordings.Branch
	// Asked is set if the call is for an admission plugin that the caller does
	// not call on the other side.
	Asked bool
}

// Replaces reports whether the added function of r replaced the removed one.
// Both must stand between the same two calls. It is true if the same call of
// an interface or a variable leads to both, or if each function is in the index of its own
// side only.
func (r Reason) Replaces(removed Reason) bool {
	if r.Absent && removed.Absent {
		return true
	}
	return !r.Way.static && r.Way.by != "" && r.Way.by == removed.Way.by && r.Way.kind == removed.Way.kind
}

// Reasons finds the reasons for the changes of one comparison in the index of
// the sources; see recordings.CodeOf.
type Reasons struct {
	a, b indexedSide
}

// An indexedSide is a recording with the index of its source.
type indexedSide struct {
	code  *recordings.Code // nil if the source is not known
	gates func() *gates
	// isB is set on side B.
	isB bool
	// olderThanLeaves is set if the recording has no calls of functions that
	// call nothing, because apitrace did not record them then.
	olderThanLeaves bool
	// more reports whether --trace named a package for the recording.
	more func(pkg string) bool
}

// NewReasons returns the reasons of a comparison. They know nothing about
// edited programs and releases outside of the index. It returns an error if
// the index cannot be read.
func NewReasons(c *Comparison) (*Reasons, error) {
	var codes []*recordings.Code
	for _, rec := range []*trace.Recording{c.A, c.B} {
		code, err := recordings.CodeOf(rec.K8sVersion)
		if err != nil {
			return nil, err
		}
		if len(rec.Edited) > 0 {
			code = nil // an edited program is not upstream's
		}
		codes = append(codes, code)
	}
	f := NewReasonsOf(codes[0], codes[1])
	f.a.olderThanLeaves, f.b.olderThanLeaves = !hasLeaves(c.A), !hasLeaves(c.B)
	f.a.more, f.b.more = c.A.HasMore, c.B.HasMore
	return f, nil
}

// hasLeaves reports whether a recording has calls of functions that call
// nothing. Every request makes such calls.
func hasLeaves(rec *trace.Recording) bool {
	return slices.ContainsFunc(rec.Requests, func(r trace.Request) bool {
		return slices.ContainsFunc(r.Calls, func(c trace.Call) bool { return c.Leaf })
	})
}

// NewReasonsOf returns reasons that use the index of both sides' sources. nil
// stands for an unknown source.
func NewReasonsOf(a, b *recordings.Code) *Reasons {
	f := &Reasons{a: newIndexedSide(a), b: newIndexedSide(b)}
	f.b.isB = true
	return f
}

func newIndexedSide(code *recordings.Code) indexedSide {
	return indexedSide{code: code, gates: gatesOf(code), more: func(string) bool { return false }}
}

// WayInA returns how the caller of call i in A reaches it.
func (f *Reasons) WayInA(d *Diff, i int) Way { return f.a.way(d.A, i) }

// WayInB returns how the caller of call i in B reaches it.
func (f *Reasons) WayInB(d *Diff, i int) Way { return f.b.way(d.B, i) }

// Of returns the reason of an addition or a removal.
func (f *Reasons) Of(d *Diff, c Change) Reason {
	if c.Kind == Removed {
		return find(f.a, f.b, d.A, d.B, d.InB, d.movedTo, c.A)
	}
	return find(f.b, f.a, d.B, d.A, d.InA, d.movedFrom, c.B)
}

// Renamed reports whether a function of A has another name in B. Neither
// source may have the other's name. B must not have a new function with the
// old name in another package. It returns false if a source is not known.
func (f *Reasons) Renamed(a, b *trace.Call) bool {
	if f.a.code == nil || f.b.code == nil || f.a.code.Function(a.Process, b.Function) != nil || f.b.code.Function(b.Process, a.Function) != nil {
		return false
	}
	pkg := funcname.Package(a.Function)
	name := a.Function[len(pkg):]
	for _, other := range f.b.code.Functions(b.Process) {
		if strings.HasSuffix(other.Name, name) && other.Name != b.Function && funcname.Package(other.Name) != pkg && f.a.code.Function(a.Process, other.Name) == nil {
			return false
		}
	}
	return true
}

// InBoth reports whether the sources of both sides have the function of a
// call, under the same name.
func (f *Reasons) InBoth(call *trace.Call) bool {
	for _, s := range []indexedSide{f.a, f.b} {
		if s.code == nil || s.code.Function(call.Process, call.Function) == nil {
			return false
		}
	}
	return !renumbered(f.a.code, f.b.code, call.Process, call.Function)
}

// CallsInA reports whether A's text of caller calls the function called. known
// is false if the index does not have the text.
func (f *Reasons) CallsInA(caller, called *trace.Call) (calls, known bool) {
	return f.a.calls(caller, called)
}

// CallsInB is CallsInA for the other side.
func (f *Reasons) CallsInB(caller, called *trace.Call) (calls, known bool) {
	return f.b.calls(caller, called)
}

// find returns why only the side here has call i. moved has, for a package here, the
// packages there with its functions.
func find(here, there indexedSide, tree, other *trace.Tree, partner []int, moved map[string][]string, i int) Reason {
	r := Reason{Way: here.way(tree, i)}
	above := tree.Parent(i)
	if here.code == nil || there.code == nil || above < 0 {
		return r
	}
	call, caller := tree.Call(i), tree.Call(above)
	if pkg := funcname.Package(call.Function); there.more(pkg) && !here.code.Traces(call.Process, pkg) {
		return r // both sides trace it because --trace named it, and the index does not know it
	}
	function := there.code.Function(call.Process, call.Function)
	if function == nil {
		if name := there.inMovedPackage(call.Process, call.Function, moved); name != "" {
			r.Why, r.OtherName = MovedFunction, name
			return r
		}
	}
	if partner[above] == None { // only this side has the caller, too
		if function == nil && here.code.Function(call.Process, call.Function) != nil {
			r.newFunction(here, there, tree, i)
		}
		return r
	}
	if renumbered(here.code, there.code, call.Process, call.Function) {
		return r // the same name means another literal on the other side
	}
	// On the other side, the caller has its own name, or else the name in its
	// paired call.
	text, sameName := there.code.Function(caller.Process, caller.Function), true
	if text == nil || renumbered(here.code, there.code, caller.Process, caller.Function) {
		name := other.Call(partner[above]).Function
		text, sameName = there.code.Function(caller.Process, name), name == caller.Function
	}
	// same is set if the caller's text on the other side has the call, and unknown if it has
	// a call of another interface that may be the same.
	var same, unknown bool
	if text != nil {
		same = r.Way.standsIn(text, call)
		unknown = !same && mayStandIn(text, call)
		if !same && !unknown && r.Way.Kind == WayCalls {
			r.OtherCaller = text.Name
		}
	}
	switch {
	case function == nil && text != nil && !same && r.Way.Kind == WayCalls && otherPlace(here, there, caller, r.Way, text) != "":
		r.Why, r.Package = OtherPlace, otherPlace(here, there, caller, r.Way, text)
	case function == nil && same && r.Way.static:
		r.Why, r.Package = OtherPlace, funcname.Package(call.Function)
	case function == nil && here.code.Function(call.Process, call.Function) != nil:
		r.newFunction(here, there, tree, i)
		return r
	case function == nil:
		return r
	case function.Spanless != recordings.Spanned && (same || r.Way.Kind != WayCalls):
		r.Why, r.Spanless = NoSpan, function.Spanless
	case call.Leaf && there.lacks(function) && (same || r.Way.Kind != WayCalls):
		r.Why, r.Spanless = NoSpan, recordings.SpanlessLeaf
	case there.lacks(function) && !callsNothing(here.code.Function(call.Process, call.Function)):
		return r // on the other side, it calls nothing, so it may have run without a recorded call
	case text == nil:
		return r
	case same && !sameName:
		return r // the other side's source has the call in a function of another name
	case same && !r.Way.static && literalReason(here, there, call.Process, call.Function) != OtherWay:
		r.Why = literalReason(here, there, call.Process, call.Function)
	case same:
		r.Why = OtherWay
	case inAnotherLiteral(there.code, r.Way, call, caller, text):
		r.OtherCaller = ""
		return r // the literals may have changed places
	case unknown:
		return r
	default:
		r.Why = NewCall
	}
	r.findGate(here, there, tree, i)
	if r.Why == OtherWay && r.Gate == "" {
		r.findInstead(there, text, tree, other, i, partner[above])
		r.findBranch(here, text, tree, other, i, partner[above])
		r.Branch.Asked = runsPluginOnlyHere(call, other, partner[above])
	}
	return r
}

// newFunction sets the reason for call i, of a function that only the index of the side
// here has.
func (r *Reason) newFunction(here, there indexedSide, tree *trace.Tree, i int) {
	call := tree.Call(i)
	pkg := funcname.Package(call.Function)
	r.Absent = true
	switch {
	case there.code.Traces(call.Process, pkg):
		r.Why = NewFunction
	case r.OtherCaller != "":
		r.Why = NewCall
	default:
		r.Why, r.Package = NoPackage, pkg
	}
	r.findGate(here, there, tree, i)
}

// findInstead sets r.Instead. there is the caller's text on the other side, and caller its
// call in other.
func (r *Reason) findInstead(side indexedSide, there *recordings.Source, tree, other *trace.Tree, i, caller int) {
	if r.Way.static || r.Way.Kind != WayCalls {
		return
	}
	ran := map[string]bool{}
	for child := range other.Children(caller) {
		call := other.Call(child)
		way := side.wayFrom(there, call, call.CallerLine-other.Call(caller).Line)
		if way.Kind == r.Way.Kind && way.kind == r.Way.kind && way.by == r.Way.by && call.Process == tree.Call(i).Process {
			ran[call.Function] = true
		}
	}
	for child := range tree.Children(tree.Parent(i)) {
		if ran[tree.Call(child).Function] {
			return
		}
	}
	if len(ran) == 1 {
		for function := range ran {
			r.Instead = function
		}
	}
}

// lacks reports whether the side's recording lacks calls of f, a function of
// its source, because f calls nothing.
func (s indexedSide) lacks(f *recordings.Source) bool { return s.olderThanLeaves && callsNothing(f) }

func callsNothing(f *recordings.Source) bool {
	return f == nil || !slices.ContainsFunc(f.Calls, func(c recordings.SourceCall) bool { return c.Kind.IsCall() })
}

// otherPlace returns an untraced package with the function that way calls, or
// "". The other side's text calls a function there with the same name, and the
// same receiver or interface. A function that the caller calls on both sides
// does not count, because it is another function.
func otherPlace(here, there indexedSide, caller *trace.Call, way Way, text *recordings.Source) string {
	name := way.by[len(funcname.Package(way.by)):]
	own := here.code.Function(caller.Process, caller.Function)
	for _, c := range text.Calls {
		pkg := funcname.Package(c.Name)
		if !sameKind(name, funcname.Package(way.by), pkg) {
			continue // only the name is the same
		}
		if c.Kind != way.kind || c.Kind == recordings.CallValue || pkg == "" || c.Name[len(pkg):] != name || there.code.Traces(caller.Process, pkg) {
			continue
		}
		if own == nil || !slices.ContainsFunc(own.Calls, func(o recordings.SourceCall) bool { return o.Name == c.Name }) {
			return pkg
		}
	}
	return ""
}

// sameKind reports whether functions with the same name in two packages can be
// the same: methods of a type, or functions of packages with the same name.
func sameKind(name, pkg, other string) bool {
	return strings.Count(name, ".") > 1 || path.Base(pkg) == path.Base(other)
}

// calls reports whether the caller's text calls a function, at any line.
func (s indexedSide) calls(caller, called *trace.Call) (calls, known bool) {
	if s.code == nil {
		return false, false
	}
	text := s.code.Function(caller.Process, caller.Function)
	if text == nil {
		return false, false
	}
	for _, c := range text.Calls {
		if c.Kind == recordings.CallStatic && c.Name == called.Function || c.Kind == recordings.CallInterface && funcname.Last(c.Name) == funcname.Last(called.Function) {
			return true, true
		}
	}
	return false, true
}
