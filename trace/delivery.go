package trace

import "time"

// A Delivery is a call that handled an event on its way to the client of a watch. A
// write of another request of the recording caused the event. The call is one of the
// watch's calls.
type Delivery struct {
	// Request is the watch's index in Recording.Requests. Call is the call's index in
	// this request.
	Request, Call int
	// Revision is the revision of the write.
	Revision int64
	// AfterNs is the time in nanoseconds from the start of the write in etcd to the
	// start of the call, or 0 if the call began earlier.
	AfterNs int64
}

// Deliveries returns the deliveries of request i's writes to watching clients in the same
// recording, in the order of the revisions, then of the requests and their calls.
func (rec *Recording) Deliveries(i int) []Delivery {
	var all []Delivery
	for _, revision := range rec.Requests[i].Revisions() {
		r := &rec.Requests[i]
		write := r.Start.Add(time.Duration(r.writeOf(revision).StartNs))
		for j := range rec.Requests {
			if j != i {
				all = append(all, rec.Requests[j].deliveriesOf(revision, j, write)...)
			}
		}
	}
	return all
}

// deliveriesOf returns the request's calls that handled the event of a revision. index is
// the request's index in the recording. write is the start of the write in etcd.
func (r *Request) deliveriesOf(revision int64, index int, write time.Time) []Delivery {
	var all []Delivery
	for i := range r.Calls {
		c := &r.Calls[i]
		if c.Attributes[AttrWatchEvent] != "" && c.Attributes[AttrHandoff] == "" && c.revision() == revision {
			all = append(all, Delivery{Request: index, Call: i, Revision: revision, AfterNs: max(r.Start.Add(time.Duration(c.StartNs)).Sub(write).Nanoseconds(), 0)})
		}
	}
	return all
}
