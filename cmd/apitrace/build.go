package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
)

// buildOptions say what to build.
type buildOptions struct {
	server serverOptions
	plain  bool
	dryRun bool
}

func newBuildCommand(io *streams) *cobra.Command {
	o := &buildOptions{}
	command := &cobra.Command{
		Use:   "build",
		Short: "Build kube-apiserver and etcd",
		Long: `Build a kube-apiserver that can be traced, and its etcd, or find them in the cache.
"apitrace run" does so by itself; this prepares for it. The paths of the two binaries
go to standard output.`,
		Example: `  # Prepare for working offline
  apitrace build --k8s v1.30.4

  # What would be done, as a shell script
  apitrace build --dry-run`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.server.validate(); err != nil {
				return err
			}
			return o.run(c.Context(), io)
		},
	}
	o.server.addVersionFlag(command)
	command.Flags().BoolVar(&o.plain, "plain", false, "build upstream's programs as they are, without tracing")
	command.Flags().BoolVar(&o.dryRun, "dry-run", false, "print what would be done and do nothing")
	return command
}

func (o *buildOptions) run(ctx context.Context, io *streams) error {
	if o.dryRun {
		return apiserver.WritePlan(ctx, io.out, apiserver.BuildOptions{Version: o.server.k8s, Plain: o.plain})
	}
	build, err := o.server.build(ctx, io, o.plain)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(io.out, "%s\n%s\n", build.APIServer.Path, build.Etcd.Path)
	return err
}
