package main

import (
	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/commandline"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
)

// scenariosShowOptions set how a scenario is described.
type scenariosShowOptions struct {
	lang   string
	output string
}

func newScenariosShowCommand(std *console.Streams) *cobra.Command {
	o := &scenariosShowOptions{}
	command := newCommand("scenarios-show", commandline.OneArgument(message.Of("the name of a scenario (see \"apitrace scenarios\") or the path of a scenario file")), func(_ *cobra.Command, args []string) error { return o.run(std, args[0]) })
	command.ValidArgsFunction = completeScenario(std)
	addLanguageFlag(command, &o.lang)
	command.Flags().StringVarP(&o.output, "output", "o", "text", "form of output: text or yaml")
	return command
}

func (o *scenariosShowOptions) run(std *console.Streams, name string) error {
	lang, err := output.Language(o.lang)
	if err != nil {
		return err
	}
	if o.output != "text" && o.output != "yaml" {
		return message.UsageErrorf("unknown output %q: expected text or yaml", o.output)
	}
	s, err := scenarios.Find(name)
	if err != nil {
		return err
	}
	if o.output == "yaml" {
		_, err = std.Out.Write([]byte(s.Source))
		return err
	}
	library, err := scenarios.List()
	if err != nil {
		return err
	}
	_, err = std.Out.Write([]byte(s.Describe(library, lang)))
	return err
}
