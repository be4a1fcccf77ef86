// Package step steps through the recorded calls of a request, as a debugger steps through a
// running program: into, over and out of calls, forward and backward.
//
// A recording has the entry and the return of functions and the lines of calls, and nothing in
// between. So each call has three positions. At Calling, its caller is about to make it; this is
// a position of the caller. At Entered, it has just been entered. At Returning, it is about to
// return. The first call has no caller in the recording. So a request of n calls has 3n-1
// positions, from Entered to Returning of its first call.
//
// All functions are pure. A position is a value: it can be kept, compared and returned to.
//
// The display of positions does not belong here.
package step

import (
	"fmt"

	"github.com/kubeapitrace/apitrace/trace"
)

// A Kind is the place of a position in a call.
type Kind int

const (
	// Entered is the beginning of a call.
	Entered Kind = iota
	// Calling is a line of a call that is about to make another call. A call that takes up the
	// event of a write (trace.Call.Afterwards) has no real caller. There, Calling is only a
	// place in the order of the recording.
	Calling
	// Returning is the end of a call, after all its callees. A goroutine's call that has not
	// ended by then (see trace.Call.Unfinished) has this position, too.
	Returning
)

func (k Kind) String() string {
	switch k {
	case Entered:
		return "entered"
	case Calling:
		return "calling"
	case Returning:
		return "returning"
	}
	return fmt.Sprintf("Kind(%d)", int(k))
}

// A Position is a position in a request. The zero value is the first position.
type Position struct {
	// Call is the innermost call, as an index of the tree.
	Call int
	Kind Kind
	// Next is the call that Call is about to make if Kind is Calling, else 0.
	Next int
}

// An Action says how far to step.
type Action int

const (
	// Into steps to the next position.
	Into Action = iota
	// Over steps to the next position that is not within a call made from here.
	Over
	// Line steps over to the first position of the next line. It passes further calls of the
	// same execution of the line; see Walker.lineStart. Backward, it steps to the first position
	// of this line. From there, it steps to the first position of the line before.
	Line
	// Out steps to the next position of a caller.
	Out
)

// A Direction is the direction of a step.
type Direction int

const (
	Forward Direction = iota
	Backward
)

// A Walker steps through the calls of a request.
type Walker struct {
	Tree *trace.Tree
}

// First returns the first position, the entry of the first call.
func (w Walker) First() Position { return Position{} }

// Last returns the last position, before the return of the first call.
func (w Walker) Last() Position { return Position{Call: 0, Kind: Returning} }

// Len returns the number of positions.
func (w Walker) Len() int { return 3*w.Tree.Len() - 1 }

// Number returns the number of positions before p, from 0 to Len()-1.
func (w Walker) Number(p Position) int {
	// Three kinds of positions come before the entry of call i: the entries of i calls, the i
	// positions before calls 1 to i, and the returns of all earlier calls that are not above i.
	switch p.Kind {
	case Calling:
		return w.Number(Position{Call: p.Next}) - 1
	case Returning:
		return 3*w.Tree.End(p.Call) - w.Tree.Depth(p.Call) - 2
	}
	return 3*p.Call - w.Tree.Depth(p.Call)
}

// Step returns the position after a step from p. It returns false at the end of the request in
// that direction, and when it steps out of the first call. The position is then the last
// position, or the first position when stepping backward.
func (w Walker) Step(p Position, action Action, direction Direction) (Position, bool) {
	to, ok := w.step(p, action, direction)
	switch {
	case ok:
		return to, true
	case direction == Forward:
		return w.Last(), false
	}
	return w.First(), false
}

func (w Walker) step(p Position, action Action, direction Direction) (Position, bool) {
	if action == Line {
		return w.line(p, direction)
	}
	if direction == Forward {
		switch {
		case action == Out:
			return w.after(p.Call)
		case action == Over && p.Kind == Calling:
			return w.after(p.Next)
		}
		return w.next(p)
	}
	switch {
	case action == Out:
		return w.before(p.Call)
	case action == Over && p.Kind == Calling:
		if sibling := w.previousSibling(p.Next); sibling >= 0 {
			return w.before(sibling)
		}
	case action == Over && p.Kind == Returning:
		if child := w.lastChild(p.Call); child >= 0 {
			return w.before(child)
		}
		return Position{Call: p.Call}, true
	}
	return w.previous(p)
}

// next returns the position right behind p. It returns false if there is none.
func (w Walker) next(p Position) (Position, bool) {
	switch p.Kind {
	case Calling:
		return Position{Call: p.Next}, true
	case Returning:
		return w.after(p.Call)
	}
	if first := p.Call + 1; first < w.Tree.End(p.Call) {
		return Position{Call: p.Call, Kind: Calling, Next: first}, true
	}
	return Position{Call: p.Call, Kind: Returning}, true
}

// previous returns the position right before p. It returns false if there is none.
func (w Walker) previous(p Position) (Position, bool) {
	last := -1 // the call that returned right before p
	switch p.Kind {
	case Entered:
		return w.before(p.Call)
	case Calling:
		last = w.previousSibling(p.Next)
	case Returning:
		last = w.lastChild(p.Call)
	}
	if last >= 0 {
		return Position{Call: last, Kind: Returning}, true
	}
	return Position{Call: p.Call}, true
}

// before returns the position right before a call. It returns false for the first call.
func (w Walker) before(call int) (Position, bool) {
	caller := w.Tree.Parent(call)
	return Position{Call: caller, Kind: Calling, Next: call}, caller >= 0
}

// after returns the caller's position after a call. The lines in between are not recorded. It
// returns false for the first call.
func (w Walker) after(call int) (Position, bool) {
	caller := w.Tree.Parent(call)
	if caller < 0 {
		return Position{}, false
	}
	if sibling := w.Tree.End(call); sibling < w.Tree.End(caller) {
		return Position{Call: caller, Kind: Calling, Next: sibling}, true
	}
	return Position{Call: caller, Kind: Returning}, true
}

// previousSibling returns the previous call of the same caller, or -1 if there is none.
func (w Walker) previousSibling(call int) int {
	caller := w.Tree.Parent(call)
	if call-1 == caller {
		return -1
	}
	return w.childHolding(caller, call-1)
}

// lastChild returns the last callee of a call, or -1 if there is none.
func (w Walker) lastChild(call int) int {
	if w.Tree.End(call) == call+1 {
		return -1
	}
	return w.childHolding(call, w.Tree.End(call)-1)
}

// childHolding returns the callee of caller that is call or is above call.
func (w Walker) childHolding(caller, call int) int {
	for w.Tree.Parent(call) != caller {
		call = w.Tree.Parent(call)
	}
	return call
}

// Find returns the nearest matching position before or behind p. If there is none, it returns
// the same position as Step does at the end, and false. To find the next call of a function,
// match positions that are Entered and belong to a call of that function.
func (w Walker) Find(p Position, direction Direction, match func(Position) bool) (Position, bool) {
	for {
		var ok bool
		if p, ok = w.Step(p, Into, direction); !ok || match(p) {
			return p, ok
		}
	}
}
