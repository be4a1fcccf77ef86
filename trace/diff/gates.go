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

// gates has the feature gates that decide whether a function is called or a value of a type is
// made.
type gates struct {
	// of has the gate, by program, if every call of the function, or everything that makes a value of the type, depends on it.
	of map[string]map[string]string
}

// gatesByCode caches the gates of the releases that CodeOf returns, which are few and live as long as the process: every
// comparison asks for them, and a site has hundreds.
var gatesByCode sync.Map // of *recordings.Code to func() *gates

// gatesOf returns a function that finds the gates of a release when it is first called.
func gatesOf(code *recordings.Code) func() *gates {
	find, _ := gatesByCode.LoadOrStore(code, sync.OnceValue(func() *gates { return newGates(code) }))
	return find.(func() *gates)
}

func newGates(code *recordings.Code) *gates {
	all := &gates{of: map[string]map[string]string{}}
	for _, program := range code.Programs() {
		functions := code.Functions(program)
		direct := collect(functions, nil)
		// What only functions that depend on a gate call, or make, depends on it, too.
		all.of[program] = collect(functions, direct)
	}
	return all
}

// collect returns the gate of each function and type of a program of which all calls have the same one. A call without a gate
// of its own has that of the function that it is in.
func collect(functions []*recordings.Source, ofCaller map[string]string) map[string]string {
	of := map[string]string{}
	// First those that have a gate anywhere, which are few.
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

// each hands over what the functions call, or make, and the gate of each.
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

// findGate looks for a gate of another default: at the call itself, where the function is made if it is a
// literal, and where the value is made whose method it is.
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

// takeGate notes a gate if its default differs on the other side. A gate that B no longer knows is not the reason: its
// code stays, or went for good.
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

// receiver returns the type of a method with its package, or "" for a function that is not a method.
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
