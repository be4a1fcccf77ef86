package main

import (
	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/session/console"
	"github.com/kubeapitrace/apitrace/session/machine"
)

func newVersionCommand(std *console.Streams) *cobra.Command {
	return newCommand("version", cobra.NoArgs, func(*cobra.Command, []string) error { return machine.WriteVersion(std.Out, std.Printer) })
}
