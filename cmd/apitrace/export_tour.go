package main

import (
	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/spoken"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/render/output"
	"github.com/kubeapitrace/apitrace/render/tour"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/console"
)

// exportTourOptions say of what a tour is made.
type exportTourOptions struct {
	show showOptions
	lang string
}

func newExportTourCommand(std *console.Streams) *cobra.Command {
	o := &exportTourOptions{}
	command := newCommand("export-tour", oneArgument("the name of a scenario (see \"apitrace scenarios\") or the path of a saved recording"), func(c *cobra.Command, args []string) error {
		o.show.what = args[0]
		if err := o.show.validate(c); err != nil {
			return err
		}
		return o.run(std)
	})
	command.ValidArgsFunction = completeScenario
	o.show.server.addVersion(command)
	addOnlyFlag(command, &o.show.only)
	addLanguageFlag(command, &o.lang)
	return command
}

func (o *exportTourOptions) run(std *console.Streams) error {
	lang, err := output.Language(o.lang)
	if err != nil {
		return err
	}
	recording, err := o.show.load(std)
	if err != nil {
		return err
	}
	if recording.Requests, err = session.Choose(recording.Requests, o.show.only); err != nil {
		return err
	}
	guide, err := instrument.Load()
	if err != nil {
		return err
	}
	choice := tour.Choice{Most: render.StepsPerRequest(len(recording.Requests)), Lang: lang}
	return tour.Write(std.Out, recording, spoken.New(guide, lang, recording), choice)
}
