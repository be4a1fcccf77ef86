package main

import (
	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/machine"
	"github.com/kubeapitrace/apitrace/ui/mcp"
)

func newMCPCommand(std *console.Streams) *cobra.Command {
	var allowed bool
	server := &serverFlags{}
	command := newCommand("mcp", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		var live *session.ServerOptions
		if err := server.validate(); err != nil {
			return err
		}
		if allowed {
			live = &server.ServerOptions
		} else if c.Flags().Changed("k8s") || !server.Own.IsZero() {
			return message.UsageErrorf("--k8s and --server select the server of --live: add --live")
		}
		return mcp.Serve(c.Context(), mcp.Lines{In: std.In, Out: std.Out}, machine.Version(), std.Printer, live)
	})
	command.Flags().BoolVar(&allowed, "live", false, "also offer to replay scenarios and to send requests, on a server of this machine")
	server.addVersion(command)
	addOwnFlags(command, &server.Own)
	takeOwnFlags(command, &server.Own)
	return command
}
