// Package output prints recordings and comparisons with the format, view, filters, language
// and colours that a user chose on the command line.
//
// cmd/apitrace defines the flags. Packages render and trace/export draw.
package output

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
)

// Views are the views of a tree, the smallest first.
var Views = []string{"outline", "path", "full", "story"}

// OrderTime is the order of a story by time. Without it, each line stands below its cause.
const OrderTime = "time"

// Orders are the values of Options.Sort.
var Orders = append(slices.Clone(view.TopOrders), OrderTime)

// Options set how a recording is printed.
type Options struct {
	// Format is one of Formats, View one of Views. View "" is the story of a recording that
	// has one, else the path.
	Format string
	View   string
	// Full is the same as the view "full".
	Full bool
	// Depth cuts the tree below this many levels; 0 cuts nothing.
	Depth int
	// Upstream shows spans of upstream's own tracing. Notes explains each key step.
	Upstream bool
	Notes    bool
	// Lang is "en", "zh", or "" for the locale's language.
	Lang string
	// Width is the number of columns; 0 is $COLUMNS, or else the terminal's.
	Width int
	// Colour is auto, always or never.
	Colour  string
	ASCII   bool
	NoPager bool
	Filter  Filter
	// Sort is one of Orders, or "". OrderTime orders the lines of a story. The other orders
	// print a flat table of functions instead of a tree. Most is the maximum number of its rows;
	// 0 is all.
	Sort string
	Most int
	// HideError omits from a tree's heading the functions that made the error of a
	// failed request.
	HideError bool
	// HTML writes a recording as a page, for the format "html". lang is the page's
	// initial language.
	HTML func(w io.Writer, recording *trace.Recording, lang string) error
}

// Validate checks all options before any work begins.
func (o *Options) Validate() error {
	if !slices.Contains(Formats, o.Format) {
		return message.UsageErrorf("unknown output %q: expected one of %s", o.Format, message.List(Formats))
	}
	return o.ValidateView()
}

// ValidateView checks all options but the format.
func (o *Options) ValidateView() error {
	if o.View != "" && !slices.Contains(Views, o.View) {
		return message.UsageErrorf("unknown view %q: expected one of %s", o.View, message.List(Views))
	}
	if o.Depth < 0 || o.Width < 0 {
		return message.UsageErrorf("--depth and --width cannot be negative")
	}
	if err := o.validateOrder(); err != nil {
		return err
	}
	if o.View == "outline" && (o.Full || o.Depth > 0 || o.Upstream || o.Notes) {
		return message.UsageErrorf("--view outline shows layers instead of calls: --full, --depth, --upstream and --notes need another view")
	}
	if _, err := render.UseColour(o.Colour, false, os.Getenv); err != nil {
		return message.ToUsageError(err)
	}
	if _, err := Language(o.Lang); err != nil {
		return err
	}
	guide, err := instrument.Load()
	if err != nil {
		return err
	}
	_, err = o.Filter.parse(guide, nil)
	return err
}

// validateOrder checks Sort and Most.
func (o *Options) validateOrder() error {
	switch {
	case o.Most < 0:
		return message.UsageErrorf("--most cannot be negative")
	case o.Sort == "":
		return nil
	case !slices.Contains(Orders, o.Sort):
		return message.UsageErrorf("unknown order %q: expected --sort with one of %s", o.Sort, message.List(Orders))
	case o.Sort == OrderTime:
		return o.validateTime()
	case o.Format != "" && o.Format != "tree":
		return message.UsageErrorf("--sort prints a table for people: leave it out, because -o %s has all calls with their times", o.Format)
	case o.View != "" || o.Full || o.Depth > 0 || o.Upstream || o.Notes:
		return message.UsageErrorf("--sort prints a flat table instead of a tree: leave --view, --full, --depth, --upstream and --notes out")
	}
	return nil
}

// validateTime checks the options beside OrderTime.
func (o *Options) validateTime() error {
	switch {
	case o.Format != "" && o.Format != "tree":
		return message.UsageErrorf("--sort time prints a story for people: leave it out, because -o %s has an order of its own", o.Format)
	case o.View != "" && o.View != "story" || o.selects() || o.Full || o.Upstream || o.Notes:
		return message.UsageErrorf("--sort time orders a story, which has no calls: leave out filters, --depth, --full, --upstream, --notes, and each --view but story")
	}
	return nil
}

// Write prints the recording. In a terminal it uses a pager. The options must be valid.
func (o *Options) Write(ctx context.Context, std *console.Streams, recording *trace.Recording) (err error) {
	if o.Format == "html" && std.Width > 0 {
		return htmlInTerminal()
	}
	std, wait := std.Paged(!o.NoPager)
	defer func() { err = errors.Join(err, wait()) }()
	if o.Format != "tree" && o.Format != "names" && o.selects() {
		std.Notice("-o %s is always complete: views, --depth and filters are for the tree and for -o names", o.Format)
	}
	return formats[slices.Index(Formats, o.Format)].write(ctx, o, std, recording)
}

// selects reports whether the options select a part of the calls.
func (o *Options) selects() bool { return o.Filter.set() || o.Depth > 0 }

// htmlInTerminal returns the error for a page written to a terminal.
func htmlInTerminal() error {
	return message.UsageErrorf("-o html is a page for a browser: redirect it to a file, as in \"> trace.html\"")
}

// drawing returns the options for drawing a recording. of is as in Filter.parse.
func (o *Options) drawing(std *console.Streams, guide *instrument.Guide, of *trace.Recording) (render.Options, error) {
	terminal := std.Width > 0
	colour, err := render.UseColour(o.Colour, terminal, os.Getenv)
	if err != nil {
		return render.Options{}, err
	}
	filter, err := o.Filter.parse(guide, of)
	if err != nil {
		return render.Options{}, err
	}
	lang, err := Language(o.Lang)
	if err != nil {
		return render.Options{}, err
	}
	options := render.Options{
		Options: view.Options{
			Choice:     view.Choice{Full: o.Full || o.View == "full", Depth: o.Depth, Upstream: o.Upstream, Filter: filter},
			Notes:      o.Notes,
			Lang:       lang,
			ASCII:      o.ASCII || asciiLocale(os.Getenv),
			Hyperlinks: render.UseHyperlinks(terminal, os.Getenv),
			HideError:  o.HideError,
		},
		Layout: render.Layout{Width: o.Width},
	}
	if options.Width == 0 {
		options.Width = std.Columns()
	}
	if colour {
		options.Palette = render.ColoursFor(render.ColourProfile(os.Getenv))
	}
	return options, nil
}

// explainSigns lets the first tree in a session of a terminal explain its signs.
func explainSigns(std *console.Streams, layout *render.Layout) {
	if std.Width > 0 {
		layout.MarksOnly = std.SeenSigns()
		layout.Legend = !layout.MarksOnly
	}
}

// WriteSigns explains the signs of a tree.
func (o *Options) WriteSigns(std *console.Streams) error {
	guide, err := instrument.Load()
	if err != nil {
		return err
	}
	options, err := o.drawing(std, guide, nil)
	if err != nil {
		return err
	}
	return render.WriteSigns(std.Out, options)
}
