package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/session/machine"
)

// versionText returns the output of "apitrace version".
func versionText(std *console.Streams) string {
	var text strings.Builder
	_ = machine.WriteVersion(&text, std.Printer) // a strings.Builder returns no errors
	return text.String()
}

func newVersionCommand(std *console.Streams) *cobra.Command {
	return newCommand("version", cobra.NoArgs, func(*cobra.Command, []string) error { return machine.WriteVersion(std.Out, std.Printer) })
}
