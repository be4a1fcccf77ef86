package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/spoken"
	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/session/console"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/export"
)

// outputs are the forms in which a recording can be printed.
var outputs = append([]string{"tree", "names", "json", "stdout"}, export.Formats...)

// views are how much a tree can show, from little to everything.
var views = []string{"outline", "path", "full"}

// outputOptions say how a recording is printed. All commands that print one have them.
type outputOptions struct {
	format   string
	view     string
	full     bool
	depth    int
	upstream bool
	notes    bool
	lang     string
	width    int
	colour   string
	ascii    bool
	noPager  bool
	filter   filterOptions
}

func (o *outputOptions) addFlags(command *cobra.Command) {
	o.addViewFlags(command)
	addLanguageFlag(command, &o.lang)
}

// addViewFlags adds all flags but the language's, for commands that have that from elsewhere.
func (o *outputOptions) addViewFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVarP(&o.format, "output", "o", "tree", "what to print: tree, names (one function per line), json, yaml, stdout (OpenTelemetry spans), chrome (trace events for Perfetto), folded (stacks for flame graphs), or mermaid (diagram)")
	_ = command.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(outputs, cobra.ShellCompDirectiveNoFileComp))
	o.addDrawingFlags(command)
}

// addDrawingFlags adds the flags that say how a tree is drawn.
func (o *outputOptions) addDrawingFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&o.view, "view", "path", "how much of the tree to show: outline (layers), path (key steps), or full (every call)")
	flags.BoolVar(&o.full, "full", false, "the same as --view full")
	flags.BoolVar(&o.upstream, "upstream", false, "show each span and event of upstream's own tracing")
	flags.BoolVar(&o.notes, "notes", false, "explain each key step in the tree")
	flags.IntVar(&o.depth, "depth", 0, "cut the tree below this many levels (0: nowhere)")
	flags.IntVar(&o.width, "width", 0, "draw the tree this many columns wide (0: $COLUMNS, else as wide as the terminal, else 80)")
	flags.StringVar(&o.colour, "color", "auto", "when to use colours: auto, always or never")
	flags.BoolVar(&o.noPager, "no-pager", false, "do not show long output in a pager ($PAGER, else less)")
	flags.BoolVar(&o.ascii, "ascii", false, "draw the tree with ASCII characters alone, as in a locale that is not UTF-8")
	o.filter.addFlags(command)
	_ = command.RegisterFlagCompletionFunc("view", cobra.FixedCompletions(views, cobra.ShellCompDirectiveNoFileComp))
	_ = command.RegisterFlagCompletionFunc("color", cobra.FixedCompletions([]string{"auto", "always", "never"}, cobra.ShellCompDirectiveNoFileComp))
}

func (o *outputOptions) validate() error {
	if !slices.Contains(outputs, o.format) {
		return usage.Errorf("unknown output %q: expected one of %s", o.format, strings.Join(outputs, ", "))
	}
	return o.validateView()
}

// validateView checks the flags of addDrawingFlags, and the language.
func (o *outputOptions) validateView() error {
	if !slices.Contains(views, o.view) {
		return usage.Errorf("unknown view %q: expected one of %s", o.view, strings.Join(views, ", "))
	}
	if o.depth < 0 || o.width < 0 {
		return usage.Errorf("--depth and --width cannot be negative")
	}
	if o.view == "outline" && (o.full || o.depth > 0 || o.upstream || o.notes) {
		return usage.Errorf("--view outline shows layers, no calls: --full, --depth, --upstream and --notes need another view")
	}
	if _, err := render.UseColour(o.colour, false, os.Getenv); err != nil {
		return usage.Wrong(err)
	}
	if _, err := language(o.lang); err != nil {
		return err
	}
	guide, err := instrument.Load()
	if err != nil {
		return err
	}
	_, err = o.filter.filter(guide, nil)
	return err
}

// write prints the recording, in a terminal through a pager.
func (o *outputOptions) write(ctx context.Context, std *console.Streams, recording *trace.Recording) (err error) {
	std, wait := std.Paged(!o.noPager)
	defer func() { err = errors.Join(err, wait()) }()
	if o.format != "tree" && (o.filter.set() || o.depth > 0) {
		std.Notice("-o %s is always complete: views, --depth and filters are for the tree", o.format)
	}
	switch o.format {
	case "names":
		return trace.WriteNames(std.Out, recording)
	case "json":
		return trace.WriteJSON(std.Out, recording)
	case "stdout":
		return trace.WriteStdout(ctx, std.Out, recording)
	}
	guide, err := instrument.Load()
	if err != nil {
		return err
	}
	lang, err := language(o.lang)
	if err != nil {
		return err
	}
	if slices.Contains(export.Formats, o.format) {
		return export.Write(std.Out, o.format, recording, spoken.New(guide, lang, recording))
	}
	options, err := o.drawing(std, guide, recording)
	if err != nil {
		return err
	}
	options.Lang = lang
	if o.view == "outline" {
		return render.WriteOutline(std.Out, recording, spoken.New(guide, lang, recording), options)
	}
	return render.WriteTree(std.Out, recording, spoken.New(guide, lang, recording), options)
}

// drawing says what is drawn of a recording, and how; see filterOptions.filter.
func (o *outputOptions) drawing(std *console.Streams, guide *instrument.Guide, of *trace.Recording) (render.Options, error) {
	terminal := std.Width > 0
	colour, err := render.UseColour(o.colour, terminal, os.Getenv)
	if err != nil {
		return render.Options{}, err
	}
	filter, err := o.filter.filter(guide, of)
	if err != nil {
		return render.Options{}, err
	}
	options := render.Options{
		Choice:     render.Choice{Full: o.full || o.view == "full", Depth: o.depth, Upstream: o.upstream, Filter: filter},
		Notes:      o.notes,
		Width:      o.width,
		ASCII:      o.ascii || asciiLocale(os.Getenv),
		Hyperlinks: render.UseHyperlinks(terminal, os.Getenv),
	}
	if options.Width == 0 {
		options.Width = std.Columns()
	}
	if colour {
		options.Palette = render.ColoursFor(render.ColourProfile(os.Getenv))
	}
	return options, nil
}

// writeSigns explains the signs of a tree.
func (o *outputOptions) writeSigns(std *console.Streams) error {
	lang, err := language(o.lang)
	if err != nil {
		return err
	}
	guide, err := instrument.Load()
	if err != nil {
		return err
	}
	options, err := o.drawing(std, guide, nil)
	if err != nil {
		return err
	}
	options.Lang = lang
	return render.WriteSigns(std.Out, options)
}
