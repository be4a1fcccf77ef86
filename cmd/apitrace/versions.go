package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session/machine"
)

func newVersionsCommand(std *console.Streams) *cobra.Command {
	var format string
	var recorded bool
	command := newCommand("versions", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		if recorded {
			return machine.WriteRecorded(std.Out, std.Printer)
		}
		all, err := machine.Releases(c.Context())
		if err != nil {
			return err
		}
		switch format {
		case "table":
			return machine.WriteReleases(std.Out, all, std.Printer)
		case "json":
			return std.WriteJSON(all)
		case "name":
			for _, r := range all {
				fmt.Fprintln(std.Out, r.K8sVersion)
			}
			return nil
		}
		return message.UsageErrorf("unknown output %q: expected one of table, json, name", format)
	})
	command.Flags().StringVarP(&format, "output", "o", "table", "what to print: table, json, or name (one version per line)")
	command.Flags().BoolVar(&recorded, "recorded", false, "list when each version was recorded, and the scenarios that are not recorded, without the state of this machine")
	_ = command.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"table", "json", "name"}, cobra.ShellCompDirectiveNoFileComp))
	return command
}
