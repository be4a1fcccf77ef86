package gates

import (
	"cmp"
	"slices"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A Place is a function that asks for a gate, or makes calls that depend on it.
type Place struct {
	Program, Function string
	// File is the path of the function's file. Line is the function's line, or 0 if unknown.
	// Places knows the line only if a recording calls the function.
	File string
	Line int
	// Asks are the lines that ask whether the gate is on, counted from the function's line.
	Asks []int
	// Decides are the calls that depend on the gate, in order.
	Decides []Decision
	// Scenarios are the recorded scenarios that call the function, in order.
	Scenarios []string
}

// A Decision is a call that depends on a gate.
type Decision struct {
	recordings.SourceCall
	// Scenarios are the recorded scenarios with this call, in order. It is nil if no
	// recording shows the call, for example because the called function has no span.
	Scenarios []string
}

// Places returns a gate's places in a release, from the index of its source. Functions
// that recordings call come first. of are the release's recordings. It returns nil if
// the release is not in the index.
func Places(gate, release string, of []*trace.Recording) ([]*Place, error) {
	code, err := recordings.CodeOf(release)
	if err != nil || code == nil {
		return nil, err
	}
	var all []*Place
	index := map[string]*Place{} // by function; programs share packages
	for _, program := range code.Programs() {
		for _, f := range code.Functions(program) {
			p := placeIn(f, gate)
			if p == nil || index[f.Name] != nil && program != trace.ProcessAPIServer {
				continue
			}
			if p.Program = program; index[f.Name] != nil {
				*index[f.Name] = *p
				continue
			}
			index[f.Name] = p
			all = append(all, p)
		}
	}
	for _, rec := range of {
		for i := range rec.Requests {
			tree, err := trace.NewTree(&rec.Requests[i])
			if err != nil {
				return nil, err
			}
			note(index, tree, rec.Scenario)
		}
	}
	slices.SortStableFunc(all, func(a, b *Place) int {
		return cmp.Or(cmp.Compare(min(1, b.Line), min(1, a.Line)), cmp.Compare(a.Function, b.Function))
	})
	return all, nil
}

// placeIn returns the place of a gate in a function's text, or nil if the text does not
// use it.
func placeIn(f *recordings.Source, gate string) *Place {
	p := &Place{Function: f.Name, File: funcname.Package(f.Name) + "/" + f.File}
	for _, c := range f.Calls {
		switch {
		case c.Kind == recordings.CallAsks && c.Name == gate:
			p.Asks = append(p.Asks, c.Line)
		case c.Kind.IsCall() && c.Gate == gate:
			p.Decides = append(p.Decides, Decision{SourceCall: c})
		}
	}
	if len(p.Asks)+len(p.Decides) == 0 {
		return nil
	}
	return p
}

// note adds the file, line and scenarios of a request's calls to the places.
func note(places map[string]*Place, tree *trace.Tree, scenario string) {
	for i := range tree.Len() {
		call := tree.Call(i)
		p := places[call.Function]
		if p == nil {
			continue
		}
		p.File, p.Line, p.Scenarios = call.File, call.Line, appendNew(p.Scenarios, scenario)
		for child := range tree.Children(i) {
			called := tree.Call(child)
			for n := range p.Decides {
				if d := &p.Decides[n]; d.is(called, called.CallerLine-call.Line) {
					d.Scenarios = appendNew(d.Scenarios, scenario)
				}
			}
		}
	}
}

// is reports whether a recorded call can be the call d of the source. line is the line
// of the recorded call, counted from the first line of its caller.
func (d *Decision) is(called *trace.Call, line int) bool {
	switch d.Kind {
	case recordings.CallStatic:
		return d.Name == called.Function && d.Line == line
	case recordings.CallInterface:
		return d.Line == line && funcname.Last(d.Name) == funcname.Last(called.Function)
	}
	return false // a variable may hold any function
}

func appendNew(all []string, s string) []string {
	if slices.Contains(all, s) {
		return all
	}
	return append(all, s)
}
