package sides

import (
	"time"

	"github.com/kubeapitrace/apitrace/trace"
)

// Heading names both sides, and says of those that were replayed just now that they are live.
func (c *Compared) Heading(ascii bool) string {
	scenario, versions := c.A.Scenario, c.side(c.A, c.LiveA)
	if c.B.Scenario != scenario {
		scenario += " | " + c.B.Scenario
	}
	if b := c.side(c.B, c.LiveB); b != versions {
		arrow := "→"
		if ascii {
			arrow = "->"
		}
		versions += " " + arrow + " " + b
	}
	return scenario + ": kube-apiserver " + versions
}

// side tells the versions of one side, and where one of both was replayed, when it was made.
func (c *Compared) side(rec *trace.Recording, live bool) string {
	text := rec.K8sVersion + ", etcd " + rec.EtcdVersion
	switch {
	case live:
		text += " (live)"
	case c.LiveA || c.LiveB:
		text += " (recorded " + rec.Recorded.Format(time.DateOnly) + ")"
	}
	return text
}
