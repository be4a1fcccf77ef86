package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/render/terminal"
	"github.com/kubeapitrace/apitrace/session/console"
	"github.com/kubeapitrace/apitrace/trace"
)

func newExploreCommand(std *console.Streams) *cobra.Command {
	o := &showOptions{interactive: true}
	command := newCommand("explore", cobra.MaximumNArgs(1), func(c *cobra.Command, args []string) error {
		const first = "get-node"
		o.what = strings.Join(append(args, first)[:1], "")
		if err := errors.Join(o.output.validateView(), o.server.validate(), o.validate(c)); err != nil {
			return err
		}
		return o.run(c.Context(), std)
	})
	command.ValidArgsFunction = completeScenario
	o.output.view, o.output.format = "path", "tree"
	o.server.addVersion(command)
	addOnlyFlag(command, &o.only)
	addLanguageFlag(command, &o.output.lang)
	command.Flags().StringVar(&o.output.colour, "color", "auto", "when to use colours: auto, always or never")
	command.Flags().BoolVar(&o.output.ascii, "ascii", false, "draw with ASCII characters alone")
	return command
}

// explore shows a recording full screen until the user leaves.
func explore(ctx context.Context, std *console.Streams, recording *trace.Recording, o *outputOptions) error {
	options, err := fullScreen(std, o, len(recording.Requests))
	if err != nil {
		return err
	}
	model, err := terminal.New(&terminal.Local{}, recording, options)
	if err != nil {
		return err
	}
	return terminal.Run(ctx, model, std.In, std.Raw())
}

// fullScreen returns the options of a full-screen view of so many requests, or an error without a terminal.
func fullScreen(std *console.Streams, o *outputOptions, requests int) (terminal.Options, error) {
	if std.Width == 0 {
		return terminal.Options{}, errors.New("the full-screen view needs a terminal, and standard output is not a terminal; \"apitrace show\" prints the same")
	}
	lang, err := language(o.lang)
	if err != nil {
		return terminal.Options{}, err
	}
	colour, err := render.UseColour(o.colour, true, os.Getenv)
	return terminal.Options{Lang: lang, Colour: colour, ASCII: o.ascii || asciiLocale(os.Getenv), Steps: render.StepsPerRequest(requests)}, err
}
