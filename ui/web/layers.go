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

// ownNs returns the own time of call i: how long it ran while none of its direct
// callees ran. An unfinished call has no own time, because it may only have waited
// until the trace was collected.
func (t *tracedRequest) ownNs(i int) int64 {
	if t.tree.Call(i).Unfinished {
		return 0
	}
	return t.tree.SelfNs(i)
}

// longest ranks the functions of a request by the sum of their calls' own times.
func (t *tracedRequest) longest() []LongFunction {
	all := []LongFunction{}
	for _, f := range view.NewTop(t.tree, t.guide, &view.Filter{}, view.TopOwn).Functions {
		if len(all) == mostLongest {
			break
		}
		all = append(all, LongFunction{
			Function: f.Function, Name: t.tree.Call(f.Longest).ShortName(), Process: f.Process, Layer: f.Layer, Colour: view.LayerColour(f.Layer),
			Longest: f.Longest, Calls: f.Calls, OwnNs: f.OwnNs, Remote: f.Remote,
		})
	}
	return all
}
