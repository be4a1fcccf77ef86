package workshop

import (
	"strings"

	"github.com/kubeapitrace/apitrace/apiserver/fault"
)

// showPatch appends a fault's patch to the debrief of its exercise.
func (e *Exercise) showPatch() error {
	f, err := fault.Find(e.Scenario)
	if err != nil || f == nil {
		return err
	}
	block := "\n\n```diff\n" + strings.TrimRight(f.Diff, "\n") + "\n```\n"
	e.Debrief.En = strings.TrimRight(e.Debrief.En, "\n") + block
	e.Debrief.Zh = strings.TrimRight(e.Debrief.Zh, "\n") + block
	return nil
}
