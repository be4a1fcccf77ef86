package collect

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kubeapitrace/apitrace/trace"
)

// caused holds the consequences of requests.
type caused struct {
	// calls are in order of time. A call's parent is its first cause that requests caused,
	// and so are its further causes.
	calls   []trace.Call
	byID    map[string]*trace.Call
	clients map[string]bool
	// writes are the calls in etcd that made the writes, by revision.
	writes  map[int64]trace.Cause
	start   time.Time
	pending []trace.Pending
}

// reachable selects the calls that the requests caused. A chain belongs to them if they or
// a request that they caused wrote its event's revision. Work belongs to them if one of its
// causes does.
func (all *everything) reachable(traceID string, requests []trace.Request) *caused {
	c := &caused{byID: map[string]*trace.Call{}, clients: all.clients, writes: map[int64]trace.Cause{}}
	if len(all.calls) == 0 {
		return c
	}
	c.start = time.Unix(0, slices.MinFunc(all.calls, func(a, b call) int { return cmp.Compare(a.Start, b.Start) }).Start)
	calls := make([]trace.Call, len(all.calls))
	known, below, chains := map[string]*trace.Call{}, map[string][]*trace.Call{}, map[int64][]*trace.Call{}
	for i := range all.calls {
		calls[i] = all.calls[i].inTrace(c.start)
		known[calls[i].ID] = &calls[i]
	}
	for i := range calls {
		call := &calls[i]
		if revision := call.Event(); revision != 0 && all.clients[call.Process] {
			chains[revision] = append(chains[revision], call)
		}
		for _, cause := range append([]string{call.Parent}, call.Causes()...) {
			below[cause] = append(below[cause], call)
		}
	}
	var next []*trace.Call
	wrote := func(revision int64, by trace.Cause) {
		if _, ok := c.writes[revision]; !ok {
			c.writes[revision] = by
			next = append(next, chains[revision]...)
		}
	}
	for i := range requests {
		r := &requests[i]
		for j := range r.Calls {
			if revision := r.Calls[j].Write(); revision != 0 {
				wrote(revision, trace.Cause{TraceID: r.TraceID, Call: r.Calls[j].ID})
			}
		}
	}
	for len(next) > 0 {
		call := next[len(next)-1]
		next = next[:len(next)-1]
		if c.byID[call.ID] != nil {
			continue
		}
		c.byID[call.ID] = call
		if revision := call.Write(); revision != 0 && !all.clients[call.Process] {
			wrote(revision, trace.Cause{TraceID: traceID, Call: call.ID})
		}
		next = append(next, below[call.ID]...)
	}
	for i := range calls {
		if c.byID[calls[i].ID] != nil {
			c.chooseCause(&calls[i])
			c.calls = append(c.calls, calls[i])
		}
	}
	slices.SortStableFunc(c.calls, func(a, b trace.Call) int { return cmp.Compare(a.StartNs, b.StartNs) })
	for i := range c.calls {
		c.byID[c.calls[i].ID] = &c.calls[i]
	}
	for _, p := range all.queued {
		if c.byID[p.By] != nil {
			c.pending = append(c.pending, p)
		}
	}
	return c
}

// running reports whether a call in a client has not returned.
func (c *caused) running() bool {
	return slices.ContainsFunc(c.calls, func(call trace.Call) bool { return call.Unfinished && c.clients[call.Process] })
}

// chooseCause makes the call's first cause that the requests caused its parent.
func (c *caused) chooseCause(call *trace.Call) {
	if call.Parent == "" {
		return
	}
	causes := slices.DeleteFunc(append([]string{call.Parent}, call.Causes()...), func(id string) bool { return c.byID[id] == nil })
	call.Parent = causes[0]
	if len(causes) > 1 {
		call.Attributes[trace.AttrCauses] = strings.Join(causes[1:], " ")
	} else {
		delete(call.Attributes, trace.AttrCauses)
	}
}

// split divides the calls into events and the requests that these sent, in the order of
// their start. traceID is the trace id of all.
func (c *caused) split(traceID string) ([]trace.Request, error) {
	trees := map[string]*trace.Request{} // by the first call
	var all []*trace.Request
	of := map[string]*trace.Request{} // by each call
	for i := range c.calls {
		call := c.calls[i]
		first := c.firstOf(&call)
		t := trees[first.ID]
		if t == nil {
			t = c.begin(first, traceID)
			trees[first.ID] = t
			all = append(all, t)
		}
		of[call.ID] = t
		call.StartNs -= first.StartNs
		if call.ID == first.ID {
			call.Parent = ""
		}
		t.Calls = append(t.Calls, call)
	}
	for _, p := range c.pending {
		t := of[p.By]
		t.Pending = append(t.Pending, p)
	}
	slices.SortStableFunc(all, func(a, b *trace.Request) int { return a.Start.Compare(b.Start) })
	requests := make([]trace.Request, 0, len(all))
	for _, t := range all {
		if err := t.Sort(); err != nil {
			return nil, err
		}
		if !t.IsEvent() {
			t.Status = statusOf(t)
		}
		requests = append(requests, *t)
	}
	return requests, nil
}

// begin begins an event or a request, without its calls.
func (c *caused) begin(first *trace.Call, traceID string) *trace.Request {
	t := &trace.Request{TraceID: traceID, Start: c.start.Add(time.Duration(first.StartNs))}
	if c.clients[first.Process] {
		a := first.Attributes
		t.Method = trace.MethodEvent
		t.Path = trace.KeepableText(trace.EventPath(first.Process, a[trace.AttrWatchEvent], a[trace.AttrObjectType], a[trace.AttrNamespace], a[trace.AttrObjectName]))
		t.Cause = c.writes[first.Event()]
		return t
	}
	sender := c.byID[first.Parent]
	t.Method, t.Path = sender.Attributes[attrMethod], trace.KeepablePath(sender.Attributes[attrPath])
	t.Cause = trace.Cause{TraceID: traceID, Call: sender.ID}
	return t
}

// The attributes of a call that sends a request.
const (
	attrMethod = "http.request.method"
	attrPath   = "url.path"
)

// firstOf returns the first call of a call's event or request.
func (c *caused) firstOf(call *trace.Call) *trace.Call {
	first := c.byID[call.ID]
	for first.Parent != "" {
		parent := c.byID[first.Parent]
		if c.clients[parent.Process] && !c.clients[first.Process] {
			break // a client sent the request
		}
		first = parent
	}
	return first
}

// statusOf returns the status of the answer to a request, or 0 if no call noted it.
func statusOf(r *trace.Request) int {
	for i := range r.Calls {
		if status := r.Calls[i].Status(); status != 0 {
			return status
		}
	}
	return 0
}
