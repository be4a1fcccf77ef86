package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/commandline"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
)

// showOptions select the recording to show, and how to show it.
type showOptions struct {
	// what is the name of a scenario or the path of a file.
	what   string
	live   bool
	server serverFlags
	output output.Options
	// summary prints a table of the requests. only selects requests by their numbers in
	// the table.
	summary bool
	only    []int
	// interactive opens the full-screen view.
	interactive bool
	// signs prints an explanation of the tree's signs.
	signs bool
}

func newShowCommand(std *console.Streams) *cobra.Command {
	o := &showOptions{}
	command := newCommand("show", func(c *cobra.Command, args []string) error {
		if o.signs && len(args) == 0 {
			return nil
		}
		return commandline.OneArgument(message.Of("the name of a scenario (see \"apitrace scenarios\") or the path of a saved recording"))(c, args)
	}, func(c *cobra.Command, args []string) error {
		if o.signs {
			return o.output.WriteSigns(std)
		}
		o.what = args[0]
		if err := errors.Join(o.output.Validate(), o.server.validate(), o.validate(c)); err != nil {
			return err
		}
		return o.run(c.Context(), std)
	})
	command.ValidArgsFunction = completeScenario(std)
	o.server.addVersion(command)
	command.Flags().BoolVar(&o.live, "live", false, "replay the scenario now, as \"apitrace run\" does, instead of showing the recording")
	command.Flags().BoolVar(&o.summary, "summary", false, "print a table of the requests instead of their traces")
	addOnlyFlag(command, &o.only)
	command.Flags().BoolVarP(&o.interactive, "interactive", "i", false, "walk through the recording full screen, as \"apitrace explore\" does")
	command.Flags().BoolVar(&o.signs, "signs", false, "explain the signs of a tree on one screen")
	addOutputFlags(command, &o.output)
	return command
}

func (o *showOptions) validate(command *cobra.Command) error {
	if session.IsFile(o.what) && (o.live || command.Flags().Changed("k8s")) {
		return message.UsageErrorf("%q is a recording of one release: leave --k8s and --live out; they are for scenarios", o.what)
	}
	if o.summary && command.Flags().Changed("output") {
		return message.UsageErrorf("--summary is a table for people: leave it out, because -o %s has the requests too", o.output.Format)
	}
	if o.live && o.summary {
		return message.UsageErrorf("--summary reads a recording: leave --live out")
	}
	return validateOnly(o.only)
}

func (o *showOptions) run(ctx context.Context, std *console.Streams) error {
	if o.live {
		live := runOptions{scenario: o.what, server: o.server, delivery: output.Delivery{Output: o.output, Only: o.only}}
		return live.run(ctx, std)
	}
	recording, err := o.load(std)
	if err != nil {
		return err
	}
	if recording.Requests, err = session.Choose(recording.Requests, o.only); err != nil {
		return err
	}
	if o.interactive {
		return o.output.Explore(ctx, std, recording)
	}
	if o.summary {
		return session.WriteTable(std.Out, session.Summarize(recording), std.Printer)
	}
	return o.output.Write(ctx, std, recording)
}

func (o *showOptions) load(std *console.Streams) (*trace.Recording, error) {
	return session.Open(o.what, o.server.Version, std.In, std)
}
