package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// routesOptions select the server and its routes, and the format.
type routesOptions struct {
	server serverFlags
	output output.Routes
}

func newRoutesCommand(std *console.Streams) *cobra.Command {
	o := &routesOptions{}
	command := newCommand("routes", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		if err := errors.Join(o.server.validate(), o.output.Validate(), o.validate(c)); err != nil {
			return err
		}
		return o.output.Write(c.Context(), std, o.server.ServerOptions)
	})
	o.server.addVersion(command)
	addOwnFlags(command, &o.server.Own)
	flags := command.Flags()
	flags.BoolVar(&o.output.Live, "live", false, "start and trace a server now instead of reading the recording")
	flags.StringVar(&o.output.Trace, "trace", "", "read this saved trace of \"apitrace run boot\" instead")
	flags.StringVar(&o.output.Filter.Resource, "resource", "", "only the routes of this resource: pods, deployments.apps, pods/status")
	flags.StringVar(&o.output.Filter.Method, "method", "", "only this HTTP method")
	flags.StringVarP(&o.output.Format, "output", "o", "table", "what to print: table, wide or json")
	_ = command.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(output.RouteFormats, cobra.ShellCompDirectiveNoFileComp))
	takeOwnFlags(command, &o.server.Own)
	return command
}

func (o *routesOptions) validate(command *cobra.Command) error {
	if o.output.Trace != "" && (o.output.Live || command.Flags().Changed("k8s") || !o.server.Own.IsZero()) {
		return message.UsageErrorf("--trace %s is a recording of one server at one moment: leave --k8s, --server and --live out", o.output.Trace)
	}
	return nil
}
