package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
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
	command.ValidArgsFunction = completeScenario(std)
	o.output.View, o.output.Format = "path", "tree"
	o.server.addVersion(command)
	addOnlyFlag(command, &o.only)
	addLanguageFlag(command, &o.output.Lang)
	command.Flags().StringVar(&o.output.Colour, "color", "auto", "when to use colours: auto, always or never")
	command.Flags().BoolVar(&o.output.ASCII, "ascii", false, "draw with ASCII characters only")
	return command
}
