package main

import (
	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/session/machine"
)

func newDoctorCommand(std *console.Streams) *cobra.Command {
	o := &serverFlags{}
	command := newCommand("doctor", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		if err := o.validate(); err != nil {
			return err
		}
		return machine.WriteFindings(c.Context(), o.Version, std.Out, std.Printer)
	})
	o.addVersion(command)
	return command
}
