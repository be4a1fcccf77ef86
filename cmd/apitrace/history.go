package main

import (
	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/commandline"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/internal/message"
)

func newHistoryCommand(std *console.Streams) *cobra.Command {
	o := &output.Options{View: "path"}
	command := newCommand("history", commandline.OneArgument(message.Of("a scenario (see \"apitrace scenarios\") or the name of a function")), func(c *cobra.Command, args []string) error {
		if err := o.ValidateView(); err != nil {
			return err
		}
		return std.InPager(commandline.Pages(c, "history"), func(shown *console.Streams) error { return o.WriteHistory(shown, args[0]) })
	})
	command.ValidArgsFunction = func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		names, _ := completeScenario(std)(c, args, typed)
		functions, directive := completeFunction(c, args, typed)
		return append(names, functions...), directive
	}
	flags := command.Flags()
	flags.IntVar(&o.Width, "width", 0, "write this many columns wide (0: as wide as the terminal, else 80)")
	flags.StringVar(&o.Colour, "color", "auto", "when to use colours: auto, always or never")
	flags.BoolVar(&o.ASCII, "ascii", false, "write with ASCII characters only")
	addLanguageFlag(command, &o.Lang)
	return command
}
