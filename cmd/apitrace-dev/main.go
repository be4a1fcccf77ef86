// Command apitrace-dev does the work of apitrace's maintainers in a checkout. It makes
// the recordings and indexes for the next build. It also adds releases of Kubernetes,
// and makes the files of a release of apitrace.
//
// It is not part of a release of apitrace. Its messages are in English only.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	std := console.Standard()
	err := newRoot(std).ExecuteContext(ctx)
	std.Close()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func newRoot(std *console.Streams) *cobra.Command {
	root := &cobra.Command{Use: "apitrace-dev", Short: "Maintain apitrace in its checkout", SilenceErrors: true, SilenceUsage: true}
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	root.AddCommand(newRecordCommand(std), newAddReleaseCommand(std), newDistCommand())
	return root
}
