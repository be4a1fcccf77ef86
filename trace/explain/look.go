// Package explain describes one function: the guide's note, its place, and its callers,
// callees and values in recordings.
//
// Packages diff and history compare releases.
package explain

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// An Activity is a function's activity in one request.
type Activity struct {
	// Scenario, Method, Path and Status identify the request. Request is its number in the
	// recording, from 1.
	Scenario, Method, Path string
	Status, Request        int
	// Calls counts the function's calls. Ns is their total time in nanoseconds, SelfNs
	// without their callees. In Ns, the time of a call below another call of the function
	// counts twice.
	Calls      int
	Ns, SelfNs int64
	// Untimed counts the calls of which only the entry is recorded; see trace.Call.Leaf.
	// For a function that calls nothing, it counts all calls.
	Untimed int
	// Callers and Callees are in order of their first call.
	Callers, Callees []Neighbour
	// Values are sorted by name.
	Values []Value
	// Errors lists, once each, the errors that the function returned, and the places of
	// panics through it.
	Errors []string
}

// A Neighbour is a caller or a callee.
type Neighbour struct {
	// Function is the neighbour's full name.
	Function string
	// File and Line are the call's place in the caller. Line is 0 if unknown.
	File string
	Line int
	// Calls counts the calls between the two.
	Calls int
	// NewGoroutine is set if the callee ran on a goroutine that the caller started.
	// Handoff is the queue that another goroutine took the work from, or "".
	NewGoroutine bool
	Handoff      string
	// Indirect is set if code in between makes the call, not the caller's text,
	// according to the index of the sources.
	Indirect bool
	// Through is the package of that code. Program is the neighbour's program if it is
	// another. Both are "" if Indirect is not set or the code is unknown.
	Through, Program string
}

// Place returns the call's place, such as "store.go:235", or "" if it is unknown.
func (n *Neighbour) Place() string {
	if n.Line == 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d", path.Base(n.File), n.Line)
}

// How returns, with a comma before each part, how the call came about. It is "" for a
// plain call.
func (n *Neighbour) How(p message.Printer) string {
	how := ""
	if n.NewGoroutine {
		how += p.Sprintf(", on a new goroutine")
	}
	switch n.Handoff {
	case "":
	case trace.HandoffWatch:
		how += p.Sprintf(", not a call: the event of a write")
	default:
		how += p.Sprintf(", handed over through %s", n.Handoff)
	}
	if n.Through != "" {
		how += p.Sprintf(", through %s", n.Through)
	}
	if n.Program != "" {
		how += p.Sprintf(", in another process: %s", n.Program)
	}
	return how
}

// A Value is an attribute of the function's calls.
type Value struct {
	Name string
	// Seen are the different values, in order of their first call.
	Seen []string
}

// Look returns an Activity for each request that called the function, given by its full
// name. The index of the sources says which calls are in the caller's text. For an
// edited program, or a release outside of the index, Look assumes that all are.
func Look(function string, of []*trace.Recording) ([]Activity, error) {
	var all []Activity
	for _, rec := range of {
		code, err := recordings.CodeOf(rec.K8sVersion)
		if err != nil {
			return nil, err
		}
		if len(rec.Edited) > 0 {
			code = nil // an edited program is not upstream's
		}
		for i := range rec.Requests {
			tree, err := trace.NewTree(&rec.Requests[i])
			if err != nil {
				return nil, err
			}
			if s := activityIn(function, tree, code); s.Calls > 0 {
				s.Scenario, s.Request = rec.Scenario, i+1
				all = append(all, s)
			}
		}
	}
	return all, nil
}

// An Overview is a function's activity in many requests.
type Overview struct {
	// Requests counts the requests that called it.
	Requests int
	// Scenarios are the scenarios that called it, in order.
	Scenarios []string
	// Activity sums up the activity, without what identifies a request. Its
	// callers and callees are sorted, the most frequent first.
	Activity Activity
}

// Spanless lists the calls in a function's text that call functions without a span.
// line is the function's line in file.
func Spanless(code *recordings.Code, program, function, file string, line int) []Neighbour {
	var all []Neighbour
	for _, c := range code.Spanless(program, function) {
		all = addNeighbour(all, Neighbour{Function: c.Name, File: file, Line: line + c.Line, Calls: 1})
	}
	return all
}

// Merge makes an overview of activities.
func Merge(all []Activity) Overview {
	o := Overview{Requests: len(all)}
	values := map[string][]string{}
	for _, s := range all {
		o.Scenarios = appendNew(o.Scenarios, s.Scenario)
		o.Activity.Calls += s.Calls
		o.Activity.Ns += s.Ns
		o.Activity.Untimed += s.Untimed
		o.Activity.SelfNs += s.SelfNs
		for _, n := range s.Callers {
			o.Activity.Callers = addNeighbour(o.Activity.Callers, n)
		}
		for _, n := range s.Callees {
			o.Activity.Callees = addNeighbour(o.Activity.Callees, n)
		}
		for _, v := range s.Values {
			for _, value := range v.Seen {
				values[v.Name] = appendNew(values[v.Name], value)
			}
		}
		for _, e := range s.Errors {
			o.Activity.Errors = appendNew(o.Activity.Errors, e)
		}
	}
	o.Activity.Values = sorted(values)
	byCalls := func(a, b Neighbour) int { return cmp.Compare(b.Calls, a.Calls) }
	slices.SortStableFunc(o.Activity.Callers, byCalls)
	slices.SortStableFunc(o.Activity.Callees, byCalls)
	return o
}

func activityIn(function string, tree *trace.Tree, code *recordings.Code) Activity {
	s := Activity{Method: tree.Request.Method, Path: tree.Request.Path, Status: tree.Request.Status}
	values := map[string][]string{}
	for i := range tree.Len() {
		call := tree.Call(i)
		if call.Function != function {
			continue
		}
		s.Calls++
		s.Ns += call.DurationNs
		if call.Leaf {
			s.Untimed++
		}
		s.SelfNs += tree.SelfNs(i)
		if p := tree.Parent(i); p >= 0 {
			s.Callers = addNeighbour(s.Callers, neighbour(code, tree, p, i, p))
		}
		for c := range tree.Children(i) {
			s.Callees = addNeighbour(s.Callees, neighbour(code, tree, c, c, i))
		}
		for name, value := range call.Attributes {
			values[name] = appendNew(values[name], value)
		}
		if call.Error != "" {
			s.Errors = appendNew(s.Errors, call.Error)
		}
		if call.Panic != "" {
			s.Errors = appendNew(s.Errors, "panic in "+call.Panic)
		}
	}
	s.Values = sorted(values)
	return s
}

// neighbour returns a neighbour of the described function. caller made the call called.
// side is the neighbour's end of this call: caller or called.
func neighbour(code *recordings.Code, tree *trace.Tree, side, called, caller int) Neighbour {
	call := tree.Call(called)
	n := Neighbour{
		Function: tree.Call(side).Function, File: tree.Call(caller).File, Line: call.CallerLine, Calls: 1,
		NewGoroutine: call.NewGoroutine, Handoff: call.Attributes[trace.AttrHandoff],
	}
	way, known := diff.WayOf(code, tree, called)
	if n.Indirect = known && way.Kind != diff.WayCalls; !n.Indirect {
		return n
	}
	switch way.Kind {
	case diff.WayThrough:
		n.Through = way.By
	case diff.WayProcess:
		n.Program = tree.Call(side).Process
	}
	return n
}

func sorted(values map[string][]string) []Value {
	var all []Value
	for _, name := range slices.Sorted(maps.Keys(values)) {
		all = append(all, Value{name, values[name]})
	}
	return all
}

// addNeighbour adds n to all. If all has an equal neighbour, it adds n's calls to that.
func addNeighbour(all []Neighbour, n Neighbour) []Neighbour {
	for i := range all {
		same := all[i]
		if same.Calls = n.Calls; same == n {
			all[i].Calls += n.Calls
			return all
		}
	}
	return append(all, n)
}

func appendNew(all []string, s string) []string {
	if slices.Contains(all, s) {
		return all
	}
	return append(all, s)
}
