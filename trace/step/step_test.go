package step_test

import (
	"reflect"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/step"
)

// request returns the tree of these calls, with their lines and their callers' lines:
//
//	main             10
//	  read from 12   20
//	    parse from 21 30
//	  store from 14  40
//	  answer from 15 50
func request() *trace.Tree {
	call := func(id, parent, function string, line, from int) trace.Call {
		return trace.Call{ID: id, Parent: parent, Function: function, Line: line, CallerLine: from, File: "m/m.go"}
	}
	return trace.TreeOfValid(&trace.Request{Calls: []trace.Call{
		call("0", "", "main", 10, 0),
		call("1", "0", "read", 20, 12),
		call("2", "1", "parse", 30, 21),
		call("3", "0", "store", 40, 14),
		call("4", "0", "answer", 50, 15),
	}})
}

func entered(call int) step.Position { return step.Position{Call: call} }
func calling(call, next int) step.Position {
	return step.Position{Call: call, Kind: step.Calling, Next: next}
}
func returning(call int) step.Position { return step.Position{Call: call, Kind: step.Returning} }

// order lists every position in request.
var order = []step.Position{
	entered(0), calling(0, 1),
	entered(1), calling(1, 2),
	entered(2), returning(2),
	returning(1),
	calling(0, 3), entered(3), returning(3),
	calling(0, 4), entered(4), returning(4),
	returning(0),
}

func TestStepIntoVisitsEveryPosition(t *testing.T) {
	w := step.Walker{Tree: request()}
	if w.Len() != len(order) {
		t.Fatalf("Len() = %d, expected %d", w.Len(), len(order))
	}
	p := w.First()
	for i, want := range order {
		if p != want || w.Number(p) != i {
			t.Fatalf("position %d is %v with the number %d, expected %v", i, p, w.Number(p), want)
		}
		next, ok := w.Step(p, step.Into, step.Forward)
		if ok != (i+1 < len(order)) {
			t.Fatalf("stepping forward from %v: ok = %t, expected true before the last position only", p, ok)
		}
		p = next
	}
	if p != w.Last() {
		t.Fatalf("the last position is %v, expected %v", p, w.Last())
	}
	for i := len(order) - 2; i >= 0; i-- {
		var ok bool
		if p, ok = w.Step(p, step.Into, step.Backward); !ok || p != order[i] {
			t.Fatalf("stepping backward to position %d: got %v, %t, expected %v", i, p, ok, order[i])
		}
	}
	if p, ok := w.Step(p, step.Into, step.Backward); ok || p != w.First() {
		t.Fatalf("stepping backward from the first position: got %v, %t, expected the first position and false", p, ok)
	}
}

// TestStepOverAndOut compares each step with its definition. Over goes to the nearest position
// that is not deeper, Out to the nearest position that is less deep.
func TestStepOverAndOut(t *testing.T) {
	w := step.Walker{Tree: request()}
	for i, from := range order {
		depth := w.Tree.Depth(from.Call)
		for _, action := range []step.Action{step.Over, step.Out} {
			most := depth
			if action == step.Out {
				most--
			}
			for _, direction := range []step.Direction{step.Forward, step.Backward} {
				by, want, wantOK := 1, w.Last(), false
				if direction == step.Backward {
					by, want = -1, w.First()
				}
				for j := i + by; j >= 0 && j < len(order) && !wantOK; j += by {
					if w.Tree.Depth(order[j].Call) <= most {
						// Backward over a call, this is the position where the call is made,
						// because the position where it returns is deeper.
						want, wantOK = order[j], true
					}
				}
				got, ok := w.Step(from, action, direction)
				if got != want || ok != wantOK {
					t.Errorf("action %d, direction %d from %v: got %v, %t, expected %v, %t", action, direction, from, got, ok, want, wantOK)
				}
			}
		}
	}
}

// TestStepByLine checks that Line steps over all calls of one execution of a line.
func TestStepByLine(t *testing.T) {
	call := func(id, parent, function string, from int) trace.Call {
		return trace.Call{ID: id, Parent: parent, Function: function, CallerLine: from}
	}
	w := step.Walker{Tree: trace.TreeOfValid(&trace.Request{Calls: []trace.Call{
		call("0", "", "main", 0),
		call("1", "0", "key", 12), call("2", "0", "value", 12), call("3", "2", "inner", 12), call("4", "0", "set", 12), // set(key(), value())
		call("5", "0", "key", 12), call("6", "0", "set", 12), // the next round of the loop
		call("7", "0", "done", 13),
	}})}
	want := []step.Position{entered(0), calling(0, 1), calling(0, 5), calling(0, 7), returning(0)}
	at := w.First()
	for i, p := range want {
		if at != p {
			t.Fatalf("forward, line %d: got %v, expected %v", i, at, p)
		}
		at, _ = w.Step(at, step.Line, step.Forward)
	}
	for i := len(want) - 1; i >= 0; i-- {
		if at != want[i] {
			t.Fatalf("backward, line %d: got %v, expected %v", i, at, want[i])
		}
		at, _ = w.Step(at, step.Line, step.Backward)
	}
	if back, ok := w.Step(calling(0, 4), step.Line, step.Backward); !ok || back != calling(0, 1) {
		t.Errorf("backward from the middle of a line: got %v, %t, expected the line's first call", back, ok)
	}
	if on, ok := w.Step(calling(0, 2), step.Line, step.Forward); !ok || on != calling(0, 5) {
		t.Errorf("forward from the middle of a line: got %v, %t, expected the next round", on, ok)
	}
}

func TestStack(t *testing.T) {
	w := step.Walker{Tree: request()}
	for _, test := range []struct {
		at   step.Position
		want []step.Frame
	}{
		{entered(0), []step.Frame{{0, 10}}},
		{calling(1, 2), []step.Frame{{1, 21}, {0, 12}}},
		{entered(2), []step.Frame{{2, 30}, {1, 21}, {0, 12}}},
		{returning(3), []step.Frame{{3, 0}, {0, 14}}},
	} {
		if got := w.Stack(test.at); !reflect.DeepEqual(got, test.want) {
			t.Errorf("Stack(%v) = %v, expected %v", test.at, got, test.want)
		}
	}
}

func TestReturned(t *testing.T) {
	w := step.Walker{Tree: request()}
	if call, ok := w.Returned(calling(0, 3)); !ok || call != 1 {
		t.Errorf("Returned before the call of store = %d, %t, expected call 1, read", call, ok)
	}
	if _, ok := w.Returned(entered(3)); ok {
		t.Error("Returned at the entry of store: ok = true, expected false")
	}
}

func TestFind(t *testing.T) {
	w := step.Walker{Tree: request()}
	store := func(p step.Position) bool {
		return p.Kind == step.Entered && w.Tree.Call(p.Call).Function == "store"
	}
	if p, ok := w.Find(w.First(), step.Forward, store); !ok || p != entered(3) {
		t.Errorf("Find forward = %v, %t, expected the entry of store", p, ok)
	}
	if p, ok := w.Find(w.Last(), step.Backward, store); !ok || p != entered(3) {
		t.Errorf("Find backward = %v, %t, expected the entry of store", p, ok)
	}
	if p, ok := w.Find(entered(3), step.Forward, store); ok || p != w.Last() {
		t.Errorf("Find after the only entry of store = %v, %t, expected the last position and false", p, ok)
	}
}

// TestStackEndsAtAHandoff checks that a call that took the event of a write from a queue is the
// last on its stack, because no function called it.
func TestStackEndsAtAHandoff(t *testing.T) {
	tree := request()
	tree.Call(3).SetHandoff(trace.HandoffWatch, 7)
	w := step.Walker{Tree: tree}
	if got := w.Stack(entered(3)); len(got) != 1 || got[0].Call != 3 {
		t.Errorf("the stack of the call that took the event is %v, expected only call 3", got)
	}
	if got := w.Stack(entered(2)); len(got) != 3 {
		t.Errorf("the stack of another call is %v, expected 3 frames", got)
	}
}
