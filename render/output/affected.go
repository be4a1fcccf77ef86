package output

import (
	"context"
	"slices"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/session/checkout"
	"github.com/kubeapitrace/apitrace/session/console"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// AffectedFormats are the output formats of Affected.
var AffectedFormats = []string{"text", "names"}

// Affected sets how to print the scenarios that a change affects.
type Affected struct {
	// Format is one of AffectedFormats.
	Format string
	// Release is the release of the recordings; "" selects that of the checkout.
	Release string
	Lang    string
}

// Write prints which scenarios run through the functions that differ between two checkouts.
func (o *Affected) Write(ctx context.Context, std *console.Streams, before, after checkout.Checkout) error {
	if !slices.Contains(AffectedFormats, o.Format) {
		return usage.Errorf("unknown output %q: expected one of %s", o.Format, message.List(AffectedFormats))
	}
	release, err := o.release(ctx, before)
	if err != nil {
		return err
	}
	changes, others, err := checkout.Changes(ctx, before, after)
	if err != nil {
		return err
	}
	report, err := checkout.Affected(release, changes)
	if err != nil {
		return err
	}
	report.Others = others
	std.Notice("answering from the recordings of %s; nothing is built or run, so calls that the change adds are unknown", release)
	if o.Format == "names" {
		return report.WriteNames(std.Out)
	}
	return report.Write(std.Out, std.Printer)
}

// release returns the recorded release for a checkout: that of the minor version of its nearest tag, else the newest.
func (o *Affected) release(ctx context.Context, c checkout.Checkout) (string, error) {
	if o.Release != "" {
		return recordings.Resolve(o.Release)
	}
	if release, err := recordings.Resolve(semver.MajorMinor(c.Release(ctx))); err == nil {
		return release, nil
	}
	return recordings.Resolve(recordings.Latest)
}
