package trace

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestDeliveries(t *testing.T) {
	at := time.Unix(1000, 0)
	request := func(id string, start time.Time, attributes ...map[string]string) Request {
		r := Request{TraceID: strings.Repeat(id, 32), Method: "GET", Path: "/", Start: start}
		for i, a := range attributes {
			r.Calls = append(r.Calls, Call{StartNs: int64(i) * 10, Attributes: a})
		}
		return r
	}
	event := map[string]string{AttrWatchEvent: "ADDED", AttrEtcdRevision: "7"}
	rec := Recording{Requests: []Request{
		request("a", at, nil, map[string]string{AttrWatchEvent: "ADDED", AttrEtcdRevision: "6"}, event),
		// Etcd's calls have the revision, too. The last call is the write's own, not a watch's.
		request("b", at.Add(5), nil, map[string]string{AttrEtcdTxnSucceeded: "true", AttrEtcdRevision: "7"}, map[string]string{AttrEtcdRevision: "7"},
			map[string]string{AttrWatchEvent: "ADDED", AttrEtcdRevision: "7", AttrHandoff: HandoffWatch}),
		request("c", at, map[string]string{AttrEtcdRevision: "7"}),
	}}
	if got, want := rec.Deliveries(1), []Delivery{{Request: 0, Call: 2, Revision: 7, AfterNs: 5}}; !slices.Equal(got, want) {
		t.Errorf("Deliveries(1) = %+v, expected %+v", got, want)
	}
	if got := rec.Deliveries(0); got != nil {
		t.Errorf("Deliveries(0) = %+v, expected none, because request 0 is a watch and writes nothing", got)
	}
}
