package main

import (
	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
)

// exportTourOptions select the recording and the requests of a tour.
type exportTourOptions struct {
	recorded recordedOptions
	lang     string
}

func newExportTourCommand(std *console.Streams) *cobra.Command {
	o := &exportTourOptions{}
	command := newCommand("export-tour", oneRecording, func(c *cobra.Command, args []string) error {
		recording, err := o.recorded.load(c, std, args[0])
		if err != nil {
			return err
		}
		return output.WriteTour(std.Out, recording, o.lang)
	})
	o.recorded.add(command, std)
	addLanguageFlag(command, &o.lang)
	return command
}
