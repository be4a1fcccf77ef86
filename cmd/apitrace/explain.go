package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/trace/explain"
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

func newExplainCommand(std *streams) *cobra.Command {
	o := &explainOptions{}
	command := &cobra.Command{
		Use:               "explain FUNCTION",
		Short:             "Tell what is known of a function",
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
	addLanguageFlag(command, &o.lang)
	flags := command.Flags()
	flags.StringVar(&o.colour, "color", "auto", "when to use colours: auto, always or never")
	flags.BoolVar(&o.ascii, "ascii", false, "use ASCII characters alone")
	flags.BoolVar(&o.edit, "edit", false, editUsage)
	return command
}

func (o *explainOptions) validate() error {
	if _, err := render.UseColour(o.colour, false, os.Getenv); err != nil {
		return &usageError{err: err}
	}
	if _, err := language(o.lang); err != nil {
		return err
	}
	return o.code.validate()
}

func (o *explainOptions) run(ctx context.Context, std *streams) error {
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
	page, err := o.page(ctx, c, name)
	if err != nil {
		return functionError(err)
	}
	colour, err := render.UseColour(o.colour, std.width > 0, os.Getenv)
	if err != nil {
		return err
	}
	lang, err := language(o.lang)
	if err != nil {
		return err
	}
	return page.Write(std.out, explain.WriteOptions{Width: std.width, Colour: colour, ASCII: o.ascii, Lang: lang})
}

// page gathers what is known. Only a function that no recording has is looked up in
// the source, which may have to be fetched.
func (o *explainOptions) page(ctx context.Context, c *code, name string) (*explain.Page, error) {
	lang, err := language(o.lang)
	if err != nil {
		return nil, err
	}
	guide := newSpokenGuide(c.guide, lang, c.recordings...)
	page := &explain.Page{
		Function: name, Layer: guide.Title(guide.Layer(name)), Note: guide.Note(name),
		Recordings: len(c.recordings), Merged: !o.code.detailed(),
	}
	if page.Sights, err = explain.Look(name, c.recordings); err != nil {
		return nil, err
	}
	if call, ok := c.calls[name]; ok {
		page.File, page.Line, page.URL = call.File, call.Line, render.SourceURL(call.rec, call.Call)
		page.Program = programOf(call)
		return page, nil
	}
	f, tree, err := c.function(ctx, name)
	if err != nil {
		return nil, err
	}
	page.File, page.Line, page.URL, page.Program = f.File, f.Line, c.url(f, tree), tree.String()
	return page, nil
}
