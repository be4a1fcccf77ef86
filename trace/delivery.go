package trace

import "time"

// A Delivery is a call in another request of the recording, a watch, that handled the event of one
// of a request's writes on the way to the watch's client.
type Delivery struct {
	// Request is the index of the watch in Recording.Requests, Call that of the call in it.
	Request, Call int
	// Revision is that of the write.
	Revision int64
	// AfterNs is the time from the start of the write in etcd to the start of the call, in nanoseconds.
	AfterNs int64
}

// Deliveries returns where the events of request i's writes went out to clients whose watches
// are in the same recording, in the order of the requests and their calls.
func (rec *Recording) Deliveries(i int) []Delivery {
	var all []Delivery
	for _, revision := range rec.Requests[i].Revisions() {
		r := &rec.Requests[i]
		write := r.Start.Add(time.Duration(r.writeOf(revision).StartNs))
		for j := range rec.Requests {
			if j != i {
				all = append(all, rec.Requests[j].took(revision, j, write)...)
			}
		}
	}
	return all
}

// took finds the request's calls that handed on the event of a revision.
func (r *Request) took(revision int64, index int, write time.Time) []Delivery {
	var all []Delivery
	for i := range r.Calls {
		c := &r.Calls[i]
		if c.Attributes[AttrWatchEvent] != "" && c.Attributes[AttrHandoff] == "" && c.revision() == revision {
			all = append(all, Delivery{Request: index, Call: i, Revision: revision, AfterNs: max(r.Start.Add(time.Duration(c.StartNs)).Sub(write).Nanoseconds(), 0)})
		}
	}
	return all
}
