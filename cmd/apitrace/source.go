package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/trace"
)

// sourceOptions say which function to show, and how.
type sourceOptions struct {
	function string
	code     codeOptions
	colour   string
	ascii    bool
	edit     bool
}

func newSourceCommand(std *streams) *cobra.Command {
	o := &sourceOptions{}
	command := &cobra.Command{
		Use:               "source FUNCTION",
		Short:             "Print the source of a function",
		Args:              oneArgument("the name of a function, such as \"etcd3.(*store).Get\""),
		ValidArgsFunction: completeFunction,
		RunE: func(c *cobra.Command, args []string) error {
			o.function = args[0]
			if err := o.validate(); err != nil {
				return err
			}
			return o.run(c.Context(), std)
		},
	}
	o.code.addFlags(command)
	flags := command.Flags()
	flags.StringVar(&o.colour, "color", "auto", "when to use colours: auto, always or never")
	flags.BoolVar(&o.ascii, "ascii", false, "mark lines with ASCII characters")
	flags.BoolVar(&o.edit, "edit", false, editUsage)
	return command
}

func (o *sourceOptions) validate() error {
	if _, err := render.UseColour(o.colour, false, os.Getenv); err != nil {
		return &usageError{err: err}
	}
	return o.code.validate()
}

func (o *sourceOptions) run(ctx context.Context, std *streams) error {
	c, err := o.code.open(std)
	if err != nil {
		return err
	}
	name, err := c.resolve(ctx, o.function)
	if err != nil {
		return functionError(err)
	}
	if o.edit {
		return c.edit(ctx, name)
	}
	f, tree, err := c.function(ctx, name)
	if err != nil {
		return functionError(err)
	}
	colour, err := render.UseColour(o.colour, std.width > 0, os.Getenv)
	if err != nil {
		return err
	}
	options := source.PrintOptions{Marks: source.Marks(f, c.recordings), ASCII: o.ascii}
	if colour {
		options.Palette = source.Colours()
	}
	fmt.Fprintf(std.out, "%s\n%s:%d, %s\n", f.Name, f.File, f.Line, tree)
	if url := c.url(f, tree); url != "" {
		fmt.Fprintln(std.out, url)
	}
	fmt.Fprintln(std.out)
	return source.Print(std.out, f, options)
}

// functionError makes a name that is not one function's a mistake of the command line.
func functionError(err error) error {
	var unknown *trace.UnknownFunctionError
	var ambiguous *trace.AmbiguousFunctionError
	if errors.As(err, &unknown) || errors.As(err, &ambiguous) {
		return &usageError{err: err}
	}
	return err
}

const editUsage = "open the source of the function in $VISUAL or $EDITOR instead"

// edit opens a function of upstream's source in the user's editor, which should not change it.
func (c *code) edit(ctx context.Context, name string) error {
	f, _, err := c.function(ctx, name)
	if err != nil {
		return functionError(err)
	}
	return openEditor(ctx, f.Path, f.Line, true)
}

// openEditor opens a file at a line in the user's editor and waits for it.
func openEditor(ctx context.Context, file string, line int, readOnly bool) error {
	args, err := source.EditorCommand(file, line, readOnly, os.Getenv)
	if err != nil {
		return err
	}
	editor := exec.CommandContext(ctx, args[0], args[1:]...)
	editor.Stdin, editor.Stdout, editor.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := editor.Run(); err != nil {
		return fmt.Errorf("editor %q: %w", args[0], err)
	}
	return nil
}
