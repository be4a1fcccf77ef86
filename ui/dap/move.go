package dap

import (
	"github.com/google/go-dap"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace/step"
)

// move returns the function that handles a request to move, or false for other
// requests. Each move leads to exactly one stop. move also handles the request for
// the list of calls to step into, which leads to no stop.
func (s *session) move(request dap.RequestMessage) (func() (dap.ResponseMessage, error), bool) {
	type handler = func() (dap.ResponseMessage, error)
	var do handler
	switch r := request.(type) {
	case *dap.ContinueRequest:
		do = func() (dap.ResponseMessage, error) {
			s.resume(step.Forward)
			return &dap.ContinueResponse{Body: dap.ContinueResponseBody{AllThreadsContinued: true}}, nil
		}
	case *dap.ReverseContinueRequest:
		do = func() (dap.ResponseMessage, error) {
			s.resume(step.Backward)
			return &dap.ReverseContinueResponse{}, nil
		}
	case *dap.NextRequest:
		do = func() (dap.ResponseMessage, error) {
			return &dap.NextResponse{}, s.step(r.Arguments.ThreadId, step.Line, step.Forward)
		}
	case *dap.StepBackRequest:
		do = func() (dap.ResponseMessage, error) {
			return &dap.StepBackResponse{}, s.step(r.Arguments.ThreadId, step.Line, step.Backward)
		}
	case *dap.StepOutRequest:
		do = func() (dap.ResponseMessage, error) {
			return &dap.StepOutResponse{}, s.step(r.Arguments.ThreadId, step.Out, step.Forward)
		}
	case *dap.StepInRequest:
		do = func() (dap.ResponseMessage, error) { return &dap.StepInResponse{}, s.stepIn(&r.Arguments) }
	case *dap.StepInTargetsRequest:
		return func() (dap.ResponseMessage, error) { return s.stepInTargets(r.Arguments.FrameId) }, true
	case *dap.RestartFrameRequest:
		do = func() (dap.ResponseMessage, error) {
			return &dap.RestartFrameResponse{}, s.restartFrame(r.Arguments.FrameId)
		}
	default:
		return nil, false
	}
	return func() (dap.ResponseMessage, error) {
		if s.launch != nil {
			return nil, message.Errorf("%q came before \"configurationDone\"", request.GetRequest().Command)
		}
		return do()
	}, true
}

// step does an action from a thread's position. If the thread is not on the
// stack, step goes to the thread's nearest position in the direction. A
// breakpoint on the way ends the step early.
func (s *session) step(thread int, action step.Action, direction step.Direction) error {
	from, on, err := s.positionIn(thread)
	if err != nil {
		return err
	}
	if action == step.Into {
		from = s.at // the next position, in any thread
	}
	var target step.Position
	var ok bool
	if on {
		target, ok = s.walker.Step(from, action, direction)
	} else {
		target, ok = s.walker.Find(s.at, direction, func(p step.Position) bool {
			return s.threads.of(s.walker.Tree.Call(p.Call)) == thread
		})
		if !ok {
			return message.Errorf("%s makes no recorded call in this direction", goroutineName(s.walker.Tree.Call(s.threads.all[thread-1].call)))
		}
	}
	for p := s.at; ; {
		var more bool
		p, more = s.walker.Step(p, step.Into, direction)
		if !more {
			break
		}
		if hit, ok := s.hit(p); ok {
			s.stopAt(p, hit)
			return nil
		}
		if p == target {
			break
		}
	}
	if !ok {
		s.stopAt(target, end(direction))
		return nil
	}
	s.stopAt(target, stop{reason: "step"})
	return nil
}

// positionIn returns the position of a thread. For the innermost call's thread,
// this is the session's position. Another thread on the stack waits in an outer
// call: its position is where that call makes the next inner call. If the thread
// is not on the stack, on is false, and p is the session's position.
func (s *session) positionIn(thread int) (p step.Position, on bool, err error) {
	innermost, inner, on, err := s.innermost(thread)
	if err != nil || !on || inner < 0 {
		return s.at, on, err
	}
	return step.Position{Call: innermost, Kind: step.Calling, Next: inner}, true, nil
}

// stepIn steps to the next position, or into the call that the user
// chose from stepInTargets.
func (s *session) stepIn(r *dap.StepInArguments) error {
	if r.TargetId == 0 {
		return s.step(r.ThreadId, step.Into, step.Forward)
	}
	for _, call := range s.walker.LineCalls(s.at) {
		if frameID(call) == r.TargetId {
			s.stopAt(step.Position{Call: call}, stop{reason: "step"})
			return nil
		}
	}
	return message.Errorf("no target %d to step into from here", r.TargetId)
}

// stepInTargets lists the calls that the current line still makes. Only the
// innermost frame has any.
func (s *session) stepInTargets(frame int) (dap.ResponseMessage, error) {
	call, err := s.callOf(frame)
	if err != nil {
		return nil, err
	}
	targets := []dap.StepInTarget{}
	if call == s.at.Call {
		for _, next := range s.walker.LineCalls(s.at) {
			c := s.walker.Tree.Call(next)
			targets = append(targets, dap.StepInTarget{Id: frameID(next), Label: c.ShortName(), Line: s.line(c.CallerLine)})
		}
	}
	return &dap.StepInTargetsResponse{Body: dap.StepInTargetsResponseBody{Targets: targets}}, nil
}

// restartFrame goes back to the beginning of a call.
func (s *session) restartFrame(frame int) error {
	call, err := s.callOf(frame)
	if err != nil {
		return err
	}
	s.stopAt(step.Position{Call: call}, stop{reason: "restart"})
	return nil
}

// resume goes to the nearest breakpoint, or to the end.
func (s *session) resume(direction step.Direction) {
	var hit stop
	at, ok := s.walker.Find(s.at, direction, func(p step.Position) bool {
		var is bool
		hit, is = s.hit(p)
		return is
	})
	if !ok {
		hit = end(direction)
	}
	s.stopAt(at, hit)
}

// end returns the stop at an end of the recording. From there, the user can still
// step in the other direction.
func end(direction step.Direction) stop {
	if direction == step.Backward {
		return stop{reason: "entry", note: message.Of("the recording begins here")}
	}
	return stop{reason: "end", note: message.Of("the recording ends here")}
}

// stopAt moves to a position and tells the client.
func (s *session) stopAt(p step.Position, why stop) {
	s.at = p
	description := s.describe(p)
	if !why.note.IsZero() {
		description = message.Of("%s; %s", description, why.note)
	}
	s.stopped = why
	body := dap.StoppedEventBody{
		Reason: why.reason, Description: s.printer.Sprintf("%s", description), ThreadId: s.threads.of(s.walker.Tree.Call(p.Call)),
		AllThreadsStopped: true, HitBreakpointIds: why.hit,
	}
	if why.reason == "exception" {
		body.Text = s.failure(s.walker.Tree.Call(p.Call))
	}
	s.after("stopped", &dap.StoppedEvent{Body: body})
}

// describe describes a position for the user.
func (s *session) describe(p step.Position) message.Message {
	name := s.walker.Tree.Call(p.Call).ShortName()
	switch p.Kind {
	case step.Calling:
		if next := s.walker.Tree.Call(p.Next); next.Afterwards() {
			return message.Of("%s takes up the event of the write; %s does not call it", next.ShortName(), name)
		}
		return message.Of("%s calls %s", name, s.walker.Tree.Call(p.Next).ShortName())
	case step.Returning:
		if s.walker.Tree.Call(p.Call).Unfinished {
			return message.Of("%s had not returned when the recording ended", name)
		}
		return message.Of("%s returns", name)
	}
	return message.Of("%s begins", name)
}
