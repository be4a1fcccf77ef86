package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// buildOptions select the programs to build.
type buildOptions struct {
	server serverFlags
	plain  bool
	sample bool
	dryRun bool
}

func newBuildCommand(std *console.Streams) *cobra.Command {
	o := &buildOptions{}
	command := newCommand("build", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		if err := errors.Join(o.server.validate(), o.validate()); err != nil {
			return err
		}
		if o.dryRun {
			return o.server.WritePlan(c.Context(), o.plain, o.optional(), std.Out, std.Printer)
		}
		paths, err := o.server.BuildAll(c.Context(), o.plain, o.optional(), std)
		if err == nil {
			fmt.Fprintln(std.Out, strings.Join(paths, "\n"))
		}
		return err
	})
	o.server.addVersion(command)
	addOwnFlags(command, &o.server.Own)
	addTrace(command, &o.server.Trace)
	o.server.addDebuggable(command)
	command.Flags().BoolVar(&o.plain, "plain", false, "build upstream's programs as they are, without tracing")
	command.Flags().BoolVar(&o.sample, "sample", false, "also build the sample API server of that version, for scenarios with an aggregated server")
	command.Flags().BoolVar(&o.server.ControlPlane, "control-plane", false, "also build the programs that run beside kube-apiserver in a cluster: kube-controller-manager, kube-scheduler and a kubelet")
	command.Flags().BoolVar(&o.dryRun, "dry-run", false, "print what would be done and do nothing")
	return command
}

func (o *buildOptions) validate() error {
	if o.plain && len(o.server.Trace) > 0 {
		return message.UsageErrorf("--plain builds without tracing: leave --trace out")
	}
	return nil
}

// optional returns the names of the programs to build in addition to the programs of
// every server.
func (o *buildOptions) optional() []string {
	if o.sample {
		return []string{sampleserver.Name}
	}
	return nil
}
