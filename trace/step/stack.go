package step

import "slices"

// A Frame is a call on the stack.
type Frame struct {
	// Call is an index of the tree.
	Call int
	// Line is the current line in the call's file. It is the line that makes a call or,
	// if the call has just been entered, the call's first line.
	// It is 0 if not recorded, such as the line of a return.
	Line int
}

// Stack returns the calls on the stack at a position, innermost first. It crosses
// goroutines and processes: after a call on a new goroutine (trace.Call.NewGoroutine)
// comes its parent. A call that took the event of a write from a queue
// (trace.Call.Afterwards) is the last, because no caller waits for it.
func (w Walker) Stack(p Position) []Frame {
	frames := []Frame{{Call: p.Call, Line: w.Line(p)}}
	for call := p.Call; w.Tree.Parent(call) >= 0 && !w.Tree.Call(call).Afterwards(); call = w.Tree.Parent(call) {
		frames = append(frames, Frame{Call: w.Tree.Parent(call), Line: w.Tree.Call(call).CallerLine})
	}
	return slices.Clip(frames)
}

// Line returns the line of the innermost call at p, as in Stack.
func (w Walker) Line(p Position) int {
	switch p.Kind {
	case Entered:
		return w.Tree.Call(p.Call).Line
	case Calling:
		return w.Tree.Call(p.Next).CallerLine
	}
	return 0
}

// Returned returns the call that returned right before p, if any.
// A debugger shows its results after stepping over or out of it.
func (w Walker) Returned(p Position) (call int, ok bool) {
	before, ok := w.previous(p)
	return before.Call, ok && before.Kind == Returning
}
