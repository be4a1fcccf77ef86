package main

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/trace"
)

// outputs are the forms in which a recording can be printed.
var outputs = []string{"tree", "names", "json", "stdout"}

// outputOptions say how a recording is printed. All commands that print one have them.
type outputOptions struct {
	format string
	full   bool
	depth  int
	width  int
	colour string
	ascii  bool
}

func (o *outputOptions) addFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVarP(&o.format, "output", "o", "tree", "what to print: tree, names (one function per line), json, or stdout (OpenTelemetry spans)")
	flags.BoolVar(&o.full, "full", false, "show every call of the tree, nothing folded or collapsed")
	flags.IntVar(&o.depth, "depth", 0, "cut the tree below this many levels (0: nowhere)")
	flags.IntVar(&o.width, "width", 0, "draw the tree this many columns wide (0: as wide as the terminal, else 80)")
	flags.StringVar(&o.colour, "color", "auto", "when to use colours: auto, always or never")
	flags.BoolVar(&o.ascii, "ascii", false, "draw the tree with ASCII characters alone")
	_ = command.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(outputs, cobra.ShellCompDirectiveNoFileComp))
	_ = command.RegisterFlagCompletionFunc("color", cobra.FixedCompletions([]string{"auto", "always", "never"}, cobra.ShellCompDirectiveNoFileComp))
}

func (o *outputOptions) validate() error {
	if !slices.Contains(outputs, o.format) {
		return usageErrorf("unknown output %q: expected one of %s", o.format, strings.Join(outputs, ", "))
	}
	if o.depth < 0 || o.width < 0 {
		return usageErrorf("--depth and --width cannot be negative")
	}
	if _, err := render.UseColour(o.colour, false, os.Getenv); err != nil {
		return &usageError{err: err}
	}
	return nil
}

// write prints the recording.
func (o *outputOptions) write(ctx context.Context, io *streams, recording *trace.Recording) error {
	switch o.format {
	case "names":
		return trace.WriteNames(io.out, recording)
	case "json":
		return trace.WriteJSON(io.out, recording)
	case "stdout":
		return trace.WriteStdout(ctx, io.out, recording)
	default:
		return o.writeTree(io, recording)
	}
}

func (o *outputOptions) writeTree(io *streams, recording *trace.Recording) error {
	guide, err := instrument.Load()
	if err != nil {
		return err
	}
	terminal := io.width > 0
	colour, err := render.UseColour(o.colour, terminal, os.Getenv)
	if err != nil {
		return err
	}
	options := render.Options{
		Choice:     render.Choice{Full: o.full, Depth: o.depth},
		Width:      o.width,
		ASCII:      o.ascii,
		Hyperlinks: render.UseHyperlinks(terminal, os.Getenv),
	}
	if options.Width == 0 {
		options.Width = io.width
	}
	if colour {
		options.Palette = render.Colours()
	}
	return render.WriteTree(io.out, recording, newClassifier(guide), options)
}
