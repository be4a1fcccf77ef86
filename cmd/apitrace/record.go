package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/session"
)

// recordOptions select the user of the recorded requests, and the file.
type recordOptions struct {
	as     string
	save   string
	follow time.Duration
	server serverFlags
	// interactive shows the full-screen list; the user can open requests there. output
	// has the options of their trees.
	interactive bool
	output      output.Options
}

func newRecordCommand(std *console.Streams) *cobra.Command {
	o := &recordOptions{server: anyServer()}
	command := newCommand("record", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		o.server.ControlPlane = o.follow > 0
		if err := errors.Join(o.server.validate(), validateAs(o.as), output.CheckSave(o.save), validateFollow(o.follow)); err != nil {
			return err
		}
		if err := o.run(c.Context(), std); err != nil {
			return err
		}
		if o.interactive {
			return nil
		}
		return &exitError{} // Ctrl-C is the normal end
	})
	command.Flags().StringVar(&o.save, "save", "", "file to write, as OTLP JSON; an older one is replaced (default: apitrace-DATE-TIME.jsonl)")
	command.Flags().BoolVarP(&o.interactive, "interactive", "i", false, "list the requests full screen as they arrive, and open the tree of any request")
	command.Flags().DurationVar(&o.follow, "follow", 0, "trace also what the requests cause in the control plane, at most so long after Ctrl-C")
	addLanguageFlag(command, &o.output.Lang)
	addAsFlag(command, &o.as)
	o.server.add(command)
	o.server.addFresh(command)
	takeOwnFlags(command, &o.server.Own)
	return command
}

func (o *recordOptions) run(ctx context.Context, std *console.Streams) (err error) {
	if o.save == "" {
		o.save = session.RecordingName()
	}
	list := session.PrintedList(std.Out, std.Printer, o.save, std)
	if o.interactive {
		if list, err = o.output.RequestList(std); err != nil {
			return err
		}
	}
	return o.server.Record(ctx, session.Recorder{As: o.as, Save: o.save, Follow: o.follow, List: list}, std)
}
