package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/session"
)

// recordOptions say as whom to record, and where to.
type recordOptions struct {
	as     string
	save   string
	server serverFlags
}

func newRecordCommand(std *streams) *cobra.Command {
	o := &recordOptions{server: anyServer()}
	command := newCommand("record", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		if err := errors.Join(o.server.validate(), validateAs(o.as), checkSave(o.save)); err != nil {
			return err
		}
		if err := o.run(c.Context(), std); err != nil {
			return err
		}
		return &exitError{} // Ctrl-C is how it is meant to end
	})
	command.Flags().StringVar(&o.save, "save", "", "file to write, as OTLP JSON; an older one is replaced (default: apitrace-DATE-TIME.jsonl)")
	addAsFlag(command, &o.as)
	o.server.add(command)
	o.server.addFresh(command)
	return command
}

func (o *recordOptions) run(ctx context.Context, std *streams) (err error) {
	if o.save == "" {
		o.save = time.Now().Format("apitrace-20060102-150405.jsonl")
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
		Done: func(row session.Row) {
			fmt.Fprintln(std.out, row.String())
			if row.Err != nil {
				std.notice("not traced: %v", row.Err)
			}
		},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	std.notice("recording to %s what is sent with this kubeconfig; press Ctrl-C to end:", o.save)
	for _, variable := range c.Environment() {
		std.notice("  export %s", variable)
	}
	fmt.Fprintln(std.out, c.Kubeconfig)

	<-failed.Done()
	err = errors.Join(session.DeathOf(failed), c.Finish())
	std.notice("requests in %s: %d", o.save, c.Recording.Requests)
	return errors.Join(err, c.Verdict(o.server.Check, std))
}
