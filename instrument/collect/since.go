package collect

import (
	"slices"
	"time"
)

// since selects of the calls of a program those that began or returned after a time, and all calls that led to
// them, which are still under way or have returned. What only goes on is left out.
func since(all []call, from time.Time) []call {
	byID := map[string]*call{}
	for i := range all {
		byID[all[i].ID] = &all[i]
	}
	after, wanted := from.UnixNano(), map[string]bool{}
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
