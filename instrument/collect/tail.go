package collect

import (
	"cmp"
	"context"
	"slices"

	"github.com/kubeapitrace/apitrace/instrument/probe"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// addTails adds the calls that followed the request's writes. They carry the
// event of each write from etcd's watch to the watching clients.
//
// addTails finds them by the revision of the write. They become children of the
// request's first call, and continue after the answer.
func addTails(ctx context.Context, sockets map[string]string, r *trace.Request, secrets string) error {
	for _, revision := range r.Revisions() {
		for _, process := range inOrder(sockets, "") {
			if trace.ProcessOf(process).Store {
				continue // a store watches nothing; notifying its watchers is part of the request
			}
			answer, err := query(ctx, sockets[process], untilSettled(probe.Query{Revision: revision, Secrets: secrets}))
			if err != nil {
				return message.Errorf("asking the probe of %s what followed revision %d: %w", process, revision, err)
			}
			addTail(r, process, revision, answer.records)
		}
	}
	return nil
}

// addTail makes a tail a child of the request's first call. A stage of the
// event becomes a child of the last stage before it, which put the event into
// the queue.
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
					t.Parent = s.ID.String()
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
