package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/workshop/learner"
)

func newLearnCommand(std *console.Streams) *cobra.Command {
	o := &workshopOptions{}
	command := newCommand("learn", cobra.NoArgs, o.withLearner(std, func(l *learner.Learner, ctx context.Context, _ []string) error {
		return l.Learn(ctx, drawFirst(o.shown, o.lang))
	}))
	o.addFlags(command, command.Flags())
	return command
}

// drawFirst returns a function that draws the first tree of a learner. The tree shows
// only two layers, to fit one screen.
func drawFirst(std *console.Streams, lang string) func(context.Context, *trace.Recording) error {
	return func(ctx context.Context, recording *trace.Recording) error {
		o := output.Options{Format: "tree", View: "path", Colour: "auto", NoPager: true, Lang: lang, Filter: output.Filter{Layers: []string{"handler", "registry"}}}
		return o.Write(ctx, std, recording)
	}
}
