package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/session/console"
)

func newVersionCommand(std *console.Streams) *cobra.Command {
	return newCommand("version", cobra.NoArgs, func(*cobra.Command, []string) error {
		_, err := fmt.Fprintf(std.Out, "apitrace %s\nbuilt with %s for %s/%s\ntraces Kubernetes %s by default\n",
			ownVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH, apiserver.DefaultVersion)
		return err
	})
}

// ownVersion is what the go command has noted of this build: the module's
// version, which names the commit where there is no release.
func ownVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown)"
}
