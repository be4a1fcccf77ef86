package main

import (
	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/internal/commandline"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session/console"
	"github.com/kubeapitrace/apitrace/session/machine"
)

func newVersionCommand(std *console.Streams) *cobra.Command {
	return newCommand("version", cobra.NoArgs, func(*cobra.Command, []string) error { return machine.WriteVersion(std.Out, std.Printer) })
}

func newManualCommand(*console.Streams) *cobra.Command {
	return newCommand("manual", commandline.OneArgument(message.Of("the folder for the pages")), func(c *cobra.Command, args []string) error {
		return commandline.WriteManual(c.Root(), args[0], machine.Version())
	})
}
