package main

import (
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/render/mcp"
	"github.com/kubeapitrace/apitrace/session/console"
	"github.com/kubeapitrace/apitrace/session/machine"
)

func newMCPCommand(std *console.Streams) *cobra.Command {
	return newCommand("mcp", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		transport := &sdk.IOTransport{Reader: io.NopCloser(std.In), Writer: unclosed{std.Out}}
		return mcp.Serve(c.Context(), transport, machine.Version(), std.Printer)
	})
}

// unclosed is a writer whose Close does nothing: its owner closes it.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
