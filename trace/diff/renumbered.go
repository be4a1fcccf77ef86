package diff

import (
	"slices"
	"strings"
	"sync"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// renumbered reports whether the number of a function literal may have shifted:
// the enclosing function, or the package's variables, have literals on the
// other side, but not the same ones.
func renumbered(here, there *recordings.Code, program, function string) bool {
	declared, literal := funcname.SplitLiteral(function)
	if literal == "" {
		return false
	}
	others := literalsOf(there, program, declared)
	return len(others) > 0 && !slices.Equal(literalsOf(here, program, declared), others)
}

// inAnotherLiteral reports whether, on the other side, another literal of the
// same function has the call. The caller must be a literal; text is its text
// on the other side. Literals can swap numbers even if both sides have equally
// many. If another function took the caller's place, text is that function's
// text.
func inAnotherLiteral(there *recordings.Code, way Way, call, caller *trace.Call, text *recordings.Source) bool {
	declared, literal := funcname.SplitLiteral(caller.Function)
	return literal != "" && slices.ContainsFunc(literalsOf(there, caller.Process, declared), func(name string) bool {
		return name != text.Name && way.standsIn(there.Function(caller.Process, name), call)
	})
}

// literalReason returns why only this side ran a function literal, such as a
// filter, that its caller reaches through an interface or a variable. Let F be
// the enclosing function. The reason is OtherWay unless a function in both
// sources calls F here but not there. In that case, it is NewCall if no
// function calls F there, else NoReason.
func literalReason(here, there indexedSide, program, function string) Why {
	declared, literal := funcname.SplitLiteral(function)
	if literal == "" {
		return OtherWay
	}
	callers := callersOf(there.code)[program][declared]
	switch {
	case !slices.ContainsFunc(callersOf(here.code)[program][declared], func(caller string) bool {
		return there.code.Function(program, caller) != nil && !slices.Contains(callers, caller)
	}):
		return OtherWay
	case len(callers) > 0:
		return NoReason
	}
	return NewCall
}

// callers lists the functions that call a function by its name. The keys are
// the program and the called function. Only functions that contain literals
// are keys.
type callers map[string]map[string][]string

// callersByCode caches the callers of the releases from CodeOf; see gatesByCode.
var callersByCode sync.Map // of *recordings.Code to func() callers

func callersOf(code *recordings.Code) callers {
	find, _ := callersByCode.LoadOrStore(code, sync.OnceValue(func() callers {
		all := callers{}
		for _, program := range code.Programs() {
			functions := code.Functions(program)
			of := map[string][]string{}
			for _, f := range functions {
				if at := strings.LastIndex(f.Name, ".func"); at >= 0 { // a literal, or a method with a name that begins with "func", which does no harm
					of[f.Name[:at]] = nil
				}
			}
			for _, f := range functions {
				for i := range f.Calls {
					c := &f.Calls[i]
					if known, has := of[c.Name]; has && c.Kind == recordings.CallStatic {
						of[c.Name] = append(known, f.Name)
					}
				}
			}
			all[program] = of
		}
		return all
	}))
	return find.(func() callers)()
}

// literalsOf lists the names of a function's literals.
func literalsOf(code *recordings.Code, program, declared string) []string {
	functions, prefix := code.Functions(program), declared+".func"
	at, _ := slices.BinarySearchFunc(functions, prefix, func(f *recordings.Source, name string) int { return strings.Compare(f.Name, name) })
	var names []string
	for ; at < len(functions) && strings.HasPrefix(functions[at].Name, prefix); at++ {
		names = append(names, functions[at].Name)
	}
	return names
}
