// Package reason says what is known of a difference between two recordings besides the
// recordings: whether the source changed or the same source ran another way, whether a function
// only has no span on one side, and whether a call stands in the text of its caller at all.
// The index of the sources tells, see recordings.CodeOf.
package reason

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A Why says why one side alone has a call.
type Why string

// The reasons.
const (
	// Unknown: there is no index of the sources of one side, or it does not tell.
	Unknown Why = ""
	// NewCall: the source of the caller has the call on this side alone.
	NewCall Why = "call"
	// NewFunction: only this side's source has the function, in the packages that are traced on both.
	NewFunction Why = "function"
	// OtherPlace: the caller's source on the other side calls a function of that name in a package
	// that is not traced.
	OtherPlace Why = "not traced"
	// NoSpan: the function has no span on the other side, where it may have run as well.
	NoSpan Why = "no span"
	// OtherWay: both sources have the call; it ran on this side alone.
	OtherWay Why = "other way"
)

// A Reason says what is known of a call that one side alone has.
type Reason struct {
	Why Why
	// Way says how the call comes from its caller.
	Way Way
	// Spanless says why it has no span on the other side, if Why is NoSpan.
	Spanless recordings.Spanless
	// Package is the package that is not traced, if Why is OtherPlace.
	Package string
	// Gate is a feature gate of another default on the other side on which the call depends, "" if
	// none is known; On is its default on this side, and Since the minor version since which
	// it has been that.
	Gate  string
	On    bool
	Since string
	// Branch is the branch of the caller's text in which the call stands, if Why is OtherWay and no gate is known.
	Branch Branch
}

// A Branch is one around a call, and what is known of it on the other side.
type Branch struct {
	recordings.Branch
	// File is the caller's, "k8s.io/apiserver/pkg/admission/chain.go"; At is the line of the branch in it.
	File string
	At   int
	// Differs is set if the call stands in Other on the other side.
	Differs bool
	Other   recordings.Branch
	// Asked is set if the call is for a plugin for which the caller makes none on the other side.
	Asked bool
}

// Replaces reports whether a function took the place of another one, between the same two calls: the same call
// of an interface or a variable leads to both, or one came with the source and the other went.
func (r Reason) Replaces(removed Reason) bool {
	if r.Why == NewFunction && removed.Why == NewFunction {
		return true
	}
	return !r.Way.static && r.Way.by != "" && r.Way.by == removed.Way.by && r.Way.kind == removed.Way.kind
}

// A Finder finds the reasons of one comparison.
type Finder struct {
	a, b side
}

// A side is one recording with what is known of its source.
type side struct {
	code  *recordings.Code // nil if nothing is
	gates func() *gates
}

// NewFinder prepares to find the reasons of a comparison. Of a release that the index has not, and of a
// program that somebody edited, nothing is known.
func NewFinder(c *diff.Comparison) (*Finder, error) {
	var codes []*recordings.Code
	for _, rec := range []*trace.Recording{c.A, c.B} {
		code, err := recordings.CodeOf(rec.K8sVersion)
		if err != nil {
			return nil, err
		}
		if len(rec.Edited) > 0 {
			code = nil // it is not upstream's
		}
		codes = append(codes, code)
	}
	return NewFinderOf(codes[0], codes[1]), nil
}

// NewFinderOf prepares to find reasons in what is known of both sides' sources; nil is nothing.
func NewFinderOf(a, b *recordings.Code) *Finder {
	return &Finder{a: newSide(a), b: newSide(b)}
}

func newSide(code *recordings.Code) side {
	return side{code: code, gates: sync.OnceValue(func() *gates { return newGates(code) })}
}

// WayInA says how call i of A comes from its caller; WayInB does of B.
func (f *Finder) WayInA(d *diff.Diff, i int) Way { return f.a.way(d.A, i) }

// WayInB says how call i of B comes from its caller.
func (f *Finder) WayInB(d *diff.Diff, i int) Way { return f.b.way(d.B, i) }

// Of returns what is known of an addition or a removal.
func (f *Finder) Of(d *diff.Diff, c diff.Change) Reason {
	if c.Kind == diff.Removed {
		return find(f.a, f.b, d.A, d.B, d.InB, c.A)
	}
	return find(f.b, f.a, d.B, d.A, d.InA, c.B)
}

// Renamed reports whether a function of A goes by another name in B: neither source has the other's
// name, and B has no function of the old name in another package.
func (f *Finder) Renamed(a, b *trace.Call) bool {
	if f.a.code == nil || f.b.code == nil || f.a.code.Function(a.Process, b.Function) != nil || f.b.code.Function(b.Process, a.Function) != nil {
		return false
	}
	pkg := funcname.Package(a.Function)
	name := a.Function[len(pkg):]
	for _, other := range f.b.code.Functions(b.Process) {
		if other.Name != b.Function && funcname.Package(other.Name) != pkg && strings.HasSuffix(other.Name, name) && f.a.code.Function(a.Process, other.Name) == nil {
			return false
		}
	}
	return true
}

// CallsInA and CallsInB report whether the text of a function calls another one; known is false if
// the index does not tell.
func (f *Finder) CallsInA(caller, called *trace.Call) (calls, known bool) {
	return f.a.calls(caller, called)
}

// CallsInB is CallsInA for the other side.
func (f *Finder) CallsInB(caller, called *trace.Call) (calls, known bool) {
	return f.b.calls(caller, called)
}

// find says what is known of call i, which here has and there has not.
func find(here, there side, tree, other *trace.Tree, partner []int, i int) Reason {
	r := Reason{Way: here.way(tree, i)}
	above := tree.Parent(i)
	if here.code == nil || there.code == nil || above < 0 || partner[above] == diff.None {
		return r
	}
	call, caller := tree.Call(i), tree.Call(above)
	function := there.code.Function(call.Process, call.Function)
	// The caller goes by its own name on the other side, or else by that of the call which is the same.
	text := there.code.Function(caller.Process, caller.Function)
	if text == nil {
		text = there.code.Function(caller.Process, other.Call(partner[above]).Function)
	}
	var same bool // whether the caller's text on the other side has the call
	if text != nil {
		same = r.Way.standsIn(text, call)
	}
	switch {
	case function == nil && text != nil && !same && r.Way.Kind == Calls && otherPlace(here, there, caller, r.Way, text) != "":
		r.Why, r.Package = OtherPlace, otherPlace(here, there, caller, r.Way, text)
	case function == nil && same && r.Way.static:
		r.Why, r.Package = OtherPlace, funcname.Package(call.Function)
	case function == nil && here.code.Function(call.Process, call.Function) != nil:
		r.Why = NewFunction
	case function == nil:
		return r
	case function.Spanless != recordings.Spanned && (same || r.Way.Kind != Calls):
		r.Why, r.Spanless = NoSpan, function.Spanless
	case text == nil:
		return r
	case same:
		r.Why = OtherWay
	default:
		r.Why = NewCall
	}
	r.findGate(here, there, tree, i)
	if r.Why == OtherWay && r.Gate == "" {
		r.findBranch(here, text, tree, i)
		r.Branch.Asked = isAskedOnlyHere(call, other, partner[above])
	}
	return r
}

// otherPlace returns the package that is not traced of which a text of the other side calls what goes by the same
// name there, with the same receiver or interface, as what the way calls. What the caller calls here as well is
// another function.
func otherPlace(here, there side, caller *trace.Call, way Way, text *recordings.Source) string {
	name := way.by[len(funcname.Package(way.by)):]
	own := here.code.Function(caller.Process, caller.Function)
	for _, c := range text.Calls {
		pkg := funcname.Package(c.Name)
		if !sameKind(name, funcname.Package(way.by), pkg) {
			continue // it only has the same name
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

// sameKind reports whether what has the same name in two packages may be the same: a method of a type, or of
// packages that are called the same.
func sameKind(name, pkg, other string) bool {
	return strings.Count(name, ".") > 1 || path.Base(pkg) == path.Base(other)
}

// calls reports whether the text of caller calls a function, at any line.
func (s side) calls(caller, called *trace.Call) (calls, known bool) {
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
