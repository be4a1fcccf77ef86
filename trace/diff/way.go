package diff

import (
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A WayKind says how a caller reaches a call.
type WayKind string

// The kinds of a Way.
const (
	// WayLeads: the way is not known.
	WayLeads WayKind = "leads"
	// WayCalls: the caller's text has the call.
	WayCalls WayKind = "calls"
	// WayThrough: the caller's text calls code without spans, which makes the
	// call.
	WayThrough WayKind = "through"
	// WayProcess: the caller sends a request to another program.
	WayProcess WayKind = "process"
	// WayQueue: the caller puts work into a queue, and another goroutine takes
	// it from there.
	WayQueue WayKind = "queue"
)

// A Way is how a caller reaches a call.
type Way struct {
	Kind WayKind
	// By is the part in between, or "" if it is not known: a package without
	// spans for WayThrough, the program for WayProcess, the queue for WayQueue.
	By string
	// static is set if the caller's text names the function itself. Otherwise,
	// by names the interface method, the variable or, for WayThrough, the
	// function that the text calls instead.
	static bool
	kind   recordings.CallKind
	by     string
}

// WayOf returns how the caller of call i of a tree reaches it, according to
// the index of the sources. known is false if the index lacks the caller's
// text and nothing else shows the way, or if the call has no caller.
func WayOf(code *recordings.Code, tree *trace.Tree, i int) (way Way, known bool) {
	above := tree.Parent(i)
	if above < 0 {
		return Way{Kind: WayLeads}, false
	}
	way = indexedSide{code: code}.way(tree, i)
	if way.Kind != WayLeads {
		return way, true
	}
	caller := tree.Call(above)
	return way, code != nil && code.Function(caller.Process, caller.Function) != nil
}

// way returns how the caller of call i of a tree reaches it.
func (s indexedSide) way(tree *trace.Tree, i int) Way {
	above := tree.Parent(i)
	if above < 0 {
		return Way{Kind: WayLeads}
	}
	call, caller := tree.Call(i), tree.Call(above)
	switch {
	case call.Process != caller.Process:
		return Way{Kind: WayProcess, By: call.Process}
	case call.Attributes[trace.AttrHandoff] != "":
		return Way{Kind: WayQueue, By: call.Attributes[trace.AttrHandoff]}
	case s.code == nil:
		return Way{Kind: WayLeads}
	}
	text := s.code.Function(caller.Process, caller.Function)
	if text == nil {
		return Way{Kind: WayLeads}
	}
	return s.wayFrom(text, call, call.CallerLine-caller.Line)
}

// wayFrom returns how a text reaches a call. line is the line where control
// left the text, counted from the function's first line.
func (s indexedSide) wayFrom(text *recordings.Source, call *trace.Call, line int) Way {
	if slices.ContainsFunc(text.Calls, func(c recordings.SourceCall) bool { return c.Kind == recordings.CallStatic && c.Name == call.Function }) {
		return Way{Kind: WayCalls, static: true, by: call.Function}
	}
	there := callsAt(text, call, line)
	for _, c := range there {
		if c.Kind == recordings.CallInterface && funcname.Last(c.Name) == funcname.Last(call.Function) {
			return Way{Kind: WayCalls, kind: c.Kind, by: c.Name}
		}
	}
	for _, c := range there {
		if c.Kind == recordings.CallValue {
			return Way{Kind: WayCalls, kind: c.Kind, by: c.Name}
		}
	}
	return s.through(call, there)
}

// callsAt lists the calls at a line. If the line has none, as a return
// statement, it lists the deferred calls. It returns nil if the call has no
// CallerLine.
func callsAt(text *recordings.Source, call *trace.Call, line int) []recordings.SourceCall {
	var at, deferred []recordings.SourceCall
	for _, c := range text.Calls {
		switch {
		case !c.Kind.IsCall():
		case call.CallerLine > 0 && c.Line == line:
			at = append(at, c)
		case c.Deferred:
			deferred = append(deferred, c)
		}
	}
	if len(at) == 0 && call.CallerLine > 0 {
		return deferred
	}
	return at
}

// through returns the way through the only package without spans that a line
// calls. With several such packages, the way is unknown.
func (s indexedSide) through(call *trace.Call, there []recordings.SourceCall) Way {
	way := Way{Kind: WayLeads}
	for _, c := range there {
		pkg := funcname.Package(c.Name)
		f := s.code.Function(call.Process, c.Name)
		if pkg == "" || f != nil && f.Spanless == recordings.Spanned {
			continue // its span would be between the two calls
		}
		if way.Kind == WayThrough && way.By != pkg {
			return Way{Kind: WayLeads}
		}
		if way.Kind == WayLeads {
			way = Way{Kind: WayThrough, By: pkg, kind: c.Kind, by: c.Name}
		}
	}
	return way
}

// standsIn reports whether text has the same call. text is the caller's text on the
// other side.
func (w Way) standsIn(text *recordings.Source, call *trace.Call) bool {
	return slices.ContainsFunc(text.Calls, func(c recordings.SourceCall) bool { return w.is(c, call) })
}

// mayStandIn reports whether text calls an interface method that may be the call's function:
// the function is a method, too, and has the same name.
func mayStandIn(text *recordings.Source, call *trace.Call) bool {
	if name := call.Function[len(funcname.Package(call.Function)):]; strings.Count(name, ".") < 2 {
		return false
	}
	return slices.ContainsFunc(text.Calls, func(c recordings.SourceCall) bool {
		return c.Kind == recordings.CallInterface && funcname.Last(c.Name) == funcname.Last(call.Function)
	})
}

// is reports whether c, a call in a text, can be the call that w leads to.
func (w Way) is(c recordings.SourceCall, call *trace.Call) bool {
	if w.Kind == WayCalls && c.Kind == recordings.CallStatic && c.Name == call.Function {
		return true
	}
	return !w.static && w.by != "" && c.Kind == w.kind && c.Name == w.by
}
