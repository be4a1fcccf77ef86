package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/scenarios"
)

// scenariosOptions say how the scenarios are listed.
type scenariosOptions struct {
	lang string
}

func newScenariosCommand(io *streams) *cobra.Command {
	o := &scenariosOptions{}
	command := &cobra.Command{
		Use:   "scenarios",
		Short: "List the scenarios that can be run",
		Long: `List the scenarios that come with apitrace, by topic. A scenario is a YAML file; to
write one of your own, start from one of these and run it by its path.`,
		Example: `  apitrace scenarios

  # in Chinese
  apitrace scenarios --lang zh`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return o.run(io) },
	}
	addLanguageFlag(command, &o.lang)
	return command
}

func (o *scenariosOptions) run(io *streams) error {
	lang, err := language(o.lang)
	if err != nil {
		return err
	}
	all, err := scenarios.List()
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(io.out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "TOPIC\tNAME\tTITLE")
	for _, s := range all {
		title := s.Title.En
		if lang == "zh" {
			title = s.Title.Zh
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", s.Topic, s.Name, title)
	}
	return table.Flush()
}
