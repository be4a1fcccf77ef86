package main

import (
	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/commandline"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// exportTourOptions select the recording and the requests of a tour.
type exportTourOptions struct {
	show showOptions
	lang string
}

func newExportTourCommand(std *console.Streams) *cobra.Command {
	o := &exportTourOptions{}
	command := newCommand("export-tour", commandline.OneArgument(message.Of("the name of a scenario (see \"apitrace scenarios\") or the path of a saved recording")), func(c *cobra.Command, args []string) error {
		o.show.what = args[0]
		if err := o.show.validate(c); err != nil {
			return err
		}
		recording, err := o.show.load(std)
		if err != nil {
			return err
		}
		return output.WriteTour(std.Out, recording, o.show.only, o.lang)
	})
	command.ValidArgsFunction = completeScenario(std)
	o.show.server.addVersion(command)
	addOnlyFlag(command, &o.show.only)
	addLanguageFlag(command, &o.lang)
	return command
}
