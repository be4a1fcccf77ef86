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
		list.Items[at].Calls++
		list.Items[at].OwnNs += t.tree.SelfNs(i)
	}
	order := func(l Layer) int {
		return slices.IndexFunc(guide.Layers, func(known instrument.Layer) bool { return known.Name == l.Layer })
	}
	slices.SortStableFunc(list.Items, func(a, b Layer) int {
		return cmp.Or(slices.Index(processes, a.Process)-slices.Index(processes, b.Process), order(a)-order(b))
	})
	return list, nil
}
