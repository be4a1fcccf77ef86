package main

import (
	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// exportOptions select the requests to send and their destination.
type exportOptions struct {
	recorded recordedOptions
	otlp     bool
}

func newExportCommand(std *console.Streams) *cobra.Command {
	o := &exportOptions{}
	command := newCommand("export", oneRecording, func(c *cobra.Command, args []string) error {
		if !o.otlp {
			return message.UsageErrorf("no destination: expected --otlp; \"apitrace show -o\" writes other formats")
		}
		recording, err := o.recorded.load(c, std, args[0])
		if err != nil {
			return err
		}
		return output.SendOTLP(c.Context(), recording, std)
	})
	o.recorded.add(command, std)
	command.Flags().BoolVar(&o.otlp, "otlp", false, "send the recording by OTLP to the receiver that the OTEL_EXPORTER_OTLP_* variables name")
	command.AddCommand(newExportTourCommand(std))
	return command
}
