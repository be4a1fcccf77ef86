package collect

import (
	"slices"
	"time"

	"github.com/kubeapitrace/apitrace/instrument/probe"
)

// changedSince returns the calls of a program that began or returned after a
// time, and all their callers, whether these have returned or not. It leaves
// out other calls, even if they are still in progress.
func changedSince(all []call, from time.Time) []call {
	byID := make(map[probe.SpanID]*call, len(all))
	for i := range all {
		byID[all[i].ID] = &all[i]
	}
	after, wanted := from.UnixNano(), map[probe.SpanID]bool{}
	for i := range all {
		if c := &all[i]; c.Start < after && (c.Unfinished || c.Start+c.Duration < after) {
			continue
		}
		for c := &all[i]; c != nil && !wanted[c.ID]; c = byID[c.Parent] {
			wanted[c.ID] = true
		}
	}
	return slices.DeleteFunc(all, func(c call) bool { return !wanted[c.ID] })
}
