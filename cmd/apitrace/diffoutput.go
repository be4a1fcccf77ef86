package main

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/spoken"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/session/console"
	"github.com/kubeapitrace/apitrace/session/sides"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// diffFormats are the forms in which differences can be printed.
var diffFormats = []string{"tree", "names", "json", "html"}

// diffOutput says how differences are printed. All commands that compare have it.
type diffOutput struct {
	format     string
	sideBySide bool
	links      bool
	times      bool
	view       outputOptions
}

func (o *diffOutput) addFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVarP(&o.format, "output", "o", "tree", "what to print: tree, names (one function per line, marked), json, or html (one file for a browser)")
	flags.BoolVar(&o.sideBySide, "side-by-side", false, "draw both trees next to each other")
	flags.BoolVar(&o.times, "times", false, "write behind each call how long it took on both sides, and mark calls that differ in their own time alone; they count as the same, for times vary from run to run")
	flags.BoolVar(&o.links, "links", false, "write below each change where upstream shows its code and what happened to the file")
	_ = command.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(diffFormats, cobra.ShellCompDirectiveNoFileComp))
	o.view.addDrawingFlags(command)
	addLanguageFlag(command, &o.view.lang)
}

func (o *diffOutput) validate() error {
	if !slices.Contains(diffFormats, o.format) {
		return usage.Errorf("unknown output %q: expected one of %s", o.format, strings.Join(diffFormats, ", "))
	}
	return o.view.validateView()
}

// comparison says what is compared.
func (o *diffOutput) comparison() diff.Options { return diff.Options{Times: o.times} }

// write prints how recordings differ, step by step. It returns errDifferent if any two do.
func (o *diffOutput) write(std *console.Streams, steps iter.Seq2[sides.Compared, error], summaryOnly bool) error {
	guide, err := instrument.Load()
	if err != nil {
		return err
	}
	lang, err := language(o.view.lang)
	if err != nil {
		return err
	}
	drawing, err := o.view.drawing(std, guide, nil)
	if err != nil {
		return err
	}
	options := render.DiffOptions{
		Options: drawing, Lang: lang, SideBySide: o.sideBySide, Links: o.links, Times: o.times,
		SummaryOnly: summaryOnly || o.view.view == "outline",
	}
	same, isFirst := true, true
	for step, err := range steps {
		if err != nil {
			return err
		}
		// A side may be named by the scenario of a file from elsewhere.
		options.NameA, options.NameB = text.Escape(step.NameA), text.Escape(step.NameB)
		options.LiveA, options.LiveB = step.LiveA, step.LiveB
		if err := o.writeStep(std, step, isFirst, spoken.New(guide, lang, step.A, step.B), options); err != nil {
			return err
		}
		same, isFirst = same && step.Same(), false
	}
	if !same {
		return errDifferent
	}
	return nil
}

func (o *diffOutput) writeStep(std *console.Streams, step sides.Compared, isFirst bool, guide render.Guide, options render.DiffOptions) error {
	switch o.format {
	case "names":
		return render.WriteDiffNames(std.Out, step.Comparison, options)
	case "json":
		return render.WriteDiffJSON(std.Out, step.Comparison, guide, options)
	case "html":
		return render.WriteDiffHTML(std.Out, step.Comparison, guide, options)
	}
	if !isFirst {
		fmt.Fprintln(std.Out)
	}
	fmt.Fprintln(std.Out, options.Palette.Request.Render(text.Escape(step.Heading(options.ASCII))))
	return render.WriteDiff(std.Out, step.Comparison, guide, options)
}
