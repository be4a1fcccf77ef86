package main

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/instrument/spoken"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/render/output"
	"github.com/kubeapitrace/apitrace/session/code"
	"github.com/kubeapitrace/apitrace/session/console"
	"github.com/kubeapitrace/apitrace/trace/explain"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// explainOptions say which function to explain, and how.
type explainOptions struct {
	function string
	code     codeOptions
	lang     string
	colour   string
	ascii    bool
	edit     bool
}

func newExplainCommand(std *console.Streams) *cobra.Command {
	o := &explainOptions{}
	command := newCommand("explain", oneArgument("the name of a function, such as \"etcd3.(*store).Get\""), func(c *cobra.Command, args []string) error {
		o.function = args[0]
		if err := o.validate(); err != nil {
			return err
		}
		return o.run(c.Context(), std)
	})
	command.ValidArgsFunction = completeFunction
	o.code.addFlags(command)
	addLanguageFlag(command, &o.lang)
	flags := command.Flags()
	flags.StringVar(&o.colour, "color", "auto", "when to use colours: auto, always or never")
	flags.BoolVar(&o.ascii, "ascii", false, "use ASCII characters alone")
	flags.BoolVar(&o.edit, "edit", false, editUsage)
	return command
}

func (o *explainOptions) validate() error {
	if _, err := render.UseColour(o.colour, false, os.Getenv); err != nil {
		return usage.Wrong(err)
	}
	if _, err := output.Language(o.lang); err != nil {
		return err
	}
	return o.code.validate()
}

func (o *explainOptions) run(ctx context.Context, std *console.Streams) error {
	c, err := o.code.open(std)
	if err != nil {
		return err
	}
	name, err := c.Resolve(ctx, o.function)
	if err != nil {
		return err
	}
	if o.edit {
		f, _, err := c.SourceOf(ctx, name)
		if err != nil {
			return err
		}
		return openEditor(ctx, std, f.Path, f.Line, true)
	}
	lang, err := output.Language(o.lang)
	if err != nil {
		return err
	}
	page, err := o.page(ctx, c, name, lang)
	if err != nil {
		return err
	}
	colour, err := render.UseColour(o.colour, std.Width > 0, os.Getenv)
	if err != nil {
		return err
	}
	return page.Write(std.Out, explain.WriteOptions{Width: std.Columns(), Colour: colour, ASCII: o.ascii, Lang: lang})
}

// page gathers what is known.
func (o *explainOptions) page(ctx context.Context, c *code.Base, name, lang string) (*explain.Page, error) {
	place, err := c.PlaceOf(ctx, name)
	if err != nil {
		return nil, err
	}
	guide := spoken.New(c.Guide, lang, c.Recordings...)
	page := &explain.Page{
		Function: name, Layer: guide.Title(guide.Layer(name)), Note: guide.Note(name),
		File: place.File, Line: place.Line, URL: render.SourceURL(place.Recording, place.Call), Program: place.Program,
		Recordings: len(c.Recordings), Merged: !o.code.detailed(),
	}
	page.Version = c.Version
	if err := fromIndex(page, place.Program); err != nil {
		return nil, err
	}
	page.Sights, err = explain.Look(name, c.Recordings)
	return page, err
}

// fromIndex adds what the recordings say of a function that are not at hand: its source, and a scenario
// that calls it in the newest release.
func fromIndex(page *explain.Page, program string) error {
	known, err := recordings.CodeOf(page.Version)
	if err != nil {
		return err
	}
	if known != nil {
		name, _, _ := strings.Cut(program, " ")
		page.Source = known.Function(name, page.Function)
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
