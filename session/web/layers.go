package web

import (
	"cmp"
	"slices"

	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/render/view"
	"github.com/kubeapitrace/apitrace/trace"
)

// listLayers lists the layers that a request passes, by process. It leaves out upstream's own tracing, which is everywhere.
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
		}
		l, own := &list.Items[at], t.tree.SelfNs(i)
		l.Calls++
		l.OwnNs += own
		if own > t.tree.SelfNs(l.Longest) || l.Calls == 1 {
			l.Longest = i
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

// longest ranks the functions of a request by the time in which their calls ran without a call that they made.
func (t *traced) longest() []LongFunction {
	type identity struct{ process, function string }
	index := map[identity]int{}
	all := []LongFunction{}
	for i := range t.tree.Len() {
		c := t.tree.Call(i)
		if view.Upstream(c) {
			continue
		}
		at, known := index[identity{c.Process, c.Function}]
		if !known {
			at = len(all)
			index[identity{c.Process, c.Function}] = at
			layer := t.guide.Layer(c.Function)
			all = append(all, LongFunction{Function: c.Function, Name: c.ShortName(), Process: c.Process, Layer: layer, Colour: view.LayerColour(layer), Longest: i})
		}
		f, own := &all[at], t.tree.SelfNs(i)
		f.Calls++
		f.OwnNs += own
		if own > t.tree.SelfNs(f.Longest) {
			f.Longest = i
		}
	}
	slices.SortStableFunc(all, func(a, b LongFunction) int { return cmp.Compare(b.OwnNs, a.OwnNs) })
	return all[:min(len(all), mostLongest)]
}
