package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/commandline"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
)

// scenariosOptions set how the scenarios are listed.
type scenariosOptions struct {
	lang   string
	format string
	pairs  bool
	schema bool
	// k8s leaves out scenarios that this version cannot run; "" lists all.
	k8s string
}

func newScenariosCommand(std *console.Streams) *cobra.Command {
	o := &scenariosOptions{}
	command := newCommand("scenarios", commandline.KnownCommand, func(*cobra.Command, []string) error { return o.run(std) })
	addLanguageFlag(command, &o.lang)
	command.Flags().BoolVar(&o.pairs, "pairs", false, "list pairs of scenarios that are worth comparing, and what they teach")
	command.Flags().BoolVar(&o.schema, "schema", false, "print the JSON Schema of scenario files")
	command.Flags().StringVarP(&o.format, "output", "o", "table", "what to print: table, json, or name (one scenario per line)")
	_ = command.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"table", "json", "name"}, cobra.ShellCompDirectiveNoFileComp))
	command.MarkFlagsMutuallyExclusive("pairs", "schema", "output")
	command.Flags().StringVar(&o.k8s, "k8s", "", "list only scenarios that this version of Kubernetes can run")
	command.AddCommand(newScenariosShowCommand(std))
	return command
}

func (o *scenariosOptions) run(std *console.Streams) error {
	if o.schema {
		_, err := fmt.Fprint(std.Out, scenarios.Schema)
		return err
	}
	lang, err := output.Language(o.lang)
	if err != nil {
		return err
	}
	all, err := session.Scenarios(o.k8s)
	if err != nil {
		return err
	}
	if o.pairs {
		return scenarios.WritePairs(std.Out, all, lang)
	}
	switch o.format {
	case "table":
		return scenarios.WriteList(std.Out, all, lang)
	case "json":
		return std.WriteJSON(scenarios.Listing(all, lang))
	case "name":
		for _, s := range all {
			fmt.Fprintln(std.Out, s.Name)
		}
		return nil
	}
	return message.UsageErrorf("unknown output %q: expected one of table, json, name", o.format)
}
