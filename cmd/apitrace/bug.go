package main

import (
	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/session/machine"
)

func newBugCommand(std *console.Streams) *cobra.Command {
	o, out := &serverFlags{}, ""
	command := newCommand("bug", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		if err := o.validate(); err != nil {
			return err
		}
		if out == "" {
			return machine.WriteBug(c.Context(), o.Version, std.Out, std.Printer)
		}
		std.Notice("writing to %s; read it before you send it", out)
		return machine.WriteBugFile(c.Context(), o.Version, out, std.Printer)
	})
	o.addVersion(command)
	command.Flags().StringVar(&out, "out", "", "write the report to this file, which only you can read, instead of standard output")
	return command
}
