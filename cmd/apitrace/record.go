package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/render/output"
	"github.com/kubeapitrace/apitrace/render/terminal"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/console"
)

// recordOptions say as whom to record, and where to.
type recordOptions struct {
	as     string
	save   string
	server serverFlags
	// interactive asks for the list on which requests can be opened, drawn as output says.
	interactive bool
	output      output.Options
}

func newRecordCommand(std *console.Streams) *cobra.Command {
	o := &recordOptions{server: anyServer()}
	command := newCommand("record", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		if err := errors.Join(o.server.validate(), validateAs(o.as), checkSave(o.save)); err != nil {
			return err
		}
		if err := o.run(c.Context(), std); err != nil {
			return err
		}
		if o.interactive {
			return nil
		}
		return &exitError{} // Ctrl-C is how it is meant to end
	})
	command.Flags().StringVar(&o.save, "save", "", "file to write, as OTLP JSON; an older one is replaced (default: apitrace-DATE-TIME.jsonl)")
	command.Flags().BoolVarP(&o.interactive, "interactive", "i", false, "list the requests full screen as they come in, and open the tree of any")
	addLanguageFlag(command, &o.output.Lang)
	addAsFlag(command, &o.as)
	o.server.add(command)
	o.server.addFresh(command)
	return command
}

func (o *recordOptions) run(ctx context.Context, std *console.Streams) (err error) {
	if o.save == "" {
		o.save = time.Now().Format("apitrace-20060102-150405.jsonl")
	}
	list, err := o.list(std)
	if err != nil {
		return err
	}
	ctx, server, err := o.server.Obtain(ctx, std)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	failed, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	c, err := session.OpenClients(server.Server, session.ClientsOptions{
		Name: "record", As: o.as, Save: o.save, Secrets: o.server.Secrets, Failed: fail,
		Done: list.add,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	left := list.wait(failed, c)
	err = errors.Join(session.DeathOf(failed), left, c.Finish())
	std.Notice("requests in %s: %d", o.save, c.Recording.Requests)
	return errors.Join(err, c.Verdict(o.server.Check, std))
}

// A recordList shows the requests of a recording as they end.
type recordList struct {
	add func(session.Row)
	// wait shows how to send requests and returns once the recording is to end.
	wait func(context.Context, *session.Clients) error
}

func (o *recordOptions) list(std *console.Streams) (recordList, error) {
	if o.interactive {
		return o.screen(std)
	}
	return recordList{
		add: func(row session.Row) {
			fmt.Fprintln(std.Out, row.String())
			if row.Err != nil {
				std.Notice("not traced: %v", row.Err)
			}
		},
		wait: func(ctx context.Context, c *session.Clients) error {
			std.Notice("recording to %s what is sent with this kubeconfig; press Ctrl-C to end:", o.save)
			for _, variable := range c.Environment() {
				std.Notice("  export %s", variable)
			}
			fmt.Fprintln(std.Out, c.Kubeconfig)
			<-ctx.Done()
			return nil
		},
	}, nil
}

// screen is the list full screen.
func (o *recordOptions) screen(std *console.Streams) (recordList, error) {
	options, err := fullScreen(std, &o.output, 1)
	if err != nil {
		return recordList{}, err
	}
	feed := terminal.NewFeed()
	return recordList{add: feed.Add, wait: func(ctx context.Context, c *session.Clients) error {
		err := terminal.Run(ctx, terminal.NewRequests(&terminal.Local{}, feed, c, options), std.In, std.Raw())
		if ctx.Err() != nil {
			return nil // the caller says why
		}
		return err
	}}, nil
}
