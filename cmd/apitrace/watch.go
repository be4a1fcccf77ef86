package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/cmd/internal/commandline"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/internal/inorder"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/checkout"
	"github.com/kubeapitrace/apitrace/session/sides"
	"github.com/kubeapitrace/apitrace/trace"
)

func newWatchCommand(std *console.Streams) *cobra.Command {
	server, shown := &serverFlags{}, &output.Diff{GoesOn: true}
	command := newCommand("watch", commandline.OneArgument(message.Of("the name of a scenario (see \"apitrace scenarios\") or the path of a scenario file")), func(c *cobra.Command, args []string) error {
		if err := errors.Join(shown.Validate(), server.validate()); err != nil {
			return err
		}
		if shown.Format == "html" {
			return message.UsageErrorf("watch prints what each change does: choose another output than html")
		}
		version, err := apiserver.ParseVersion(server.Version)
		if err != nil {
			return message.ToUsageError(err)
		}
		scenario, err := session.FindScenario(args[0], version)
		if err != nil {
			return err
		}
		ctx := c.Context()
		watcher := checkout.Watcher{
			Options: server.ServerOptions, Scenario: scenario, Compare: shown.Comparison(), To: std,
			First: func(r *trace.Recording) error { return shown.WriteFirst(ctx, std, r) },
			Show: func(c sides.Compared) error {
				_, err := shown.Write(ctx, std, inorder.Each(1, func(int) (sides.Compared, error) { return c, nil }), false)
				return err
			},
			Failed: func(err error) { fmt.Fprintln(std.Err, std.Printer.Sprintf("error: %s", err)) },
		}
		return watcher.Run(ctx)
	})
	command.ValidArgsFunction = completeScenario(std)
	server.add(command)
	addDiffFlags(command, shown)
	takeOwnFlags(command, &server.Own)
	return command
}
