package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/render/output"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session/console"
	"github.com/kubeapitrace/apitrace/trace"
)

// runOptions say what to replay, against which server, and what to do with the trace.
type runOptions struct {
	scenario string
	server   serverFlags
	delivery output.Delivery
}

func newRunCommand(std *console.Streams) *cobra.Command {
	o := &runOptions{}
	command := newCommand("run", oneArgument("the name of a scenario (see \"apitrace scenarios\") or the path of a scenario file"), func(c *cobra.Command, args []string) error {
		o.scenario = args[0]
		if err := errors.Join(o.delivery.Validate(), o.server.validate()); err != nil {
			return err
		}
		return o.run(c.Context(), std)
	})
	command.ValidArgsFunction = completeScenario
	o.server.add(command)
	o.server.addFresh(command)
	addDeliveryFlags(command, &o.delivery)
	return command
}

// completeScenario offers the names of the scenarios, and files.
func completeScenario(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	all, err := scenarios.List()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, s := range all {
		names = append(names, s.Name+"\t"+s.Title.En)
	}
	return names, cobra.ShellCompDirectiveDefault
}

// completeScenarioName offers the names of the scenarios alone, for a flag.
func completeScenarioName(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	names, _ := completeScenario(c, nil, typed)
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (o *runOptions) run(ctx context.Context, std *console.Streams) error {
	return o.server.replay(ctx, std, o.scenario, func(recording *trace.Recording) error {
		return o.delivery.Deliver(context.WithoutCancel(ctx), std, recording)
	})
}
