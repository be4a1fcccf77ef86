package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/session/console"
	"github.com/kubeapitrace/apitrace/trace/search"
)

// searchOptions select what to search for.
type searchOptions struct {
	value string
	most  int
}

func newSearchCommand(std *console.Streams) *cobra.Command {
	o := &searchOptions{}
	command := newCommand("search", cobra.MaximumNArgs(1), func(_ *cobra.Command, args []string) error {
		if o.most < 1 {
			return usage.Errorf("--most %d: expected at least 1", o.most)
		}
		if (len(args) == 1) == (o.value != "") || len(args) == 1 && args[0] == "" {
			return usage.Errorf("expected a text, or --value NAME=TEXT")
		}
		found, err := search.Find(strings.Join(args, ""), o.value)
		if err != nil {
			return err
		}
		return found.Write(std.Out, o.most, std.Printer)
	})
	command.Flags().StringVar(&o.value, "value", "", `search the values of a name: "flow_schema=exempt", or "flow_schema" for all`)
	command.Flags().IntVar(&o.most, "most", 20, "list at most this many functions, values and errors")
	return command
}
