package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/session/machine"
	"github.com/kubeapitrace/apitrace/ui/web"
)

func newWebCommand(std *console.Streams) *cobra.Command {
	run := web.Run{Options: web.Options{Version: machine.Version()}}
	command := newCommand("web", cobra.ArbitraryArgs, func(c *cobra.Command, args []string) error {
		if err := run.Add(args, std.Load); err != nil {
			return err
		}
		if err := run.Serve(c.Context(), func(address string) { fmt.Fprintln(std.Out, address) }, std.Notice); err != nil {
			return err
		}
		return &exitError{} // Ctrl-C is the normal end
	})
	command.Flags().StringVar(&run.Listen, "listen", "0", "the port, or an address of this machine, to listen on; 0 is any free port")
	command.Flags().BoolVar(&run.NoOpen, "no-open", false, "do not open the browser")
	return command
}

func newSiteCommand(std *console.Streams) *cobra.Command {
	site := web.Site{Version: machine.Version()}
	command := newCommand("site", cobra.NoArgs, func(c *cobra.Command, _ []string) error { return site.Write(c.Context(), std.Notice) })
	command.Flags().StringVar(&site.Out, "out", "", "the folder to write: new, empty, or an earlier site, which is replaced")
	command.Flags().StringSliceVar(&site.Releases, "k8s", nil, "only these releases, such as 1.30,1.37")
	command.Flags().StringSliceVar(&site.Scenarios, "scenario", nil, "only these scenarios, such as get-node,boot")
	command.Flags().BoolVar(&site.DryRun, "dry-run", false, "print the size of the site, and write nothing")
	return command
}
