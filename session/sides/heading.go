package sides

import (
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// Heading names both sides in the printer's language. A side that was just replayed
// is marked as live.
func (c *Compared) Heading(ascii bool, p message.Printer) string {
	scenario, versions := c.A.Scenario, c.side(c.A, c.CheckoutA.Name, c.LiveA, p)
	if c.B.Scenario != scenario {
		scenario += " | " + c.B.Scenario
	}
	if b := c.side(c.B, c.CheckoutB.Name, c.LiveB, p); b != versions {
		arrow := "→"
		if ascii {
			arrow = "->"
		}
		versions += " " + arrow + " " + b
	}
	return p.Sprintf("%s: kube-apiserver %s", scenario, versions)
}

// side returns the versions of one side, after the checkout's name if the side is a
// checkout. If one of the two sides was replayed, side adds when this side was made.
func (c *Compared) side(rec *trace.Recording, checkout string, live bool, p message.Printer) string {
	version := rec.K8sVersion
	if checkout != "" {
		version = p.Sprintf("%s (%s)", checkout, version)
	}
	text := p.Sprintf("%s, etcd %s", version, rec.EtcdVersion)
	switch {
	case live:
		return p.Sprintf("%s (live)", text)
	case c.LiveA || c.LiveB:
		return p.Sprintf("%s (recorded %s)", text, rec.Recorded.Format(time.DateOnly))
	}
	return text
}
