package main

import (
	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/commandline"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session/machine"
	"github.com/kubeapitrace/apitrace/ui/web"
)

// addOutputFlags adds the flags that set how a recording is printed. All commands that
// print a recording have them.
func addOutputFlags(command *cobra.Command, o *output.Options) {
	addViewFlags(command, o)
	commandline.InSection(command, howToPrint, func() { addLanguageFlag(command, &o.Lang) })
}

// The sections of the help for the flags that many commands share.
var (
	whichServer = commandline.Section{Place: 1, Title: message.Of("The server:")}
	whichCalls  = commandline.Section{Place: 2, Title: message.Of("Which calls to show:")}
	howToPrint  = commandline.Section{Place: 3, Title: message.Of("What to print, and how:")}
)

// addViewFlags adds all flags of a view but --lang.
func addViewFlags(command *cobra.Command, o *output.Options) {
	o.HTML = web.PageFile{Version: machine.Version()}.WriteRecording
	commandline.InSection(command, howToPrint, func() { o.AddFormatFlag(command) })
	addDrawingFlags(command, o)
	commandline.InSection(command, howToPrint, func() {
		command.Flags().StringVar(&o.Sort, "sort", "", "print a flat table of functions instead of the tree, as \"go tool pprof -top\" does, by own (time without callees), total (time with callees) or calls; layer prints a table of the layers; time prints a story in the order of time")
		command.Flags().IntVar(&o.Most, "most", 20, "with --sort, list at most this many functions (0: all)")
	})
	_ = command.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions(output.Orders, cobra.ShellCompDirectiveNoFileComp))
}

// addDrawingFlags adds the flags that set how a tree is drawn.
func addDrawingFlags(command *cobra.Command, o *output.Options) {
	commandline.InSection(command, whichCalls, func() {
		addFilterFlags(command, &o.Filter)
		command.Flags().StringVar(&o.View, "view", "", "how much of the tree to show: outline (layers), path (key steps, the default), full (every call), or story (what requests caused, the default for a recording that has it)")
		command.Flags().BoolVar(&o.Full, "full", false, "the same as --view full")
		command.Flags().BoolVar(&o.Upstream, "upstream", false, "show each span and event of upstream's own tracing")
		command.Flags().IntVar(&o.Depth, "depth", 0, "show at most this many levels of the tree (0: all)")
	})
	commandline.InSection(command, howToPrint, func() { addStyleFlags(command, o) })
	_ = command.RegisterFlagCompletionFunc("view", cobra.FixedCompletions(output.Views, cobra.ShellCompDirectiveNoFileComp))
}

// addStyleFlags adds the flags that do not change which calls are drawn.
func addStyleFlags(command *cobra.Command, o *output.Options) {
	flags := command.Flags()
	flags.BoolVar(&o.Notes, "notes", false, "explain each key step in the tree")
	flags.IntVar(&o.Width, "width", 0, "draw the tree this many columns wide (0: $COLUMNS, else as wide as the terminal, else 80)")
	flags.StringVar(&o.Colour, "color", "auto", "when to use colours: auto, always or never")
	flags.BoolVar(&o.NoPager, "no-pager", false, "do not show long output in a pager ($PAGER, else less)")
	flags.BoolVar(&o.ASCII, "ascii", false, "draw the tree with ASCII characters only, as in a locale that is not UTF-8")
	_ = command.RegisterFlagCompletionFunc("color", cobra.FixedCompletions([]string{"auto", "always", "never"}, cobra.ShellCompDirectiveNoFileComp))
}

// addFilterFlags adds the flags that select the calls of a tree. All commands that draw
// a tree have them.
func addFilterFlags(command *cobra.Command, o *output.Filter) {
	flags := command.Flags()
	flags.StringSliceVar(&o.Layers, "layer", nil, "show only layers of these names or titles, such as authorization,etcd3; etcd stands for all layers of the program etcd")
	flags.StringArrayVar(&o.Functions, "function", nil, `show only functions with this full or short name or part of a name; "*" and "..." match any text: "etcd3.(*store).Get", "rbac.*" (repeat for more)`)
	flags.StringArrayVar(&o.NotFunctions, "not-function", nil, "do not show functions of this name (repeat for more)")
	flags.DurationVar(&o.MinDuration, "min-duration", 0, "show only calls that took at least this long, such as 500us")
	flags.BoolVar(&o.Errors, "errors", false, "show only calls that failed; for a failed request, only the calls that took part in the failure")
	flags.BoolVar(&o.Etcd, "etcd", false, "show only the calls in etcd and the calls that lead to etcd")
	flags.StringVar(&o.Grep, "grep", "", "show only calls whose name, file:line, values or error match this regular expression, and the key steps that lead to them")
	_ = command.RegisterFlagCompletionFunc("layer", commandline.OfferTyped(output.Layers))
}

// addDiffFlags adds the flags that set how differences are printed. All commands that
// compare have them.
func addDiffFlags(command *cobra.Command, o *output.Diff) {
	o.HTML = web.PageFile{Version: machine.Version()}.WriteComparison
	commandline.InSection(command, howToPrint, func() {
		addComparisonFlags(command, o)
		addLanguageFlag(command, &o.View.Lang)
	})
	addDrawingFlags(command, &o.View)
}

// addComparisonFlags adds the flags of differences that a tree does not have.
func addComparisonFlags(command *cobra.Command, o *output.Diff) {
	flags := command.Flags()
	flags.StringVarP(&o.Format, "output", "o", "tree", "what to print: tree, names (one function per line, marked), json, markdown (for a pull request), or html (one file for a browser)")
	flags.BoolVar(&o.SideBySide, "side-by-side", false, "draw both trees next to each other")
	flags.BoolVar(&o.Times, "times", false, "show how long each call took on both sides, and mark calls that differ only in their own time; they still count as equal, because times vary from run to run")
	flags.BoolVar(&o.Links, "links", false, "write below each change the links to its code upstream and to the diff of the file")
	_ = command.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(output.DiffFormats, cobra.ShellCompDirectiveNoFileComp))
}

// addLanguageFlag adds --lang. The default is the language of the locale.
func addLanguageFlag(command *cobra.Command, lang *string) {
	command.Flags().StringVar(lang, "lang", "", "language of titles and notes: en or zh (default: the locale's)")
	_ = command.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions(output.Languages, cobra.ShellCompDirectiveNoFileComp))
}

// addDeliveryFlags adds the flags that save or export a new recording.
func addDeliveryFlags(command *cobra.Command, o *output.Delivery) {
	addOutputFlags(command, &o.Output)
	commandline.InSection(command, howToPrint, func() { addSaveFlags(command, o) })
}

func addSaveFlags(command *cobra.Command, o *output.Delivery) {
	command.Flags().StringVar(&o.Save, "save", "", "save the trace to this file as OTLP JSON, for \"apitrace show\" and other viewers")
	command.Flags().StringVar(&o.Export, "export", "", "also send the trace: otlp, to the receiver that the OTEL_EXPORTER_OTLP_* variables name")
	_ = command.RegisterFlagCompletionFunc("export", cobra.FixedCompletions([]string{"otlp"}, cobra.ShellCompDirectiveNoFileComp))
}
