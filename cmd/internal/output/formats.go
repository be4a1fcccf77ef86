package output

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/export"
	"github.com/kubeapitrace/apitrace/view"
)

// A format is an output format of a recording.
type format struct {
	name  string
	write func(ctx context.Context, o *Options, std *console.Streams, recording *trace.Recording) error
}

// formats are all formats, in the order in which messages list them.
var formats = []format{
	{"tree", writeTree},
	{"names", writeNames},
	{"json", whole(trace.WriteJSON)},
	{"html", writeHTML},
	{"stdout", writeStdout},
	{"yaml", whole(export.WriteYAML)},
	{"chrome", whole(export.WriteChrome)},
	{"folded", whole(export.WriteFolded)},
	{"mermaid", writeMermaid},
}

// Formats are the output formats of a recording.
var Formats = namesOf(formats)

func namesOf(formats []format) (names []string) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// AddFormatFlag adds -o, the flag that sets Format.
func (o *Options) AddFormatFlag(command *cobra.Command) {
	command.Flags().StringVarP(&o.Format, "output", "o", "tree", "what to print: tree, names (one function per line), json, yaml, html (one file for a browser), stdout (OpenTelemetry spans), chrome (trace events for Perfetto), folded (stacks for flame graphs), or mermaid (diagram)")
	_ = command.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(Formats, cobra.ShellCompDirectiveNoFileComp))
}

// whole returns the write function of a format that depends only on the recording.
func whole(write func(io.Writer, *trace.Recording) error) func(context.Context, *Options, *console.Streams, *trace.Recording) error {
	return func(_ context.Context, _ *Options, std *console.Streams, recording *trace.Recording) error {
		return write(std.Out, recording)
	}
}

// writeNames writes the names of all calls, or of the calls that the filters select.
func writeNames(_ context.Context, o *Options, std *console.Streams, recording *trace.Recording) error {
	if !o.selects() {
		return trace.WriteNames(std.Out, recording)
	}
	guide, err := instrument.Load()
	if err != nil {
		return err
	}
	options, err := o.drawing(std, guide, recording)
	if err != nil {
		return err
	}
	options.Full = true
	return view.WriteNames(std.Out, recording, guide.ForReader(options.Lang, recording), options.Choice)
}

func writeTree(_ context.Context, o *Options, std *console.Streams, recording *trace.Recording) error {
	guide, err := instrument.Load()
	if err != nil {
		return err
	}
	options, err := o.drawing(std, guide, recording)
	if err != nil {
		return err
	}
	steps := guide.ForReader(options.Lang, recording)
	if o.Sort != "" && o.Sort != OrderTime {
		tops, err := view.NewTops(recording, steps, options.Options, view.TopOrder(o.Sort))
		if err != nil {
			return err
		}
		return render.WriteTop(std.Out, tops, o.Most, options)
	}
	if o.View == "story" || o.Sort == OrderTime || o.anyView() {
		story := view.NewCausalStory(recording, steps, options.Lang)
		switch {
		case len(story.Lines) > 0:
			return o.writeStory(std.Out, story, options)
		case o.View == "story" || o.Sort == OrderTime:
			return errNoStory()
		}
	}
	write := render.WriteTree
	if o.View == "outline" {
		options.Outline, write = true, render.WriteOutline
	} else {
		explainSigns(std, &options.Layout)
	}
	traces, err := view.NewTraces(recording, steps, options.Options)
	if err != nil {
		return err
	}
	return write(std.Out, traces, options)
}

// writeStory writes a story in the order that Sort asks for.
func (o *Options) writeStory(w io.Writer, story *view.CausalStory, options render.Options) error {
	if o.Sort == OrderTime {
		return render.WriteStoryByTime(w, story, options)
	}
	return render.WriteStory(w, story, options)
}

func errNoStory() error {
	return message.UsageErrorf("the recording has nothing that a request caused in a control plane, so there is no story: \"apitrace exec --follow 1m --save FILE -- PROGRAM\" records it")
}

// anyView reports whether no option asks for trees.
func (o *Options) anyView() bool {
	return o.View == "" && !o.selects() && !o.Full && !o.Upstream && !o.Notes
}

// ShowTrees sets the view of a recording's trees, if no view is set: its story was told already,
// or only some requests are shown.
func (o *Options) ShowTrees() {
	if o.View == "" {
		o.View = "path"
	}
}

func writeHTML(_ context.Context, o *Options, std *console.Streams, recording *trace.Recording) error {
	return o.HTML(std.Out, recording, o.Lang)
}

func writeStdout(ctx context.Context, _ *Options, std *console.Streams, recording *trace.Recording) error {
	return trace.WriteStdout(ctx, std.Out, recording)
}

func writeMermaid(_ context.Context, o *Options, std *console.Streams, recording *trace.Recording) error {
	guide, err := instrument.Load()
	if err != nil {
		return err
	}
	lang, err := Language(o.Lang)
	if err != nil {
		return err
	}
	steps := guide.ForReader(lang, recording)
	if o.View == "story" || o.anyView() {
		story := view.NewCausalStory(recording, steps, lang)
		switch {
		case len(story.Lines) > 0:
			return render.WriteStoryMermaid(std.Out, story, lang)
		case o.View == "story":
			return errNoStory()
		}
	}
	return export.WriteMermaid(std.Out, recording, diagramGuide{steps})
}

// A diagramGuide gives the layers in a diagram the same colours as in the tree.
type diagramGuide struct{ *instrument.ReaderGuide }

// Colour returns a layer's colour, the same in every view.
func (diagramGuide) Colour(layer string) string { return view.LayerColour(layer) }
