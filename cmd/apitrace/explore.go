package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/render/output"
	"github.com/kubeapitrace/apitrace/render/terminal"
	"github.com/kubeapitrace/apitrace/session/console"
	"github.com/kubeapitrace/apitrace/trace"
)

func newExploreCommand(std *console.Streams) *cobra.Command {
	o := &showOptions{interactive: true}
	command := newCommand("explore", cobra.MaximumNArgs(1), func(c *cobra.Command, args []string) error {
		const first = "get-node"
		o.what = strings.Join(append(args, first)[:1], "")
		if err := errors.Join(o.output.ValidateView(), o.server.validate(), o.validate(c)); err != nil {
			return err
		}
		return o.run(c.Context(), std)
	})
	command.ValidArgsFunction = completeScenario
	o.output.View, o.output.Format = "path", "tree"
	o.server.addVersion(command)
	addOnlyFlag(command, &o.only)
	addLanguageFlag(command, &o.output.Lang)
	command.Flags().StringVar(&o.output.Colour, "color", "auto", "when to use colours: auto, always or never")
	command.Flags().BoolVar(&o.output.ASCII, "ascii", false, "draw with ASCII characters only")
	return command
}

// explore shows a recording full screen until the user quits.
func explore(ctx context.Context, std *console.Streams, recording *trace.Recording, o *output.Options) error {
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

// fullScreen returns the options of a full-screen view of that many requests, or an error if there is no terminal.
func fullScreen(std *console.Streams, o *output.Options, requests int) (terminal.Options, error) {
	if std.Width == 0 {
		return terminal.Options{}, message.NewError("the full-screen view needs a terminal, and standard output is not a terminal; \"apitrace show\" prints the same")
	}
	lang, err := output.Language(o.Lang)
	if err != nil {
		return terminal.Options{}, err
	}
	colour, err := render.UseColour(o.Colour, true, os.Getenv)
	return terminal.Options{Lang: lang, Colour: colour, ASCII: o.ASCII || output.ASCIILocale(os.Getenv), Steps: render.StepsPerRequest(requests)}, err
}
