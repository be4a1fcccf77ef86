package output

import (
	"context"
	"slices"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session/checkout"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// AffectedFormats are the output formats of Affected.
var AffectedFormats = []string{"text", "names"}

// Affected sets how to print the scenarios of a change.
type Affected struct {
	// Format is one of AffectedFormats.
	Format string
	// Release is the recordings' release; "" is the checkout's.
	Release string
	Lang    string
}

// Write prints the scenarios with functions that differ between two checkouts.
func (o *Affected) Write(ctx context.Context, std *console.Streams, before, after checkout.Checkout) error {
	if !slices.Contains(AffectedFormats, o.Format) {
		return message.UsageErrorf("unknown output %q: expected one of %s", o.Format, message.List(AffectedFormats))
	}
	release, err := o.release(ctx, std, before)
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

// release returns the recorded release for a checkout. It has the minor version of the
// checkout's nearest tag or, without tags, of its source. If no such release is recorded,
// release returns the newest recorded release.
func (o *Affected) release(ctx context.Context, std *console.Streams, c checkout.Checkout) (string, error) {
	if o.Release != "" {
		return recordings.Resolve(o.Release)
	}
	nearest := c.Release(ctx)
	if nearest == "" {
		found, file, err := c.SourceRelease(ctx)
		if err != nil {
			std.Notice("%v; the newest recordings are used", err)
		} else {
			std.Notice("no tag of a release is known there, as in a shallow clone: the source is nearest to %s, according to %s", found, file)
		}
		nearest = found
	}
	if release, err := recordings.Resolve(semver.MajorMinor(nearest)); err == nil {
		return release, nil
	}
	return recordings.Resolve(recordings.Latest)
}
