package reason

import (
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// renumbered reports whether the number of a function literal may have shifted: on the other side, the function that it is in,
// or the variables of the package, have literals, but not the same ones.
func renumbered(here, there *recordings.Code, program, function string) bool {
	declared, literal := funcname.SplitLiteral(function)
	if literal == "" {
		return false
	}
	others := literalsOf(there, program, declared)
	return len(others) > 0 && !slices.Equal(literalsOf(here, program, declared), others)
}

// inAnotherLiteral reports whether the caller is a function literal and one of its function, in the code of the other side and
// another one than text, has the call: with as many literals on both sides, each may have another number, and text may be that of
// a function of another name that took the caller's place.
func inAnotherLiteral(there *recordings.Code, way Way, call, caller *trace.Call, text *recordings.Source) bool {
	declared, literal := funcname.SplitLiteral(caller.Function)
	return literal != "" && slices.ContainsFunc(literalsOf(there, caller.Process, declared), func(name string) bool {
		return name != text.Name && way.standsIn(there.Function(caller.Process, name), call)
	})
}

// literalsOf lists the names of the literals in a function.
func literalsOf(code *recordings.Code, program, declared string) []string {
	functions, prefix := code.Functions(program), declared+".func"
	at, _ := slices.BinarySearchFunc(functions, prefix, func(f *recordings.Source, name string) int { return strings.Compare(f.Name, name) })
	var names []string
	for ; at < len(functions) && strings.HasPrefix(functions[at].Name, prefix); at++ {
		names = append(names, functions[at].Name)
	}
	return names
}
