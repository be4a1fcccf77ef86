package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session"
)

// showOptions select the recording to show, and how to show it.
type showOptions struct {
	recordedOptions
	live   bool
	output output.Options
	// summary prints a table of the requests.
	summary bool
	// interactive opens the full-screen view.
	interactive bool
	// signs prints an explanation of the tree's signs, and no recording.
	signs bool
}

func newShowCommand(std *console.Streams) *cobra.Command {
	o := &showOptions{}
	command := newCommand("show", func(c *cobra.Command, args []string) error {
		if o.signs && len(args) == 0 {
			return nil
		}
		return oneRecording(c, args)
	}, func(c *cobra.Command, args []string) error {
		if o.signs {
			return o.output.WriteSigns(std)
		}
		o.what = args[0]
		if err := errors.Join(o.output.Validate(), o.validate(c)); err != nil {
			return err
		}
		return o.run(c.Context(), std)
	})
	o.add(command, std)
	command.Flags().BoolVar(&o.live, "live", false, "replay the scenario now, as \"apitrace run\" does, instead of showing the recording")
	command.Flags().BoolVar(&o.summary, "summary", false, "print a table of the requests instead of their traces")
	command.Flags().BoolVarP(&o.interactive, "interactive", "i", false, "walk through the recording full screen, as \"apitrace explore\" does")
	command.Flags().BoolVar(&o.signs, "signs", false, "explain the signs of a tree on one screen")
	addOutputFlags(command, &o.output)
	return command
}

func (o *showOptions) validate(command *cobra.Command) error {
	if err := o.recordedOptions.validate(command); err != nil {
		return err
	}
	if o.live && session.IsFile(o.what) {
		return message.UsageErrorf("%q is a recording: leave --live out, which is for scenarios", o.what)
	}
	if o.summary && command.Flags().Changed("output") {
		return message.UsageErrorf("--summary is a table for people: leave it out, because -o %s has the requests too", o.output.Format)
	}
	if o.live && o.summary {
		return message.UsageErrorf("--summary reads a recording: leave --live out")
	}
	return nil
}

func (o *showOptions) run(ctx context.Context, std *console.Streams) error {
	if o.live {
		live := runOptions{scenario: o.what, server: o.server, delivery: output.Delivery{Output: o.output, Only: o.only}}
		return live.run(ctx, std)
	}
	recording, err := o.open(std)
	if err != nil {
		return err
	}
	if !session.IsFile(o.what) {
		std.Notice("a recording of Kubernetes %s, made on %s; --notes explains its key steps, --live replays it now", recording.K8sVersion, recording.Recorded.Format(time.DateOnly))
	}
	if o.interactive {
		return o.output.Explore(ctx, std, recording)
	}
	if o.summary {
		return session.WriteTable(std.Out, session.Summarize(recording), std.Printer)
	}
	if len(o.only) > 0 {
		o.output.ShowTrees()
	}
	return o.output.Write(ctx, std, recording)
}
