// Package step steps through a request's recorded calls as a debugger steps through a
// running program: into, over and out of calls, forward and backward.
//
// A recording has the entries and returns of functions and the lines of calls, and
// nothing in between. So each call has three positions:
//
//   - At Calling, the caller is about to make the call. This is a position of the
//     caller.
//   - At Entered, the call has just been entered.
//   - At Returning, the call is about to return.
//
// The first call has no recorded caller. So a request of n calls has 3n-1 positions,
// from Entered to Returning of the first.
//
// All functions are pure. A position is a value: it can be kept, compared and
// returned to.
package step

import (
	"fmt"

	"github.com/kubeapitrace/apitrace/trace"
)

// A Kind says where in a call a position is.
type Kind int

const (
	// Entered is the beginning of a call.
	Entered Kind = iota
	// Calling is a line that is about to make another call.
	// A call that took the event of a write from a queue (trace.Call.Afterwards) has no
	// real caller. Its Calling is only a place in the order.
	Calling
	// Returning is the end of a call, after all its callees.
	// A goroutine's unfinished call has one, too; see trace.Call.Unfinished.
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

// A Position is a place in a request. The zero value is the first.
type Position struct {
	// Call is the index of the innermost call in the tree.
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
	// Line steps over to the first position of the next line, past further calls of this
	// execution of the line; see Walker.lineStart.
	// Backward, it steps to the first position of this line or, from there, of the line
	// before.
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

// First returns the first position, the first call's entry.
func (w Walker) First() Position { return Position{} }

// Last returns the last position, before the first call's return.
func (w Walker) Last() Position { return Position{Call: 0, Kind: Returning} }

// Len returns the number of positions.
func (w Walker) Len() int { return 3*w.Tree.Len() - 1 }

// Number returns how many positions are before p, from 0 to Len()-1.
func (w Walker) Number(p Position) int {
	// Before call i are i entries, the i positions before calls 1 to i, and the returns
	// of all earlier calls that are not above i.
	switch p.Kind {
	case Calling:
		return w.Number(Position{Call: p.Next}) - 1
	case Returning:
		return 3*w.Tree.End(p.Call) - w.Tree.Depth(p.Call) - 2
	}
	return 3*p.Call - w.Tree.Depth(p.Call)
}

// Step returns the position after a step from p. If the step leaves the request, Step
// returns false, with the last position or, backward, the first position.
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

// next returns the position right behind p, if any.
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

// previous returns the position right before p, if any.
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

// before returns the position right before a call. The first call has none.
func (w Walker) before(call int) (Position, bool) {
	caller := w.Tree.Parent(call)
	return Position{Call: caller, Kind: Calling, Next: call}, caller >= 0
}

// after returns the caller's position after a call. The first call has none.
// The lines in between are not recorded.
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

// previousSibling returns the same caller's previous call, or -1.
func (w Walker) previousSibling(call int) int {
	caller := w.Tree.Parent(call)
	if call-1 == caller {
		return -1
	}
	return w.childHolding(caller, call-1)
}

// lastChild returns a call's last callee, or -1.
func (w Walker) lastChild(call int) int {
	if w.Tree.End(call) == call+1 {
		return -1
	}
	return w.childHolding(call, w.Tree.End(call)-1)
}

// childHolding returns the callee of caller that is, or is above, call.
func (w Walker) childHolding(caller, call int) int {
	for w.Tree.Parent(call) != caller {
		call = w.Tree.Parent(call)
	}
	return call
}

// Find returns the nearest position before or behind p that match accepts.
// If there is none, it returns false, with the last position or, backward, the first.
// To find the next call of a function, match its Entered positions.
func (w Walker) Find(p Position, direction Direction, match func(Position) bool) (Position, bool) {
	for {
		var ok bool
		if p, ok = w.Step(p, Into, direction); !ok || match(p) {
			return p, ok
		}
	}
}
