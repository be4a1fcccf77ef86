package main

import (
	"context"
	"os"

	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/session/code"
	"github.com/kubeapitrace/apitrace/session/console"
)

// diffSource compares the text of a function in two releases.
func (o *diffOptions) diffSource(ctx context.Context, std *console.Streams, args []string) error {
	if len(args) != 2 {
		return usage.Errorf("--source compares a function of two versions: expected \"apitrace diff --source %s VERSION VERSION\"", o.source)
	}
	if o.output.Format != "tree" || o.live != "" {
		return usage.Errorf("--source compares the text of a function: leave -o and --live out")
	}
	var releases [2]*code.Base
	for i, version := range args {
		options := code.Choice{K8s: version}
		err := options.Validate()
		if err == nil {
			releases[i], err = options.Open(std.In, std)
		}
		if err != nil {
			return err
		}
	}
	textA, textB, err := code.Texts(ctx, releases[0], releases[1], o.source)
	if err != nil {
		return err
	}
	colour, err := render.UseColour(o.output.View.Colour, std.Width > 0, os.Getenv)
	if err != nil {
		return err
	}
	options := source.DiffOptions{}
	if colour {
		palette := render.Colours()
		options = source.DiffOptions{Added: palette.Added, Removed: palette.Removed, Heading: palette.Place}
	}
	return differs(source.WriteDiff(std.Out, textA, textB, options))
}
