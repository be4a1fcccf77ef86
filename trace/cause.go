package trace

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// MethodEvent is the Method of the calls of one program because of one event of a watch. They
// are not a request. The Path is as in EventPath.
const MethodEvent = "EVENT"

// EventPath returns the Path of an event: the program, the type of the watch event,
// and the object: "kube-scheduler ADDED Pod default/web-5d8f". typ is the object's Go type.
func EventPath(process, change, typ, namespace, name string) string {
	if namespace != "" {
		name = namespace + "/" + name
	}
	return strings.Join([]string{process, change, typ[strings.LastIndexByte(typ, '.')+1:], name}, " ")
}

// IsEvent reports whether this is an event in a program, not a request.
func (r *Request) IsEvent() bool { return r.Method == MethodEvent }

// Took returns how long a request took: the time of its first call. The first call of an event
// only takes the event from the watch, so an event took until its last call returned. A call that
// had not returned when the trace was collected does not count, unless it is the first.
func (r *Request) Took() time.Duration {
	took := r.Calls[0].DurationNs
	if r.IsEvent() {
		for i := range r.Calls {
			if c := &r.Calls[i]; !c.Unfinished {
				took = max(took, c.StartNs+c.DurationNs)
			}
		}
	}
	return time.Duration(took)
}

// A Cause identifies a call of another request. Its zero value means that no call is known.
type Cause struct {
	// TraceID is the trace id of that request, and Call the ID of the call.
	TraceID string `json:"traceID"`
	Call    string `json:"call"`
}

// CausedBy returns the index of the request that caused each request, or -1 if it is not
// among them. A nil request caused nothing.
func CausedBy(requests []*Request) []int {
	causes := map[Cause]int{}
	for _, r := range requests {
		if r != nil && r.Cause != (Cause{}) {
			causes[r.Cause] = -1
		}
	}
	for i, r := range requests {
		if r == nil || len(causes) == 0 {
			continue
		}
		for j := range r.Calls {
			if cause := (Cause{r.TraceID, r.Calls[j].ID}); causes[cause] == -1 {
				causes[cause] = i
			}
		}
	}
	by := make([]int, len(requests))
	for i, r := range requests {
		by[i] = -1
		if r != nil && r.Cause != (Cause{}) {
			by[i] = causes[r.Cause]
		}
	}
	return by
}

// Resource returns the parts of the path of a request for a resource: "pods", "web-5d8f" and
// "status". A part is "" if the path does not have it.
func (r *Request) Resource() (resource, name, subresource string) {
	path, _, _ := strings.Cut(r.Path, "?")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if parts[0] == "apis" {
		parts = parts[1:]
	}
	parts = parts[min(len(parts), 2):]
	if len(parts) > 2 && parts[0] == "namespaces" && parts[2] != "status" && parts[2] != "finalize" {
		parts = parts[2:]
	}
	parts = append(parts, "", "", "")
	return parts[0], parts[1], parts[2]
}

// A Pending is work that waits for a goroutine to take it, or for a timer.
type Pending struct {
	Process string `json:"process"`
	// Queue is the name of the queue, as in AttrHandoff.
	Queue string `json:"queue"`
	// Item is the name of the work in the program, or "" if it has none.
	Item string `json:"item,omitempty"`
	// By is the ID of the call that gave the work.
	By string `json:"by"`
	// Due is when a timer passes the work on. It is zero without a timer.
	Due time.Time `json:"due,omitempty,omitzero"`
}

// Waiting returns the work that waits because of any of the requests, in the order in which
// it is due. It has work only once: the queues of Kubernetes keep the earliest timer of an item.
func Waiting(requests []Request) []Pending {
	type work struct{ process, queue, item string }
	first := map[work]Pending{}
	for i := range requests {
		for _, p := range requests[i].Pending {
			w := work{p.Process, p.Queue, p.Item}
			if known, ok := first[w]; !ok || p.Due.Before(known.Due) {
				first[w] = p
			}
		}
	}
	return slices.SortedFunc(maps.Values(first), func(a, b Pending) int {
		return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.Process, b.Process), cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.Item, b.Item))
	})
}

// Write returns the etcd revision that the call wrote as its last write, or 0. Only calls
// in etcd write.
func (c *Call) Write() int64 {
	if c.Attributes[AttrEtcdTxnSucceeded] != "true" {
		return 0
	}
	return c.revision()
}

// Event returns the revision of the write whose event begins a request with this call, or
// 0. See MethodEvent.
func (c *Call) Event() int64 {
	revision, err := strconv.ParseInt(c.Attributes[AttrEtcdRevision], 10, 64)
	if c.Parent != "" || err != nil {
		return 0
	}
	return revision
}

// Causes returns the IDs of the calls that gave the same work as the call's parent, later.
// The parent is the first cause. They may belong to other requests of the same trace.
func (c *Call) Causes() []string { return strings.Fields(c.Attributes[AttrCauses]) }

// Status returns the HTTP status that the call wrote, or 0.
func (c *Call) Status() int {
	status, _ := strconv.Atoi(c.Attributes[AttrStatusCode])
	return status
}
