package step

import "slices"

// A Frame is a call on the stack.
type Frame struct {
	// Call is an index of the tree.
	Call int
	// Line is where in the call's file control is: its first line when it has just been entered,
	// or the line from which the call above it on the stack is made. 0 if it is not recorded, as
	// for the line from which a call returns.
	Line int
}

// Stack returns the calls on the stack at a position, the innermost first, across goroutines and
// processes: a call on a goroutine of its own (trace.Call.NewGoroutine) is above the call that
// started it. A call that took up the event of a write (trace.Call.Afterwards) is the outermost one: nobody waits for it.
func (w Walker) Stack(p Position) []Frame {
	frames := []Frame{{Call: p.Call, Line: w.Line(p)}}
	for call := p.Call; w.Tree.Parent(call) >= 0 && !w.Tree.Call(call).Afterwards(); call = w.Tree.Parent(call) {
		frames = append(frames, Frame{Call: w.Tree.Parent(call), Line: w.Tree.Call(call).CallerLine})
	}
	return slices.Clip(frames)
}

// Line returns the line of the innermost call at p, as Stack does.
func (w Walker) Line(p Position) int {
	switch p.Kind {
	case Entered:
		return w.Tree.Call(p.Call).Line
	case Calling:
		return w.Tree.Call(p.Next).CallerLine
	}
	return 0
}

// Returned returns the call that returned right before p, and false if none did. A debugger shows
// its results after stepping over or out of it.
func (w Walker) Returned(p Position) (call int, ok bool) {
	before, ok := w.previous(p)
	return before.Call, ok && before.Kind == Returning
}
