package output

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/session/code"
	"github.com/kubeapitrace/apitrace/trace/explain"
	"github.com/kubeapitrace/apitrace/trace/gates"
	"github.com/kubeapitrace/apitrace/trace/lineage"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A Function sets how to show a function.
type Function struct {
	// Lang is "en", "zh", or "" for the locale's language.
	Lang string
	// Colour is auto, always or never.
	Colour string
	ASCII  bool
	// Merged asks Explain for an overview instead of each request.
	Merged bool
}

// Validate checks the options before any work begins.
func (o *Function) Validate() error {
	if _, err := render.UseColour(o.Colour, false, os.Getenv); err != nil {
		return message.ToUsageError(err)
	}
	_, err := Language(o.Lang)
	return err
}

// Explain writes the page of a function, given by its full name. For a type, the error
// names the right command.
func (o *Function) Explain(ctx context.Context, std *console.Streams, c *code.Base, name string, kind lineage.Kind) error {
	if kind == lineage.Type {
		return message.UsageErrorf("%s is a type, not a function: \"apitrace source %s\" shows it", name, lineage.Quoted(funcname.Short(name)))
	}
	lang, err := Language(o.Lang)
	if err != nil {
		return err
	}
	page, err := o.page(ctx, c, name, lang)
	if err != nil {
		return err
	}
	colour, err := render.UseColour(o.Colour, std.Width > 0, os.Getenv)
	if err != nil {
		return err
	}
	if err := page.Write(std.Out, explain.WriteOptions{Width: std.Columns(), Colour: colour, ASCII: o.ASCII, Lang: lang}); err != nil || page.Static == nil {
		return err
	}
	names, err := lineage.Load()
	if err != nil {
		return err
	}
	return writeLineage(std, names, name)
}

// WriteSource writes the source of a function or a type, given by its full name. For a
// function it marks the calls. For a type it adds the methods, facts from the
// recordings, and the history over the releases.
func (o *Function) WriteSource(ctx context.Context, std *console.Streams, c *code.Base, name string, kind lineage.Kind) error {
	colour, err := render.UseColour(o.Colour, std.Width > 0, os.Getenv)
	if err != nil {
		return err
	}
	if kind == lineage.Type {
		return o.writeType(ctx, std, c, name, colour)
	}
	f, place, err := c.SourceOf(ctx, name)
	if err != nil {
		return err
	}
	var known *recordings.Code
	if c.Indexed() { // otherwise the function may differ from the one in the index
		if known, err = recordings.CodeOf(c.Version); err != nil {
			return err
		}
	}
	options := source.PrintOptions{Marks: source.Marks(f, c.Recordings), ASCII: o.ASCII, Lang: std.Printer.Lang()}
	if known != nil {
		options.Marks = source.Merge(options.Marks, source.SpanlessMarks(f, place.Call.Process, known))
	}
	if colour {
		options.Palette = source.Colours()
	}
	fmt.Fprintf(std.Out, "%s\n%s:%d, %s\n", f.Name, f.File, f.Line, place.Program)
	if url := place.Recording.SourceURL(place.Call); url != "" {
		fmt.Fprintln(std.Out, url)
	}
	if apiserver.ReadOnly(c.Version) {
		fmt.Fprintln(std.Out, std.Printer.Sprintf("%s was not run: apitrace can read its source but cannot build it.", c.Version))
	}
	fmt.Fprintln(std.Out)
	return source.Print(std.Out, f, options)
}

func (o *Function) writeType(ctx context.Context, std *console.Streams, c *code.Base, name string, colour bool) error {
	t, err := c.TypeOf(ctx, name)
	if err != nil {
		return err
	}
	options := source.PrintOptions{ASCII: o.ASCII, Lang: std.Printer.Lang()}
	if colour {
		options.Palette = source.Colours()
	}
	return render.WriteType(std.Out, t, options)
}

// page collects the content for Explain.
func (o *Function) page(ctx context.Context, c *code.Base, name, lang string) (*explain.Page, error) {
	place, err := c.PlaceOf(ctx, name)
	if err != nil {
		return nil, err
	}
	guide := c.Guide.ForReader(lang, c.Recordings...)
	page := &explain.Page{
		Function: name, Layer: guide.Title(guide.Layer(name)), Note: guide.Note(name),
		File: place.File, Line: place.Line, URL: place.Recording.SourceURL(place.Call), Program: place.Program,
		Recordings: len(c.Recordings), Merged: o.Merged,
	}
	page.Version = c.Version
	if apiserver.ReadOnly(c.Version) {
		page.Note = "" // the note was written for releases that can be run
		page.Static = &explain.Static{}
		page.Static.Callers, page.Static.Known, err = c.CallersInSource(ctx, name)
		return page, err
	}
	if !c.Own.IsZero() {
		page.Server = c.Own.CommandLine() + " --k8s " + c.Version
	}
	if c.Indexed() {
		if err := fromIndex(page, place.Program); err != nil {
			return nil, err
		}
	}
	page.Activities, err = explain.Look(name, c.Recordings)
	return page, err
}

// fromIndex adds facts from the index of the sources about a function and its package.
// Without recordings, it adds a scenario that calls the function in the newest release.
func fromIndex(page *explain.Page, program string) error {
	known, err := recordings.CodeOf(page.Version)
	if err != nil {
		return err
	}
	if known != nil {
		name, _, _ := strings.Cut(program, " ")
		page.Source = known.Function(name, page.Function)
		if page.Gates, err = askedGates(page); err != nil {
			return err
		}
		page.Spanless = explain.Spanless(known, name, page.Function, page.File, page.Line)
		page.Untraced = !known.Traces(name, funcname.Package(page.Function))
	}
	if page.Recordings > 0 {
		return nil
	}
	called, err := recordings.Functions(recordings.Latest)
	if err != nil {
		return err
	}
	for _, f := range called {
		if f.Name == page.Function && !slices.Contains(f.Scenarios, "get-node") {
			page.Scenario = f.Scenarios[0]
		}
	}
	return nil
}

// askedGates returns the feature gates that the text of a page's function asks for.
func askedGates(page *explain.Page) ([]explain.AskedGate, error) {
	if page.Source == nil {
		return nil, nil
	}
	var all []explain.AskedGate
	for _, c := range page.Source.Calls {
		if c.Kind != recordings.CallAsks {
			continue
		}
		g, err := gates.Find(c.Name)
		if err != nil {
			return nil, err
		}
		if g != nil {
			all = append(all, explain.AskedGate{Name: g.Name, Line: page.Line + c.Line, Says: g.Summary()})
		}
	}
	return all, nil
}

// WriteSourceDiff compares a function's text in two versions and reports whether it
// is the same. colour is auto, always or never.
func WriteSourceDiff(ctx context.Context, std *console.Streams, function string, versions [2]string, colour string) (same bool, err error) {
	var releases [2]*code.Base
	for i, version := range versions {
		options := code.Choice{K8s: version}
		err := options.Validate()
		if err == nil {
			releases[i], err = options.Open(std.In, std)
		}
		if err != nil {
			return false, err
		}
	}
	textA, textB, err := code.Texts(ctx, releases[0], releases[1], function)
	if err != nil {
		return false, err
	}
	coloured, err := render.UseColour(colour, std.Width > 0, os.Getenv)
	if err != nil {
		return false, err
	}
	options := source.DiffOptions{Lang: std.Printer.Lang()}
	if coloured {
		palette := render.Colours()
		options.Added, options.Removed, options.Heading = palette.Added, palette.Removed, palette.Place
	}
	return source.WriteDiff(std.Out, textA, textB, options)
}
