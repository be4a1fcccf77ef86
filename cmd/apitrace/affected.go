package main

import (
	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/session/checkout"
)

func newAffectedCommand(std *console.Streams) *cobra.Command {
	o := output.Affected{}
	command := newCommand("affected", cobra.RangeArgs(1, 2), func(c *cobra.Command, args []string) error {
		before, after, err := checkout.Sides(c.Context(), args)
		if err != nil {
			return err
		}
		return o.Write(c.Context(), std, before, after)
	})
	command.Flags().StringVarP(&o.Format, "output", "o", "text", "what to print: text, or names (of the scenarios, one per line)")
	command.Flags().StringVar(&o.Release, "k8s", "", "use the recordings of this release (default: the release of the nearest git tag or, without tags, of the source)")
	addLanguageFlag(command, &o.Lang)
	_ = command.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(output.AffectedFormats, cobra.ShellCompDirectiveNoFileComp))
	return command
}
