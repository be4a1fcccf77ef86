package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/session/console"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// sourceOptions say which function to show, and how.
type sourceOptions struct {
	function string
	code     codeOptions
	colour   string
	ascii    bool
	edit     bool
}

func newSourceCommand(std *console.Streams) *cobra.Command {
	o := &sourceOptions{}
	command := newCommand("source", oneArgument("the name of a function, such as \"etcd3.(*store).Get\""), func(c *cobra.Command, args []string) error {
		o.function = args[0]
		if err := o.validate(); err != nil {
			return err
		}
		return o.run(c.Context(), std)
	})
	command.ValidArgsFunction = completeFunction
	o.code.addFlags(command)
	flags := command.Flags()
	flags.StringVar(&o.colour, "color", "auto", "when to use colours: auto, always or never")
	flags.BoolVar(&o.ascii, "ascii", false, "mark lines with ASCII characters")
	flags.BoolVar(&o.edit, "edit", false, editUsage)
	return command
}

func (o *sourceOptions) validate() error {
	if _, err := render.UseColour(o.colour, false, os.Getenv); err != nil {
		return usage.Wrong(err)
	}
	return o.code.validate()
}

func (o *sourceOptions) run(ctx context.Context, std *console.Streams) error {
	c, err := o.code.open(std)
	if err != nil {
		return err
	}
	name, err := c.Resolve(ctx, o.function)
	if err != nil {
		return err
	}
	f, place, err := c.SourceOf(ctx, name)
	if err != nil {
		return err
	}
	if o.edit {
		return openEditor(ctx, std, f.Path, f.Line, true)
	}
	colour, err := render.UseColour(o.colour, std.Width > 0, os.Getenv)
	if err != nil {
		return err
	}
	known, err := recordings.CodeOf(c.Version)
	if err != nil {
		return err
	}
	options := source.PrintOptions{Marks: source.Marks(f, c.Recordings), ASCII: o.ascii}
	if known != nil {
		options.Marks = source.Merge(options.Marks, source.SpanlessMarks(f, place.Call.Process, known))
	}
	if colour {
		options.Palette = source.Colours()
	}
	fmt.Fprintf(std.Out, "%s\n%s:%d, %s\n", f.Name, f.File, f.Line, place.Program)
	if url := render.SourceURL(place.Recording, place.Call); url != "" {
		fmt.Fprintln(std.Out, url)
	}
	fmt.Fprintln(std.Out)
	return source.Print(std.Out, f, options)
}
