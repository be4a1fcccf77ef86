package dap

import (
	"github.com/google/go-dap"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace/step"
)

// frameID returns the id of a call's frame. It depends only on the
// call, so it never changes.
func frameID(call int) int { return call + 1 }

// labelID returns the id of the label below a call (see label). It is greater
// than the ids of all calls.
func (s *session) labelID(call int) int { return s.walker.Tree.Len() + frameID(call) }

// absentID returns the id of the label that a thread has instead of a stack.
func (s *session) absentID(thread int) int { return 2*s.walker.Tree.Len() + thread }

// callOf returns the call of a frame. It is an error if the
// frame is not on the stack.
func (s *session) callOf(frame int) (int, error) {
	for _, f := range s.walker.Stack(s.at) {
		if frameID(f.Call) == frame {
			return f.Call, nil
		}
	}
	return 0, message.Errorf("frame %d is not on the stack here", frame)
}

// line converts a line number to the client's counting. 0
// means no line and stays 0.
func (s *session) line(line int) int {
	if line == 0 {
		return 0
	}
	return line - 1 + s.lines
}

// stackTrace lists the calls from a thread's innermost call outward, through the
// goroutines and processes that wait for it. A thread that is not on the stack has only a
// label that says why.
func (s *session) stackTrace(r *dap.StackTraceArguments) (dap.ResponseMessage, error) {
	innermost, _, on, err := s.innermost(r.ThreadId)
	if err != nil {
		return nil, err
	}
	if r.StartFrame < 0 || r.Levels < 0 {
		return nil, message.NewError("stackTrace: startFrame and levels must not be negative")
	}
	frames := []dap.StackFrame{}
	if !on {
		why := s.absence(s.threads.all[r.ThreadId-1])
		frames = append(frames, dap.StackFrame{Id: s.absentID(r.ThreadId), Name: why.Localize(s.printer), PresentationHint: "label"})
	}
	reached := false
	for _, frame := range s.walker.Stack(s.at) {
		reached = reached || on && frame.Call == innermost
		if !reached {
			continue
		}
		frames = append(frames, s.frame(frame))
		if label := s.label(frame.Call); label != nil {
			frames = append(frames, *label)
		}
	}
	total := len(frames)
	frames = frames[min(r.StartFrame, total):]
	if r.Levels > 0 {
		frames = frames[:min(r.Levels, len(frames))]
	}
	return &dap.StackTraceResponse{Body: dap.StackTraceResponseBody{StackFrames: frames, TotalFrames: total}}, nil
}

// frame describes a call on the stack. If the current line is not recorded, the
// frame has the function's first line, and its name says so.
func (s *session) frame(frame step.Frame) dap.StackFrame {
	c := s.walker.Tree.Call(frame.Call)
	f := dap.StackFrame{Id: frameID(frame.Call), Name: c.ShortName(), Line: s.line(frame.Line), Column: s.columns, CanRestart: true}
	switch {
	case frame.Line != 0:
	case frame.Call == s.at.Call && s.at.Kind == step.Returning:
		f.Name = s.printer.Sprintf("%s returns (from a line that is not recorded)", f.Name)
		f.Line = s.line(c.Line)
	default:
		f.Name = s.printer.Sprintf("%s (at a line that is not recorded)", f.Name)
		f.Line = s.line(c.Line)
	}
	if c.File == "" {
		f.Line, f.Column = 0, 0 // the protocol demands this of a frame without a source
		return f
	}
	f.Source = s.sources.of(c)
	return f
}

// label returns the label below a call if its caller is on another goroutine or
// in another process. Otherwise it returns nil.
func (s *session) label(call int) *dap.StackFrame {
	outer := s.walker.Tree.Parent(call)
	if outer < 0 {
		return nil
	}
	c, by := s.walker.Tree.Call(call), s.walker.Tree.Call(outer)
	if goroutineOf(c) == goroutineOf(by) {
		return nil
	}
	name := message.Of("on behalf of %s", goroutineName(by))
	switch {
	case c.Afterwards():
		name = message.Of("not called: takes up the event of the write")
	case c.NewGoroutine:
		name = message.Of("started by %s", goroutineName(by))
	}
	return &dap.StackFrame{Id: s.labelID(call), Name: name.Localize(s.printer), PresentationHint: "label"}
}
