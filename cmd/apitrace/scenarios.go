package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/scenarios"
)

// scenariosOptions say how the scenarios are listed.
type scenariosOptions struct {
	lang  string
	pairs bool
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
  apitrace scenarios --lang zh

  # two that are worth comparing, and what to look at
  apitrace scenarios --pairs`,
		Args: knownCommand,
		RunE: func(*cobra.Command, []string) error { return o.run(io) },
	}
	addLanguageFlag(command, &o.lang)
	command.Flags().BoolVar(&o.pairs, "pairs", false, "list pairs of scenarios that are worth comparing, and what they teach")
	command.AddCommand(newScenariosShowCommand(io))
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
	if o.pairs {
		return writePairs(io, all, lang)
	}
	table := tabwriter.NewWriter(io.out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "TOPIC\tNAME\tTITLE")
	for _, s := range all {
		fmt.Fprintf(table, "%s\t%s\t%s\n", s.Topic, s.Name, s.Title.In(lang))
	}
	return table.Flush()
}

func writePairs(io *streams, all []*scenarios.Scenario, lang string) error {
	for _, s := range all {
		for _, pair := range s.Pairs {
			if _, err := fmt.Fprintf(io.out, "%s, %s\n%s\n", pair.With, s.Name, paragraph(pair.Teaches.In(lang), "    ")); err != nil {
				return err
			}
		}
	}
	return nil
}
