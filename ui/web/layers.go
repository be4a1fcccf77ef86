package web

import (
	"cmp"
	"slices"

	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
)

// listLayers lists the layers that a request passes, by process. It
// leaves out upstream's own tracing, because its calls are everywhere.
func (a *api) listLayers(r *restful.Request) (any, error) {
	t, err := a.tracedOf(r)
	if err != nil {
		return nil, err
	}
	guide, err := instrument.Load()
	if err != nil {
		return nil, err
	}
	var processes []string
	list := LayerList{Items: []Layer{}}
	var longest []int64 // own time of each item's Longest call, kept because it is slow to compute
	for i := range t.tree.Len() {
		c := t.tree.Call(i)
		layer := t.guide.Layer(c.Function)
		if layer == "" || layer == trace.LayerUpstreamTracing {
			continue
		}
		if !slices.Contains(processes, c.Process) {
			processes = append(processes, c.Process)
		}
		at := slices.IndexFunc(list.Items, func(l Layer) bool { return l.Layer == layer && l.Process == c.Process })
		if at < 0 {
			at = len(list.Items)
			list.Items = append(list.Items, Layer{Layer: layer, Title: t.guide.Title(layer), Colour: view.LayerColour(layer), Process: c.Process, First: i})
			longest = append(longest, 0)
		}
		l, own := &list.Items[at], t.ownNs(i)
		l.Calls++
		l.OwnNs += own
		if own > longest[at] || l.Calls == 1 {
			l.Longest, longest[at] = i, own
		}
	}
	list.Longest = t.longest()
	order := func(l Layer) int {
		return slices.IndexFunc(guide.Layers, func(known instrument.Layer) bool { return known.Name == l.Layer })
	}
	slices.SortStableFunc(list.Items, func(a, b Layer) int {
		return cmp.Or(slices.Index(processes, a.Process)-slices.Index(processes, b.Process), order(a)-order(b))
	})
	return list, nil
}

// mostLongest is the maximum number of functions in a ranking.
const mostLongest = 30

// ownNs returns the own time of call i: how long it ran while none of its callees
// ran. An unfinished call has no own time, because it may only have waited until
// the trace was collected.
func (t *tracedRequest) ownNs(i int) int64 {
	if t.tree.Call(i).Unfinished {
		return 0
	}
	return t.tree.SelfNs(i)
}

// longest ranks the functions of a request by the sum of their
// calls' own times, the longest first. It leaves out calls with only
// a recorded entry, unfinished calls, and upstream's own tracing.
func (t *tracedRequest) longest() []LongFunction {
	type identity struct{ process, function string }
	index := map[identity]int{}
	all := []LongFunction{}
	var longest []int64 // own time of each function's Longest call
	for i := range t.tree.Len() {
		c := t.tree.Call(i)
		if c.Leaf || c.Unfinished || view.Upstream(c) {
			continue
		}
		at, known := index[identity{c.Process, c.Function}]
		if !known {
			at = len(all)
			index[identity{c.Process, c.Function}] = at
			layer := t.guide.Layer(c.Function)
			all = append(all, LongFunction{Function: c.Function, Name: c.ShortName(), Process: c.Process, Layer: layer, Colour: view.LayerColour(layer)})
			longest = append(longest, 0)
		}
		f, own := &all[at], t.ownNs(i)
		f.Calls++
		f.OwnNs += own
		if remote := t.tree.Remote(i); f.Calls == 1 {
			f.Remote = remote
		} else if f.Remote != remote {
			f.Remote = ""
		}
		if own > longest[at] || f.Calls == 1 {
			f.Longest, longest[at] = i, own
		}
	}
	slices.SortStableFunc(all, func(a, b LongFunction) int { return cmp.Compare(b.OwnNs, a.OwnNs) })
	return all[:min(len(all), mostLongest)]
}
