package output

import (
	"context"
	"fmt"
	"slices"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/view"
)

// Chosen selects the clients' requests to show, and how.
type Chosen struct {
	// Only are numbers of requests in the summary; empty for all.
	Only []int
	// Trees asks for their traces, too.
	Trees bool
}

// Summarize prints the summary of the clients' requests to standard error. Then it prints
// the chosen requests' traces, if chosen.Trees is set, and sends them, if o.Export is
// set. If o.Save is set, the caller must have saved the recording.
func (o *Delivery) Summarize(ctx context.Context, std *console.Streams, c *session.Clients, rows []session.Row, chosen Chosen) error {
	if std.ErrTerminal {
		fmt.Fprintln(std.Err) // the client's output may not end with a line break
	}
	if err := o.writeSummary(ctx, std, c, rows); err != nil {
		return err
	}
	if o.Save != "" && c.Recording.Requests > 0 {
		std.Notice("saved to %s", o.Save)
	}
	only, err := session.Choose(rows, chosen.Only)
	if err != nil || !chosen.Trees && o.Export == "" {
		return err
	}
	recording, err := c.Read(ctx, only)
	if err != nil || recording == nil {
		return err
	}
	if chosen.Trees {
		o.Output.ShowTrees()
		err = o.Output.Write(ctx, std, recording)
	}
	if err != nil || o.Export == "" {
		return err
	}
	return SendOTLP(ctx, recording, std)
}

// writeSummary prints a table of the clients' requests, or the story of what they caused.
func (o *Delivery) writeSummary(ctx context.Context, std *console.Streams, c *session.Clients, rows []session.Row) error {
	if !slices.ContainsFunc(rows, func(r session.Row) bool { return r.By > 0 }) {
		return session.WriteTable(std.Err, rows, std.Printer)
	}
	recording, err := c.Read(ctx, rows)
	if err != nil {
		return err
	}
	guide, err := instrument.Load()
	if err != nil {
		return err
	}
	options, err := o.Output.drawing(std, guide, recording)
	if err != nil {
		return err
	}
	return o.Output.writeStory(std.Err, view.NewCausalStory(recording, guide.ForReader(options.Lang, recording), options.Lang), options)
}
