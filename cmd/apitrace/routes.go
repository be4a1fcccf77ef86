package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/console"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/routes"
)

// bootScenario is the scenario whose trace shows the routes being built.
const bootScenario = "boot"

// routesOptions select the routes to list, and the format.
type routesOptions struct {
	server serverFlags
	live   bool
	trace  string
	filter routes.Filter
	format string
}

func newRoutesCommand(std *console.Streams) *cobra.Command {
	o := &routesOptions{}
	command := newCommand("routes", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		if err := errors.Join(o.server.validate(), o.validate(c)); err != nil {
			return err
		}
		return o.run(c.Context(), std)
	})
	o.server.addVersion(command)
	flags := command.Flags()
	flags.BoolVar(&o.live, "live", false, "start a server now and trace that, instead of reading the recording")
	flags.StringVar(&o.trace, "trace", "", "read this saved trace of \"apitrace run boot\" instead")
	flags.StringVar(&o.filter.Resource, "resource", "", "only the routes of this resource: pods, deployments.apps, pods/status")
	flags.StringVar(&o.filter.Method, "method", "", "only this HTTP method")
	flags.StringVarP(&o.format, "output", "o", "table", "what to print: table, wide or json")
	_ = command.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"table", "wide", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return command
}

func (o *routesOptions) validate(command *cobra.Command) error {
	if !slices.Contains([]string{"table", "wide", "json"}, o.format) {
		return usage.Errorf("unknown output %q: expected table, wide or json", o.format)
	}
	if o.trace != "" && (o.live || command.Flags().Changed("k8s")) {
		return usage.Errorf("--trace %s is a recording of one release at one moment: leave --k8s and --live out", o.trace)
	}
	return nil
}

func (o *routesOptions) run(ctx context.Context, std *console.Streams) error {
	recording, err := o.load(ctx, std)
	if err != nil {
		return err
	}
	wanted, err := routes.Choose(recording, o.filter)
	if err != nil {
		return err
	}
	if o.format == "json" {
		return std.WriteJSON(wanted)
	}
	return routes.Write(std.Out, wanted, o.format == "wide", std.Printer)
}

func (o *routesOptions) load(ctx context.Context, std *console.Streams) (*trace.Recording, error) {
	switch {
	case o.trace != "":
		return std.Load(o.trace)
	case o.live:
		return o.record(ctx, std)
	}
	recording, err := session.Recorded(o.server.Version, bootScenario)
	if err != nil {
		return nil, message.Errorf("%w; or add --live", err)
	}
	std.Notice("from a recording of Kubernetes %s, made on %s; --live starts a server now", recording.K8sVersion, recording.Recorded.Format(time.DateOnly))
	return recording, nil
}

// record starts a server and returns the trace of its start.
func (o *routesOptions) record(ctx context.Context, std *console.Streams) (*trace.Recording, error) {
	scenario, err := scenarios.Find(bootScenario)
	if err != nil {
		return nil, err
	}
	recording, _, err := session.RunTraced(ctx, o.server.ServerOptions, scenario, std)
	return recording, err
}
