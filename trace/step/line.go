package step

// line does the action Line.
func (w Walker) line(p Position, direction Direction) (Position, bool) {
	if direction == Forward {
		return w.lineForward(p)
	}
	if p.Kind == Calling {
		if start := w.lineStart(p.Next); start != p.Next {
			return w.before(start)
		}
	}
	back, ok := w.step(p, Over, Backward)
	if ok && back.Kind == Calling {
		return w.before(w.lineStart(back.Next))
	}
	return back, ok
}

func (w Walker) lineForward(p Position) (Position, bool) {
	on, ok := w.step(p, Over, Forward)
	for p.Kind == Calling && ok && on.Kind == Calling && on.Call == p.Call && w.lineStart(on.Next) != on.Next {
		on, ok = w.step(on, Over, Forward)
	}
	return on, ok
}

// lineStart returns the first call of call's round. A round is one execution of a
// line with several calls, such as f(g(), h()). In a loop, lineStart assumes that a
// new round begins when the line calls a function again.
// A call from an unrecorded line is its own round.
func (w Walker) lineStart(call int) int {
	caller := w.Tree.Parent(call)
	if caller < 0 {
		return call
	}
	start, line := call, w.Tree.Call(call).CallerLine
	if line == 0 {
		return call
	}
	// A round depends on all rounds before it, so collect all calls of the line.
	siblings := []int{call}
	for s := w.previousSibling(call); s >= 0 && w.Tree.Call(s).CallerLine == line; s = w.previousSibling(s) {
		siblings = append(siblings, s)
	}
	called := map[string]bool{}
	for i := len(siblings) - 1; i >= 0; i-- {
		function := w.Tree.Call(siblings[i]).Function
		if i == len(siblings)-1 || called[function] {
			start = siblings[i]
			clear(called)
		}
		called[function] = true
	}
	return start
}

// StartsLine reports whether this execution of p's line has made no call yet. It is
// true for positions that are not Calling.
func (w Walker) StartsLine(p Position) bool {
	return p.Kind != Calling || w.lineStart(p.Next) == p.Next
}

// LineCalls returns, in order, the calls of this execution of the line from p on.
// A user can choose one to step into. If p is not Calling, the result is empty.
func (w Walker) LineCalls(p Position) []int {
	var calls []int
	for ok := true; ok && p.Kind == Calling; {
		calls = append(calls, p.Next)
		caller := p.Call
		if p, ok = w.step(p, Over, Forward); p.Call != caller || w.StartsLine(p) {
			break
		}
	}
	return calls
}
