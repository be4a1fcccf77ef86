package web

import (
	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace/step"
	"github.com/kubeapitrace/apitrace/view"
)

var (
	stepKinds   = map[string]step.Kind{"": step.Entered, "entered": step.Entered, "calling": step.Calling, "returning": step.Returning}
	stepActions = map[string]step.Action{"into": step.Into, "over": step.Over, "line": step.Line, "out": step.Out}
)

func (a *api) getPosition(r *restful.Request) (any, error) {
	t, err := a.tracedOf(r)
	if err != nil {
		return nil, err
	}
	w := step.Walker{Tree: t.tree}
	p, err := t.position(r)
	if err != nil {
		return nil, err
	}
	out := Position{Total: w.Len(), Moved: true, Returned: -1, Stack: []Frame{}}
	if action, ok := stepActions[r.QueryParameter("action")]; ok {
		direction := step.Forward
		if r.QueryParameter("direction") == "backward" {
			direction = step.Backward
		}
		p, out.Moved = w.Step(p, action, direction)
	}
	out.Call, out.Kind, out.Next, out.Number, out.Line = p.Call, p.Kind.String(), p.Next, w.Number(p), w.Line(p)
	if p.Kind == step.Calling {
		next := t.tree.Call(p.Next)
		out.NextFunction, out.NextName, out.NextNth, out.NextAfterwards = next.Function, next.ShortName(), t.placesOf(t.n).Name(p.Next).Nth, next.Afterwards()
	}
	if call, ok := w.Returned(p); ok {
		c := t.tree.Call(call)
		out.Returned, out.ReturnedName, out.ReturnedTime, out.ReturnedError = call, c.ShortName(), view.SignsFor(false).Took(c), c.Error
	}
	for _, frame := range w.Stack(p) {
		out.Stack = append(out.Stack, t.frame(frame.Call, frame.Line))
	}
	return out, nil
}

// position returns the position that the query names.
func (t *tracedRequest) position(r *restful.Request) (p step.Position, err error) {
	if p.Call, err = t.known(number(r, "call", 0)); err != nil {
		return p, err
	}
	p.Kind = stepKinds[r.QueryParameter("kind")]
	if p.Next, err = t.known(number(r, "next", 0)); err != nil {
		return p, err
	}
	switch {
	case p.Kind != step.Calling:
		p.Next = 0
	case p.Next == 0 || t.tree.Parent(p.Next) != p.Call:
		return p, badRequest(message.Errorf("call %d does not make call %d", p.Call, p.Next), message.Of("of kind calling, next is one of the calls that call made"))
	}
	return p, nil
}
