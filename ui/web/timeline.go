package web

import (
	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/view"
)

// mostBoxes is the maximum number of boxes of a time
// line. Further calls are left out, in order of entry.
const mostBoxes = 20000

// leafNs is the duration that decides whether a leaf call is shown, in
// nanoseconds. Only the entry of a leaf call was recorded, so its real duration
// is not known. Leaf calls are shown if a pixel stands for at most leafNs.
const leafNs = 1000

func (a *api) getTimeline(r *restful.Request) (any, error) {
	t, err := a.tracedOf(r)
	if err != nil {
		return nil, err
	}
	out := Timeline{StartNs: number(r, "startNs", 0), EndNs: number(r, "endNs", 0), FirstNs: t.tree.Call(0).DurationNs, Lanes: []Lane{}}
	// An unfinished call does not extend the time line: the
	// calls of each process were collected at a different time.
	for i := range t.tree.Len() {
		c := t.tree.Call(i)
		end := c.StartNs + c.DurationNs
		if c.Unfinished && i > 0 {
			end = c.StartNs
		}
		out.TotalNs = max(out.TotalNs, end)
	}
	if t.tree.Call(0).Unfinished {
		out.FirstNs = out.TotalNs
	}
	if out.EndNs == 0 {
		out.EndNs = out.TotalNs
	}
	if out.EndNs < out.StartNs {
		return nil, badRequest(message.Errorf("the span ends at %d, before it begins at %d", out.EndNs, out.StartNs), message.Of("ask for endNs above startNs, or 0 for the end of the request"))
	}
	least := (out.EndNs - out.StartNs) / number(r, "pixels", 1000)
	out.lanes(t, least)
	return out, nil
}

type laneKey struct {
	process   string
	goroutine uint64
}

// lanes puts the calls on the lanes of their goroutines. It leaves
// out calls that took less than least nanoseconds. The row of a
// call is the number of calls above it on the same goroutine.
func (out *Timeline) lanes(t *tracedRequest, least int64) {
	index := map[laneKey]int{}
	rows := make([]int, t.tree.Len())
	boxes := 0
	for i := range t.tree.Len() {
		c := t.tree.Call(i)
		key := laneKey{c.Process, c.Goroutine}
		at, known := index[key]
		if !known {
			at = len(out.Lanes)
			index[key] = at
			out.Lanes = append(out.Lanes, Lane{Process: c.Process, Goroutine: c.Goroutine, After: c.StartNs > out.FirstNs, Boxes: []Box{}})
		}
		for p := t.tree.Parent(i); p >= 0; p = t.tree.Parent(p) {
			if above := t.tree.Call(p); above.Process == c.Process && above.Goroutine == c.Goroutine {
				rows[i] = rows[p] + 1
				break
			}
		}
		took := c.DurationNs
		if c.Unfinished {
			took = out.TotalNs - c.StartNs
		}
		if c.StartNs > out.EndNs || c.StartNs+took < out.StartNs {
			continue
		}
		size := took
		if c.Leaf {
			size = leafNs
		}
		if size < least || boxes >= mostBoxes {
			out.Hidden++
			continue
		}
		boxes++
		own := int64(0) // not known for an unfinished call
		if !c.Unfinished {
			own = t.tree.SelfNs(i)
		}
		lane := &out.Lanes[at]
		lane.Rows = max(lane.Rows, rows[i]+1)
		lane.Boxes = append(lane.Boxes, Box{
			Call: i, Row: rows[i], StartNs: c.StartNs, DurationNs: took, Unfinished: c.Unfinished, OwnNs: own, Name: c.ShortName(),
			Colour: view.LayerColour(t.guide.Layer(c.Function)), Leaf: c.Leaf, Failed: c.Error != "" || c.Panic != "",
		})
	}
	kept := out.Lanes[:0]
	for _, lane := range out.Lanes {
		if len(lane.Boxes) > 0 {
			kept = append(kept, lane)
		}
	}
	out.Lanes = kept
}
