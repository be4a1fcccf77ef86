package view

import (
	"cmp"
	"slices"

	"github.com/kubeapitrace/apitrace/trace"
)

// A ProgramTime is a program of a request with its calls.
type ProgramTime struct {
	Process string
	Calls   int
	// TotalNs is the time in which a call that another program, or none, made ran in the
	// program. Calls that ran at the same time count once. Calls that had not returned do
	// not count.
	TotalNs int64
}

// programTimes returns the programs of a request in order of entry.
func programTimes(tree *trace.Tree) []ProgramTime {
	var all []ProgramTime
	entered := map[string][]*trace.Call{}
	for i := range tree.Len() {
		call := tree.Call(i)
		at := slices.IndexFunc(all, func(p ProgramTime) bool { return p.Process == call.Process })
		if at < 0 {
			at = len(all)
			all = append(all, ProgramTime{Process: call.Process})
		}
		all[at].Calls++
		if above := tree.Parent(i); !call.Unfinished && (above < 0 || tree.Call(above).Process != call.Process) {
			entered[call.Process] = append(entered[call.Process], call)
		}
	}
	for i := range all {
		all[i].TotalNs = together(entered[all[i].Process])
	}
	return all
}

// together returns the time in which at least one of the calls ran.
func together(calls []*trace.Call) (sum int64) {
	slices.SortFunc(calls, func(a, b *trace.Call) int { return cmp.Compare(a.StartNs, b.StartNs) })
	end := int64(0)
	for i, c := range calls {
		if i == 0 || c.StartNs > end {
			end = c.StartNs
		}
		if ends := c.StartNs + c.DurationNs; ends > end {
			sum, end = sum+ends-end, ends
		}
	}
	return sum
}
