package diff

import (
	"cmp"
	"maps"
	"strings"
	"sync"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// gates has the feature gates that decide whether a function is called, or a
// type's value is made.
type gates struct {
	// of has the gate by program and by the full name of the function or type.
	// A function has a gate if every call of it depends on it. A type has a
	// gate if every function that makes its values depends on it.
	of map[string]map[string]string
}

// gatesByCode caches the gates of each release's Code. recordings.CodeOf returns few
// of these, and keeps them as long as the process lives. Every comparison needs the
// gates, and a web site has hundreds of comparisons.
var gatesByCode sync.Map // of *recordings.Code to func() *gates

// gatesOf returns a function that computes a release's gates on its first call.
func gatesOf(code *recordings.Code) func() *gates {
	find, _ := gatesByCode.LoadOrStore(code, sync.OnceValue(func() *gates { return newGates(code) }))
	return find.(func() *gates)
}

func newGates(code *recordings.Code) *gates {
	all := &gates{of: map[string]map[string]string{}}
	for _, program := range code.Programs() {
		functions := code.Functions(program)
		direct := collect(functions, nil)
		// A function depends on a gate, too, if only functions that depend on
		// the gate call it. The same holds for a type.
		all.of[program] = collect(functions, direct)
	}
	return all
}

// collect returns the gate of each function and type of a program. A function
// has a gate only if all calls of it have the same gate. A call without a gate
// of its own has the gate of its caller, as ofCaller says.
func collect(functions []*recordings.Source, ofCaller map[string]string) map[string]string {
	of := map[string]string{}
	// First collect the few names that have a gate anywhere.
	each(functions, ofCaller, func(name, gate string) {
		if gate != "" {
			of[name] = gate
		}
	})
	each(functions, ofCaller, func(name, gate string) {
		if one, ok := of[name]; ok && one != gate { // called without a gate, or with several
			of[name] = ""
		}
	})
	maps.DeleteFunc(of, func(_, gate string) bool { return gate == "" })
	return of
}

// each calls take for every static call, and for every type that a function makes
// a value of. gate is "" if the call, or the making, depends on no gate.
func each(functions []*recordings.Source, ofCaller map[string]string, take func(name, gate string)) {
	for _, f := range functions {
		around := ofCaller[f.Name]
		for i := range f.Calls {
			if c := &f.Calls[i]; c.Kind == recordings.CallStatic || c.Kind == recordings.CallMakes {
				take(c.Name, cmp.Or(c.Gate, around))
			}
		}
	}
}

// findGate looks for a gate with another default on the other side: at the
// call itself, then at all calls of the callee. For a literal, it also looks
// at all calls of the enclosing function. For a method, it also looks where
// values of the receiver's type are made.
func (r *Reason) findGate(here, there indexedSide, tree *trace.Tree, i int) {
	call, caller := tree.Call(i), tree.Call(tree.Parent(i))
	names := []string{call.Function}
	if declared, _, isLiteral := strings.Cut(call.Function, ".func"); isLiteral {
		names = append(names, declared)
	}
	if typ := receiver(call.Function); typ != "" {
		names = append(names, typ)
	}
	if text := here.code.Function(caller.Process, caller.Function); text != nil {
		for _, c := range text.Calls {
			if c.Gate != "" && (c.Name == r.Way.by || c.Name == call.Function) && r.takeGate(here, there, call.Process, c.Gate) {
				return
			}
		}
	}
	for _, name := range names {
		if gate := here.gates().of[call.Process][name]; gate != "" && r.takeGate(here, there, call.Process, gate) {
			return
		}
	}
}

// AskedGate returns a feature gate that the function of call i of B asks for, and
// that has another default in A. on is the default in B, and since is the minor
// version that introduced this default. gate is "" if there is no such gate.
func (f *Reasons) AskedGate(d *Diff, i int) (gate string, on bool, since string) {
	call := d.B.Call(i)
	if f.a.code == nil || f.b.code == nil {
		return "", false, ""
	}
	text := f.b.code.Function(call.Process, call.Function)
	if text == nil {
		return "", false, ""
	}
	for _, c := range text.Calls {
		r := Reason{}
		if c.Kind == recordings.CallAsks && r.takeGate(f.b, f.a, call.Process, c.Name) {
			return r.Gate, r.On, r.Since
		}
	}
	return "", false, ""
}

// takeGate stores a gate in r if its default differs on the other side. A gate
// that only B knows must be on. A gate that B no longer knows is not the
// reason: B runs its code without the gate, or no longer has the code.
func (r *Reason) takeGate(here, there indexedSide, program, gate string) bool {
	on, known := here.code.Gate(program, gate)
	other, knownThere := there.code.Gate(program, gate)
	if !known || knownThere && other == on || !knownThere && (!on || !here.isB) {
		return false
	}
	b := here
	if !here.isB {
		b, on = there, other
	}
	r.Gate, r.On, r.Since = gate, on, b.code.GateSince(program, gate)
	return true
}

// receiver returns a method's type with its package, or "" for other functions.
func receiver(function string) string {
	pkg := funcname.Package(function)
	rest := strings.TrimPrefix(function[len(pkg):], ".")
	typ, _, ok := strings.Cut(rest, ".")
	if !ok {
		return ""
	}
	typ = strings.Trim(typ, "(*)")
	return pkg + "." + strings.TrimSuffix(typ, "[...]")
}
