package reason

import (
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// gates has the feature gates that decide whether a function is called or a value of a type is
// made.
type gates struct {
	// of has the gate if every call of the function, or everything that makes a value of the type, depends on it.
	of map[gated]string
}

// gated is a function, or a type, of a program.
type gated struct{ program, name string }

func newGates(code *recordings.Code) *gates {
	direct := collect(code, func(_ gated, c recordings.SourceCall) string { return c.Gate })
	// What only functions that depend on a gate call, or make, depends on it, too.
	return &gates{collect(code, func(in gated, c recordings.SourceCall) string {
		if c.Gate == "" {
			return direct[in]
		}
		return c.Gate
	})}
}

// collect returns the gate of each function and type of which all calls have the same one.
func collect(code *recordings.Code, gateOf func(in gated, c recordings.SourceCall) string) map[gated]string {
	of := map[gated]string{}
	free := map[gated]bool{} // what is called without a gate, or with several
	for _, program := range code.Programs() {
		for _, f := range code.Functions(program) {
			for _, c := range f.Calls {
				if c.Kind != recordings.CallStatic && c.Kind != recordings.CallMakes {
					continue
				}
				at, gate := gated{program, c.Name}, gateOf(gated{program, f.Name}, c)
				if known, ok := of[at]; gate == "" || ok && known != gate {
					free[at] = true
				}
				of[at] = gate
			}
		}
	}
	for at := range free {
		delete(of, at)
	}
	return of
}

// findGate looks for a gate of another default: at the call itself, where the function is made if it is a
// literal, and where the value is made whose method it is.
func (r *Reason) findGate(here, there side, tree *trace.Tree, i int) {
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
		if gate := here.gates().of[gated{call.Process, name}]; gate != "" && r.takeGate(here, there, call.Process, gate) {
			return
		}
	}
}

// takeGate notes a gate if its default differs on the other side.
func (r *Reason) takeGate(here, there side, program, gate string) bool {
	on, known := here.code.Gate(program, gate)
	was, knownThere := there.code.Gate(program, gate)
	if !known || knownThere && was == on || !knownThere && !on {
		return false
	}
	r.Gate, r.On, r.Since = gate, on, here.code.GateSince(program, gate)
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
