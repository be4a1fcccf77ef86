package checkout

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A State says whether the recordings of a release have calls of a function and, if
// not, why.
type State int

// The states.
const (
	// Called: at least one scenario calls the function.
	Called State = iota
	// NotCalled: the function has a span, but no scenario calls it.
	NotCalled
	// NoSpan: the function is in a traced package but has no span. Recordings cannot
	// show its calls.
	NoSpan
	// NotTraced: the function's package is not traced, so recordings cannot show its
	// calls.
	NotTraced
	// NotThere: the release does not have the function.
	NotThere
)

// A Function is a function that the change touches.
type Function struct {
	source.Change
	State State
	// Scenarios are the scenarios that call the function or one of its literals, sorted.
	Scenarios []string
}

// A Report tells how a release's recordings relate to a change.
type Report struct {
	// Release is the release of the recordings.
	Release string
	// Functions are the functions that the change touches. A function that more
	// scenarios call comes first.
	Functions []Function
	// Others are the files with another declaration that changed: a type, a variable
	// or an import.
	Others []string
}

// scenarios lists the scenarios that call any of the functions. A scenario that calls more
// of them comes first.
func (r *Report) scenarios() []string {
	count := map[string]int{}
	for _, f := range r.Functions {
		for _, s := range f.Scenarios {
			count[s]++
		}
	}
	var all []string
	for s := range count {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) })
	return all
}

// Affected searches a release's recordings for the functions of a change.
func Affected(release string, changes []source.Change) (*Report, error) {
	called, err := recordings.Functions(release)
	if err != nil {
		return nil, err
	}
	code, err := recordings.CodeOf(release)
	if err != nil {
		return nil, err
	}
	scenarios := map[string][]string{}
	for _, f := range called {
		name := declared(f.Name)
		scenarios[name] = append(scenarios[name], f.Scenarios...)
	}
	r := &Report{Release: release}
	for _, c := range changes {
		f := Function{Change: c, State: state(code, c.Name)}
		if f.Scenarios = scenarios[declared(c.Name)]; len(f.Scenarios) > 0 {
			slices.Sort(f.Scenarios)
			f.Scenarios = slices.Compact(f.Scenarios)
			f.State = Called
		}
		r.Functions = append(r.Functions, f)
	}
	slices.SortStableFunc(r.Functions, func(a, b Function) int {
		return cmp.Or(len(b.Scenarios)-len(a.Scenarios), int(a.State)-int(b.State))
	})
	return r, nil
}

// declared returns the declared function that contains a function: for a literal,
// the function around it, otherwise the function itself. The compiler numbers
// functions called init, but the source does not. "init.func1" is not a literal in
// init: it is in a package-level variable.
func declared(name string) string {
	outer, literal := funcname.SplitLiteral(name)
	parsed := funcname.Parse(outer)
	switch {
	case parsed.Func == "init" && literal != "":
		return name
	case strings.HasPrefix(parsed.Func, "init."):
		return parsed.Package + ".init"
	}
	return outer
}

// state returns the State, from the index, of a function that no scenario calls.
func state(code *recordings.Code, name string) State {
	if code == nil {
		return NotCalled
	}
	if funcname.Parse(name).Func == "init" {
		name += ".0"
	}
	traced := false
	for _, program := range code.Programs() {
		if f := code.Function(program, name); f != nil {
			if f.Spanless != recordings.Spanned {
				return NoSpan
			}
			return NotCalled
		}
		traced = traced || code.Traces(program, funcname.Package(name))
	}
	if traced {
		return NotThere
	}
	return NotTraced
}
