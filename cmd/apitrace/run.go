package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/commandline"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// runOptions select the scenario, the server, and the output of the trace.
type runOptions struct {
	scenario string
	server   serverFlags
	delivery output.Delivery
}

func newRunCommand(std *console.Streams) *cobra.Command {
	o := &runOptions{}
	command := newCommand("run", commandline.OneArgument(message.Of("the name of a scenario (see \"apitrace scenarios\") or the path of a scenario file")), func(c *cobra.Command, args []string) error {
		o.scenario = args[0]
		if err := errors.Join(o.delivery.Validate(), o.server.validate(), validateOnly(o.delivery.Only)); err != nil {
			return err
		}
		return o.run(c.Context(), std)
	})
	command.ValidArgsFunction = completeScenario(std)
	o.server.add(command)
	o.server.addFresh(command)
	o.server.addOutsidePaths(command)
	addOnlyFlag(command, &o.delivery.Only)
	addDeliveryFlags(command, &o.delivery)
	takeOwnFlags(command, &o.server.Own)
	return command
}

func (o *runOptions) run(ctx context.Context, std *console.Streams) error {
	return o.server.Replay(ctx, o.scenario, std, func(recording *trace.Recording) error {
		return o.delivery.Deliver(context.WithoutCancel(ctx), std, recording)
	})
}
