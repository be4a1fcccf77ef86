package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/commandline"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// exportOptions select the recording to send and its destination.
type exportOptions struct {
	file string
	otlp bool
}

func newExportCommand(std *console.Streams) *cobra.Command {
	o := &exportOptions{}
	command := newCommand("export", commandline.OneArgument(message.Of("the path of a saved recording")), func(c *cobra.Command, args []string) error {
		o.file = args[0]
		if !o.otlp {
			return message.UsageErrorf("no destination: expected --otlp; \"apitrace show -o\" writes other formats")
		}
		return o.run(c.Context(), std)
	})
	command.Flags().BoolVar(&o.otlp, "otlp", false, "send the recording by OTLP to the receiver that the OTEL_EXPORTER_OTLP_* variables name")
	command.AddCommand(newExportTourCommand(std))
	return command
}

func (o *exportOptions) run(ctx context.Context, std *console.Streams) error {
	recording, err := std.Load(o.file)
	if err != nil {
		return err
	}
	return output.SendOTLP(ctx, recording, std)
}
