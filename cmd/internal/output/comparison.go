package output

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/session/checkout"
	"github.com/kubeapitrace/apitrace/session/sides"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/view"
)

// DiffFormats are the output formats of differences.
var DiffFormats = []string{"tree", "names", "json", "markdown", "html"}

// completeDiffFormats are the formats without a view. A filter does not change them.
var completeDiffFormats = []string{"names", "json", "html"}

// Diff sets how differences are printed.
type Diff struct {
	// Format is one of DiffFormats.
	Format string
	// SideBySide draws both trees next to each other.
	SideBySide bool
	// Links writes below each change the links to its code upstream and to the diff of
	// the file.
	Links bool
	// Times also compares the times of calls.
	Times bool
	// GoesOn is set by a command that continues after Write, because a pager would
	// block it.
	GoesOn bool
	// HTML writes a comparison as a page, for the format "html". lang is the page's
	// initial language.
	HTML func(w io.Writer, c *diff.Comparison, options render.DiffOptions, lang string) error
	View Options
}

// Validate checks the options before any work begins.
func (o *Diff) Validate() error {
	if !slices.Contains(DiffFormats, o.Format) {
		return message.UsageErrorf("unknown output %q: expected one of %s", o.Format, message.List(DiffFormats))
	}
	if o.View.View == "story" {
		return message.UsageErrorf("--view story is of one recording: to compare, choose another view")
	}
	return o.View.ValidateView()
}

// Comparison returns the options of the comparison.
func (o *Diff) Comparison() diff.Options { return diff.Options{Times: o.Times} }

// WriteFirst prints the first recording, before there is another to compare it with, if
// Format is "tree" or "names".
func (o *Diff) WriteFirst(ctx context.Context, std *console.Streams, recording *trace.Recording) error {
	first := o.View
	if first.Format, first.NoPager = o.Format, true; !slices.Contains([]string{"tree", "names"}, first.Format) {
		return nil
	}
	return first.Write(ctx, std, recording)
}

// Write prints the differences of each step and reports whether all sides are the same.
// In a terminal it uses a pager.
func (o *Diff) Write(ctx context.Context, std *console.Streams, steps iter.Seq2[sides.Compared, error], summaryOnly bool) (same bool, err error) {
	if o.Format == "html" && std.Width > 0 {
		return false, htmlInTerminal()
	}
	if slices.Contains(completeDiffFormats, o.Format) && o.View.selects() {
		std.Notice("-o %s is always complete: views, --depth and filters are for the tree and for -o markdown", o.Format)
	}
	guide, err := instrument.Load()
	if err != nil {
		return false, err
	}
	drawing, err := o.View.drawing(std, guide, nil)
	if err != nil {
		return false, err
	}
	options := render.DiffOptions{
		ComparisonOptions: view.ComparisonOptions{
			Options: drawing.Options, SideBySide: o.SideBySide, Links: o.Links, Times: o.Times, Places: o.Format == "markdown",
			SummaryOnly: summaryOnly || o.View.View == "outline",
		},
		Layout: drawing.Layout,
	}
	if o.Format == "tree" && !options.SummaryOnly {
		explainSigns(std, &options.Layout)
	}
	same = true
	isFirst := true
	wait := func() error { return nil }
	defer func() { err = errors.Join(err, wait()) }()
	for step, err := range steps {
		if err != nil {
			return false, err
		}
		if isFirst { // the pager starts only now: loading the first step may have printed notices
			std, wait = std.Paged(!o.View.NoPager && !o.GoesOn)
		}
		// A side's name may be a scenario from elsewhere, so it is escaped.
		options.NameA, options.NameB = text.Escape(step.NameA), text.Escape(step.NameB)
		options.LiveA, options.LiveB = step.LiveA, step.LiveB
		options.CommittedA, options.CommittedB = step.CheckoutA.Committed, step.CheckoutB.Committed
		if options.Remarks, err = checkout.OnPath(ctx, &step); err != nil {
			return false, err
		}
		if err := o.writeStep(std, step, isFirst, guide.ForReader(drawing.Lang, step.A, step.B), options); err != nil {
			return false, err
		}
		same, isFirst = same && step.Same(), false
	}
	return same, nil
}

func (o *Diff) writeStep(std *console.Streams, step sides.Compared, isFirst bool, guide view.Guide, options render.DiffOptions) error {
	switch o.Format {
	case "names":
		return render.WriteDiffNames(std.Out, step.Comparison)
	case "json":
		return render.WriteDiffJSON(std.Out, step.Comparison, guide, options)
	case "html":
		return o.HTML(std.Out, step.Comparison, options, o.View.Lang)
	}
	comparer, err := view.NewComparer(step.Comparison, guide, options.ComparisonOptions)
	if err != nil {
		return err
	}
	if !isFirst {
		fmt.Fprintln(std.Out)
	}
	if o.Format == "markdown" {
		fmt.Fprintf(std.Out, "### %s\n\n", render.InMarkdown(step.Heading(options.ASCII, std.Printer)))
		return render.WriteDiffMarkdown(std.Out, comparer.All(), options)
	}
	fmt.Fprintln(std.Out, options.Palette.Request.Render(text.Escape(step.Heading(options.ASCII, std.Printer))))
	return render.WriteDiff(std.Out, comparer.All(), options)
}
