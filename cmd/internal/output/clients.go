package output

import (
	"context"
	"fmt"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/session"
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
	if err := session.WriteTable(std.Err, rows, std.Printer); err != nil {
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
		err = o.Output.Write(ctx, std, recording)
	}
	if err != nil || o.Export == "" {
		return err
	}
	return SendOTLP(ctx, recording, std)
}
