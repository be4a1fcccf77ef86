package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/diff"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/render"
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
	flags.BoolVar(&o.times, "times", false, "write behind each call how long it took on both sides; times vary from run to run, and are never a change")
	flags.BoolVar(&o.links, "links", false, "write below each change where upstream shows its code and what happened to the file")
	_ = command.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(diffFormats, cobra.ShellCompDirectiveNoFileComp))
	o.view.addDrawingFlags(command)
	addLanguageFlag(command, &o.view.lang)
}

func (o *diffOutput) validate() error {
	if !slices.Contains(diffFormats, o.format) {
		return usageErrorf("unknown output %q: expected one of %s", o.format, strings.Join(diffFormats, ", "))
	}
	return o.view.validateView()
}

// A compared is what is printed: two recordings, and what each is called.
type compared struct {
	*diff.Comparison
	nameA, nameB string
}

// write prints how recordings differ, step by step. It returns errDifferent if any two do.
func (o *diffOutput) write(io *streams, steps []compared, summaryOnly bool) error {
	if o.format == "html" && len(steps) > 1 {
		return usageErrorf("-o html is one page for two releases: name them instead of a range")
	}
	guide, err := instrument.Load()
	if err != nil {
		return err
	}
	lang, err := language(o.view.lang)
	if err != nil {
		return err
	}
	spoken := newSpokenGuide(guide, lang)
	drawing, err := o.view.drawing(io, guide)
	if err != nil {
		return err
	}
	options := render.DiffOptions{
		Options: drawing, Lang: lang, SideBySide: o.sideBySide, Links: o.links, Times: o.times,
		SummaryOnly: summaryOnly || o.view.view == "outline",
	}
	same := true
	for i, step := range steps {
		options.NameA, options.NameB = step.nameA, step.nameB
		if err := o.writeStep(io, step, i, spoken, options); err != nil {
			return err
		}
		same = same && step.Same()
	}
	if !same {
		return errDifferent
	}
	return nil
}

func (o *diffOutput) writeStep(io *streams, step compared, i int, guide render.Guide, options render.DiffOptions) error {
	switch o.format {
	case "names":
		return render.WriteDiffNames(io.out, step.Comparison, options)
	case "json":
		return render.WriteDiffJSON(io.out, step.Comparison, guide, options)
	case "html":
		return render.WriteDiffHTML(io.out, step.Comparison, guide, options)
	}
	if i > 0 {
		fmt.Fprintln(io.out)
	}
	fmt.Fprintln(io.out, options.Palette.Request.Render(step.heading(options.ASCII)))
	return render.WriteDiff(io.out, step.Comparison, guide, options)
}

// heading names both sides.
func (c *compared) heading(ascii bool) string {
	scenario := cmp.Or(c.B.Scenario, c.A.Scenario)
	if c.A.Scenario != c.B.Scenario {
		return fmt.Sprintf("%s | %s: kube-apiserver %s, etcd %s", c.A.Scenario, c.B.Scenario, c.B.K8sVersion, c.B.EtcdVersion)
	}
	arrow := "→"
	if ascii {
		arrow = "->"
	}
	return fmt.Sprintf("%s: kube-apiserver %s, etcd %s %s %s, %s", scenario, c.A.K8sVersion, c.A.EtcdVersion, arrow, c.B.K8sVersion, c.B.EtcdVersion)
}
