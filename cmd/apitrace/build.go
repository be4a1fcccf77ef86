package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/console"
)

// buildOptions say what to build.
type buildOptions struct {
	server serverFlags
	plain  bool
	sample bool
	dryRun bool
}

func newBuildCommand(std *console.Streams) *cobra.Command {
	o := &buildOptions{}
	command := newCommand("build", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		if err := o.server.validate(); err != nil {
			return err
		}
		return o.run(c.Context(), std)
	})
	o.server.addVersion(command)
	command.Flags().BoolVar(&o.plain, "plain", false, "build upstream's programs as they are, without tracing")
	command.Flags().BoolVar(&o.sample, "sample", false, "build the sample API server of that version as well, for scenarios with an aggregated server")
	command.Flags().BoolVar(&o.dryRun, "dry-run", false, "print what would be done and do nothing")
	return command
}

func (o *buildOptions) run(ctx context.Context, std *console.Streams) error {
	if o.dryRun {
		return o.writePlan(ctx, std)
	}
	build, err := o.server.Build(ctx, o.plain, std)
	if err != nil {
		return err
	}
	paths := []string{build.APIServer.Path, build.Etcd.Path}
	if o.sample {
		sample, err := session.BuildSample(ctx, o.server.Version, o.plain, std)
		if err != nil {
			return err
		}
		paths = append(paths, sample.Path)
	}
	_, err = fmt.Fprintln(std.Out, strings.Join(paths, "\n"))
	return err
}

func (o *buildOptions) writePlan(ctx context.Context, std *console.Streams) error {
	edits, err := o.server.Edits.Dir()
	if err != nil {
		return err
	}
	wanted := apiserver.BuildOptions{Version: o.server.Version, Plain: o.plain, EditsDir: edits}
	if err := apiserver.WritePlan(ctx, std.Out, wanted); err != nil || !o.sample {
		return err
	}
	fmt.Fprintln(std.Out)
	return apiserver.WriteSamplePlan(ctx, std.Out, wanted)
}
