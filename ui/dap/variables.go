package dap

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-dap"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/step"
)

// The scopes of a frame, in the client's order.
const (
	scopeValues = iota
	scopeReturned
	scopeCall
	scopeLocals
	scopesPerCall
)

// reference returns the number that a client uses to request the variables of a
// call's scope. The first number is 1.
func reference(call, scope int) int { return call*scopesPerCall + scope + 1 }

// scopes lists a frame's scopes. A label has none.
func (s *session) scopes(frame int) (dap.ResponseMessage, error) {
	list := []dap.Scope{}
	if frame > s.walker.Tree.Len() {
		return &dap.ScopesResponse{Body: dap.ScopesResponseBody{Scopes: list}}, nil
	}
	call, err := s.callOf(frame)
	if err != nil {
		return nil, err
	}
	list = append(list, dap.Scope{Name: s.printer.Sprintf("Recorded values"), PresentationHint: "arguments", VariablesReference: reference(call, scopeValues)})
	if returned, ok := s.walker.Returned(s.at); ok && call == s.at.Call {
		name := s.printer.Sprintf("Returned from %s", s.walker.Tree.Call(returned).ShortName())
		list = append(list, dap.Scope{Name: name, PresentationHint: "returnValue", VariablesReference: reference(call, scopeReturned)})
	}
	list = append(list,
		dap.Scope{Name: s.printer.Sprintf("Call"), VariablesReference: reference(call, scopeCall)},
		dap.Scope{Name: s.printer.Sprintf("Locals"), PresentationHint: "locals", VariablesReference: reference(call, scopeLocals)})
	return &dap.ScopesResponse{Body: dap.ScopesResponseBody{Scopes: list}}, nil
}

func (s *session) variables(r *dap.VariablesArguments) (dap.ResponseMessage, error) {
	call, scope := (r.VariablesReference-1)/scopesPerCall, (r.VariablesReference-1)%scopesPerCall
	if _, err := s.callOf(frameID(call)); err != nil || r.VariablesReference < 1 {
		return nil, message.Errorf("there are no variables %d here", r.VariablesReference)
	}
	if r.Start < 0 || r.Count < 0 {
		return nil, message.Errorf("variables: start and count must not be negative")
	}
	list := s.inScope(call, scope)
	if r.Filter == "indexed" {
		list = nil
	}
	list = list[min(r.Start, len(list)):]
	if r.Count > 0 {
		list = list[:min(r.Count, len(list))]
	}
	if list == nil {
		list = []dap.Variable{}
	}
	return &dap.VariablesResponse{Body: dap.VariablesResponseBody{Variables: list}}, nil
}

func (s *session) inScope(call, scope int) []dap.Variable {
	c := s.walker.Tree.Call(call)
	switch scope {
	case scopeValues:
		list := s.values(c)
		if s.at == (step.Position{Call: call, Kind: step.Returning}) {
			list = append(list, s.outcome(c)...)
		}
		return list
	case scopeReturned:
		returned, ok := s.walker.Returned(s.at)
		if !ok || call != s.at.Call {
			return nil
		}
		c := s.walker.Tree.Call(returned)
		return append(s.values(c), s.outcome(c)...)
	case scopeCall:
		return s.facts(c)
	}
	return []dap.Variable{variable(s.printer.Sprintf("local variables"), s.printer.Sprintf("not recorded"))}
}

func variable(name, value string) dap.Variable {
	return dap.Variable{Name: name, Value: value, PresentationHint: &dap.VariablePresentationHint{Attributes: []string{"readOnly"}}}
}

// values lists a call's recorded values. The recording does not say when in
// the call they were read.
func (s *session) values(c *trace.Call) []dap.Variable {
	var list []dap.Variable
	for _, name := range slices.Sorted(maps.Keys(c.Attributes)) {
		v := variable(name, c.Attributes[name])
		v.EvaluateName = name
		list = append(list, v)
	}
	if list == nil {
		list = append(list, variable(s.printer.Sprintf("values"), s.printer.Sprintf("not recorded")))
	}
	return list
}

// outcome lists how a call ended: its error, its panic, or
// that neither was recorded.
func (s *session) outcome(c *trace.Call) []dap.Variable {
	p := s.printer
	var list []dap.Variable
	if c.Unfinished {
		list = append(list, variable(p.Sprintf("returned"), p.Sprintf("not before the recording ended")))
	}
	if c.Error != "" {
		list = append(list, variable(p.Sprintf("error"), c.Error))
	}
	if c.Panic != "" {
		list = append(list, variable("panic", p.Sprintf("raised in %s", c.Panic)))
	}
	switch {
	case c.Leaf:
		list = append(list, variable(p.Sprintf("error"), p.Sprintf("not recorded")))
	case list == nil:
		list = append(list, variable(p.Sprintf("error"), p.Sprintf("none recorded")))
	}
	return list
}

// facts lists the properties that every call has, such as its place and time.
func (s *session) facts(c *trace.Call) []dap.Variable {
	p := s.printer
	from := p.Sprintf("not recorded")
	if c.CallerLine > 0 {
		from = strconv.Itoa(c.CallerLine)
	}
	took := time.Duration(c.DurationNs).String()
	if c.Unfinished {
		took = p.Sprintf("more than %s", took)
	}
	if c.Leaf {
		took = p.Sprintf("not recorded")
	}
	return []dap.Variable{
		variable(p.Sprintf("function"), c.Function),
		variable(p.Sprintf("begins at"), c.File+":"+strconv.Itoa(c.Line)),
		variable(p.Sprintf("called from line"), from),
		variable(p.Sprintf("process"), c.Process),
		variable("goroutine", strconv.FormatUint(c.Goroutine, 10)),
		variable(p.Sprintf("began after"), time.Duration(c.StartNs).String()),
		variable(p.Sprintf("took"), took),
	}
}

// evaluate looks up a recorded value by name. It computes nothing.
func (s *session) evaluate(r *dap.EvaluateArguments) (dap.ResponseMessage, error) {
	call := s.at.Call
	if r.FrameId != 0 {
		var err error
		if call, err = s.callOf(r.FrameId); err != nil {
			return nil, err
		}
	}
	c := s.walker.Tree.Call(call)
	name := strings.TrimSpace(r.Expression)
	// The text under the mouse is the name of a Go variable. A recorded value has
	// the same name only by chance.
	if value, ok := c.Attributes[name]; ok && r.Context != "hover" {
		return &dap.EvaluateResponse{Body: dap.EvaluateResponseBody{Result: value}}, nil
	}
	if len(c.Attributes) == 0 {
		return nil, message.Errorf("%q is not recorded: the recording has no values of %s", name, c.ShortName())
	}
	recorded := message.List(slices.Sorted(maps.Keys(c.Attributes)))
	return nil, message.Errorf("%q is not recorded: the recorded values of %s are %s", name, c.ShortName(), recorded)
}
