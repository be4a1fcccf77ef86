package collect

import (
	"cmp"
	"context"
	"slices"

	"github.com/kubeapitrace/apitrace/instrument/probe"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// addTails adds what followed the request's writes: the event of each on its way from
// etcd's watch to the clients that watch. It is found by the revision that the write
// has got, hangs below the first call of the request, and goes on after the answer.
func addTails(ctx context.Context, sockets map[string]string, r *trace.Request, secrets string) error {
	for _, revision := range r.Revisions() {
		for _, process := range inOrder(sockets) {
			if process == trace.ProcessEtcd {
				continue // it has no watch of its own; what it tells its watchers is part of the request
			}
			answer, err := query(ctx, sockets[process], settled(probe.Query{Revision: revision, Secrets: secrets}))
			if err != nil {
				return message.Errorf("asking the probe of %s what followed revision %d: %w", process, revision, err)
			}
			addTail(r, process, revision, answer.records)
		}
	}
	return nil
}

// addTail puts a tail below the first call of the request. A stage of the event's way goes
// below the last one before it: that is where it was put into the queue.
func addTail(r *trace.Request, process string, revision int64, records []probe.Record) {
	first := firstCall(r)
	slices.SortStableFunc(records, func(a, b probe.Record) int { return cmp.Compare(a.Start, b.Start) })
	var stages []probe.Record
	for _, record := range records {
		c := call{process, record}
		t := c.inTrace(r.Start)
		if record.Stage > 0 {
			t.Parent = first
			for _, s := range slices.Backward(stages) {
				if s.Stage < record.Stage {
					t.Parent = s.ID
					break
				}
			}
			stages = append(stages, record)
			t.SetHandoff(trace.HandoffWatch, revision)
		}
		r.Calls = append(r.Calls, t)
	}
}

func firstCall(r *trace.Request) string {
	for _, c := range r.Calls {
		if c.Parent == "" {
			return c.ID
		}
	}
	return ""
}
