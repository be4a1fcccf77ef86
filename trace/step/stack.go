package step

import "slices"

// A Frame is a call on the stack.
type Frame struct {
	// Call is an index of the tree.
	Call int
	// Line is the current line in the call's file: the line that makes the call above it
	// on the stack, or the call's first line if it has just been entered. It is 0 if not
	// recorded, such as a return's line.
	Line int
}

// Stack returns the calls on the stack at a position, innermost first. It crosses
// goroutines and processes: a call on its own goroutine (trace.Call.NewGoroutine) is
// above the call that started it. No caller waits for a call that took up a write's event
// (trace.Call.Afterwards), so it is the outermost.
func (w Walker) Stack(p Position) []Frame {
	frames := []Frame{{Call: p.Call, Line: w.Line(p)}}
	for call := p.Call; w.Tree.Parent(call) >= 0 && !w.Tree.Call(call).Afterwards(); call = w.Tree.Parent(call) {
		frames = append(frames, Frame{Call: w.Tree.Parent(call), Line: w.Tree.Call(call).CallerLine})
	}
	return slices.Clip(frames)
}

// Line returns the innermost call's line at p, as in Stack.
func (w Walker) Line(p Position) int {
	switch p.Kind {
	case Entered:
		return w.Tree.Call(p.Call).Line
	case Calling:
		return w.Tree.Call(p.Next).CallerLine
	}
	return 0
}

// Returned returns the call that returned right before p, if any. After stepping over or
// out of a call, a debugger shows its results.
func (w Walker) Returned(p Position) (call int, ok bool) {
	before, ok := w.previous(p)
	return before.Call, ok && before.Kind == Returning
}
