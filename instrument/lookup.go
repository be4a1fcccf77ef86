package instrument

import (
	"sync"

	"github.com/kubeapitrace/apitrace/internal/funcname"
)

// A Lookup finds the guide's entry for a function by its full name. It caches entries,
// because a trace has few different names. It is safe for concurrent use.
type Lookup struct {
	layers       []compiledLayer
	steps        []compiledStep
	constructors funcname.Matchers
	entries      sync.Map // function → *Entry
}

type compiledLayer struct {
	name  string
	match funcname.Matchers
}

// An Entry holds the guide's facts about one function.
type Entry struct {
	// Layer is the name of the function's layer, or "".
	Layer string
	// Step is the function's key step, or nil.
	Step *Step
	// Constructor reports whether the function makes errors for its callers.
	Constructor bool
}

func (g *Guide) Lookup() *Lookup {
	l := &Lookup{constructors: funcname.Compile(g.Constructors)}
	for _, layer := range g.Layers {
		l.layers = append(l.layers, compiledLayer{layer.Name, funcname.Compile(layer.Match)})
	}
	for _, s := range g.Steps {
		l.steps = append(l.steps, compiledStep{s, s.Function.Compile()})
	}
	return l
}

// Entry returns the guide's entry for a function, never nil. A step with the function's
// exact name takes precedence over a step with a pattern.
func (l *Lookup) Entry(function string) *Entry {
	if e, ok := l.entries.Load(function); ok {
		return e.(*Entry)
	}
	e := &Entry{Layer: l.layer(function), Constructor: l.constructors.Match(function)}
	for i := range l.steps {
		s := &l.steps[i]
		exact := s.names.Exact()
		if (e.Step == nil || exact) && s.names.Match(function) {
			e.Step = &s.Step
			if exact {
				break
			}
		}
	}
	l.entries.Store(function, e)
	return e
}

func (l *Lookup) layer(function string) string {
	for _, layer := range l.layers {
		if layer.match.Match(function) {
			return layer.name
		}
	}
	return ""
}

// Layer returns the name of the function's layer, or "".
func (l *Lookup) Layer(function string) string { return l.Entry(function).Layer }

// Key reports whether the function is a key step.
func (l *Lookup) Key(function string) bool { return l.Entry(function).Step != nil }

// Constructor reports whether the function makes errors for its callers.
func (l *Lookup) Constructor(function string) bool { return l.Entry(function).Constructor }

// Minor reports whether the function is a key step that a view leaves out first.
func (l *Lookup) Minor(function string) bool {
	s := l.Entry(function).Step
	return s != nil && s.Minor
}

// Group returns the label for calls of this function and its likes, or "".
func (l *Lookup) Group(function string) string {
	if s := l.Entry(function).Step; s != nil {
		return s.Group
	}
	return ""
}
