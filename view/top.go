package view

import (
	"cmp"
	"slices"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// A TopOrder is an order of the rows of a Top.
type TopOrder string

// The orders, the largest first.
const (
	// TopOwn sorts by TopFunction.OwnNs.
	TopOwn TopOrder = "own"
	// TopTotal sorts by TopFunction.TotalNs.
	TopTotal TopOrder = "total"
	// TopCalls sorts by TopFunction.Calls.
	TopCalls TopOrder = "calls"
	// TopLayer has a row for each layer of a program, sorted by TopFunction.OwnNs.
	TopLayer TopOrder = "layer"
)

// TopOrders lists the orders.
var TopOrders = []string{string(TopOwn), string(TopTotal), string(TopCalls), string(TopLayer)}

// A Top is a flat table of the functions that a request called, and their times.
type Top struct {
	// Request and Facts are the heading, as in Trace.
	Request, Facts string
	// OwnNs is the sum of the own times of all calls, also of those that no row has.
	OwnNs int64
	// DurationNs is the duration of the request's first call.
	DurationNs int64
	// Functions are the rows in the chosen order. Layers is set if they are layers.
	Functions []TopFunction
	Layers    bool
	// Programs are the programs in order of entry.
	Programs []ProgramTime
	// TickNs is as in Signs.
	TickNs int64
}

// A TopFunction has the times of all selected calls of a function, or of a layer, in one
// program. Calls with only a recorded entry, unfinished calls, and upstream's own tracing do
// not count. For a layer, Function is "", Name its title, and Place the program.
type TopFunction struct {
	Function, Name, Place, Layer, Process string
	Calls                                 int
	// Longest is the index of the call with the longest own time.
	Longest int
	// OwnNs is the time in which no direct callee ran. TotalNs is the whole time. A call below
	// another call of the same function, or layer, is part of that call's total time.
	OwnNs, TotalNs int64
	// Remote is the process that answers all of the calls, or "": see trace.Tree.Remote.
	Remote string
}

// NewTops returns the tables of a recording's requests. It leaves out requests without a
// call that the filter selects. If no request has one, it returns a NoMatchError.
func NewTops(rec *trace.Recording, guide Guide, o Options, by TopOrder) ([]*Top, error) {
	var all []*Top
	none := NoMatchError{Flags: o.Filter.Flags(), Lang: o.Lang}
	for i := range rec.Requests {
		t, err := NewTrace(rec, i, guide, Options{Lang: o.Lang, ASCII: o.ASCII, Choice: Choice{Most: 1}})
		if err != nil {
			return nil, err
		}
		tree, err := trace.NewTree(&rec.Requests[i])
		if err != nil {
			return nil, message.Errorf("building the call tree of %s %s: %w", rec.Requests[i].Method, rec.Requests[i].Path, err)
		}
		top := NewTop(tree, guide, &o.Filter, by)
		top.Request, top.Facts = t.Request, t.Facts
		if none.Calls += tree.Len(); len(top.Functions) > 0 || !o.Filter.Active() {
			all = append(all, top)
		}
	}
	if len(all) == 0 && len(rec.Requests) > 0 {
		return nil, &none
	}
	return all, nil
}

// NewTop returns the table of a request, without the heading.
func NewTop(tree *trace.Tree, guide Guide, filter *Filter, by TopOrder) *Top {
	top := &Top{DurationNs: tree.Call(0).DurationNs, Programs: programTimes(tree), TickNs: tree.Request.TickNs(), Layers: by == TopLayer}
	selected := newFiltering(filter, tree, guide, ErrorPathOf(tree, guide), true)
	of := func(i int) topRow { return topRow{tree.Call(i).Process, tree.Call(i).Function} }
	if top.Layers {
		of = func(i int) topRow { return topRow{tree.Call(i).Process, guide.Layer(tree.Call(i).Function)} }
	}
	index := map[topRow]int{}
	var first []int     // the first call of each row
	var longest []int64 // the own time of each row's Longest call
	for i := range tree.Len() {
		c := tree.Call(i)
		if c.Leaf || c.Unfinished || Upstream(c) {
			continue
		}
		own := tree.SelfNs(i)
		top.OwnNs += own
		if filter.Active() && !selected.selects(i) {
			continue
		}
		at, known := index[of(i)]
		if !known {
			at = len(first)
			index[of(i)] = at
			first, longest = append(first, i), append(longest, own)
			top.Functions = append(top.Functions, TopFunction{Function: c.Function, Layer: guide.Layer(c.Function), Process: c.Process, Longest: i})
		}
		f := &top.Functions[at]
		if own > longest[at] {
			f.Longest, longest[at] = i, own
		}
		f.Calls++
		f.OwnNs += own
		if remote := tree.Remote(i); f.Calls == 1 {
			f.Remote = remote
		} else if f.Remote != remote {
			f.Remote = ""
		}
		if !belowItself(tree, i, of) {
			f.TotalNs += c.DurationNs
		}
	}
	names := newNames(&View{Tree: tree, Root: &Node{Calls: first}})
	for at, i := range first {
		f := &top.Functions[at]
		f.Name, f.Place = names.Of(tree.Call(i)), names.Place(tree.Call(i))
		if top.Layers {
			f.Function, f.Name, f.Place = "", guide.Title(f.Layer), f.Process
		}
	}
	slices.SortStableFunc(top.Functions, func(a, b TopFunction) int {
		byOwn, byTotal := cmp.Compare(b.OwnNs, a.OwnNs), cmp.Compare(b.TotalNs, a.TotalNs)
		switch by {
		case TopTotal:
			return cmp.Or(byTotal, byOwn)
		case TopCalls:
			return cmp.Or(cmp.Compare(b.Calls, a.Calls), byOwn)
		}
		return cmp.Or(byOwn, byTotal)
	})
	return top
}

// A topRow identifies a row: a program with the full name of a function, or with a layer.
type topRow struct{ process, what string }

// belowItself reports whether call i is below another call of its row.
func belowItself(tree *trace.Tree, i int, of func(call int) topRow) bool {
	for above := tree.Parent(i); above >= 0; above = tree.Parent(above) {
		if of(above) == of(i) {
			return true
		}
	}
	return false
}
