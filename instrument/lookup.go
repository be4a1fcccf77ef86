package instrument

import (
	"sync"

	"github.com/kubeapitrace/apitrace/internal/funcname"
)

// A Lookup answers what the guide says of functions, by their full name. It
// remembers its answers; a trace asks for the same few hundred names over and over.
// It is safe for concurrent use.
type Lookup struct {
	layers []compiledLayer
	steps  []compiledStep
	makes  funcname.Matchers // constructors
	known  sync.Map          // function → *Entry
}

type compiledLayer struct {
	name  string
	match funcname.Matchers
}

// An Entry is what the guide says of one function.
type Entry struct {
	// Layer is the name of the function's layer, "" if it belongs to none.
	Layer string
	// Step is the function's entry among the key steps, nil if it is none.
	Step *Step
	// Constructor tells whether the function makes errors for its callers.
	Constructor bool
}

// Lookup returns the guide as a book to look functions up in.
func (g *Guide) Lookup() *Lookup {
	l := &Lookup{makes: funcname.Compile(g.Constructors)}
	for _, layer := range g.Layers {
		l.layers = append(l.layers, compiledLayer{layer.Name, funcname.Compile(layer.Match)})
	}
	for _, s := range g.Steps {
		l.steps = append(l.steps, compiledStep{s, s.Function.Compile()})
	}
	return l
}

// Entry returns what the guide says of a function. A step that names the function
// itself comes before one whose pattern covers it.
func (l *Lookup) Entry(function string) *Entry {
	if e, ok := l.known.Load(function); ok {
		return e.(*Entry)
	}
	e := &Entry{Layer: l.layer(function), Constructor: l.makes.Match(function)}
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
	l.known.Store(function, e)
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

// Layer returns the layer that the function belongs to, "" if it belongs to none.
func (l *Lookup) Layer(function string) string { return l.Entry(function).Layer }

// Key tells whether the function is a key step.
func (l *Lookup) Key(function string) bool { return l.Entry(function).Step != nil }

// Constructor tells whether the function makes errors for its callers.
func (l *Lookup) Constructor(function string) bool { return l.Entry(function).Constructor }

// Minor tells whether the function is a key step that gives way to others.
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
