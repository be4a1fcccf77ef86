package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/commandline"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/controlplane"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace/search"
	"github.com/kubeapitrace/apitrace/workshop/reading"
)

func newSearchCommand(std *console.Streams) *cobra.Command {
	var query search.Query
	most, k8s := 0, ""
	command := newCommand("search", cobra.MaximumNArgs(1), func(c *cobra.Command, args []string) (err error) {
		query.Text = strings.Join(args, "")
		query.Release, err = session.RecordedReleaseOrAll(k8s)
		if err := errors.Join(query.Validate(most), err); err != nil {
			return err
		}
		if query.Layers, err = reading.Layers(std.Printer.Lang()); err != nil {
			return err
		}
		if query.Pages, err = reading.Pages(std.Printer.Lang()); err != nil {
			return err
		}
		played, err := reading.Scenarios(std.Printer.Lang())
		if err != nil {
			return err
		}
		query.Pages = append(query.Pages, played...)
		query.Enclosing = controlplane.Enclosing
		found, err := query.Find()
		if err != nil {
			return err
		}
		return std.InPager(commandline.Pages(c, "search"), func(shown *console.Streams) error { return found.Write(shown.Out, most, std.Printer) })
	})
	command.Flags().StringVar(&k8s, "k8s", "", "search only this version of Kubernetes (default: all that are recorded)")
	command.Flags().StringVar(&query.Value, "value", "", `search the recorded values with this name: "flow_schema=exempt", or "flow_schema" for all`)
	command.Flags().IntVar(&most, "most", 20, "list at most this many functions, values and errors")
	return command
}
