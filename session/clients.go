package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session/front"
	"github.com/kubeapitrace/apitrace/trace"
)

// clientsOptions say how to record client programs.
type clientsOptions struct {
	// Name is the recording's name, which is the command.
	Name string
	// As is the user of the front's credentials.
	As string
	// Save is the recording's file; "" means a temporary one, which Close removes.
	Save string
	// Keep, if not nil, receives the traces. There is then no recording.
	Keep func(context.Context, *trace.Request) (trace.Place, error)
	// Secrets is how to treat the errors of requests for secrets.
	Secrets collect.Secrets
	// Done is called with each request.
	Done func(Row)
	// Failed, if not nil, is called with the error after which nothing is recorded.
	Failed func(error)
}

// Clients is a session for the requests of client programs.
type Clients struct {
	fetcher *fetcher
	// Recording is the recording in progress, or nil if clientsOptions.Keep is set.
	Recording *trace.Appender
	session   *Session
	front     *front.Front
	dir       *program.RunDir
	// Kubeconfig is the path of the clients' kubeconfig. ca is the path of the
	// certificate that verifies the front.
	Kubeconfig string
	ca         string
}

// openClients opens a session. The caller must call finish, then Close.
func openClients(server *apiserver.Server, o clientsOptions) (_ *Clients, err error) {
	c := &Clients{fetcher: newFetcher(server, o.Secrets)}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	if o.Keep == nil {
		if c.Recording, err = createRecording(newRecording(server, o.Name), o.Save); err != nil {
			return nil, err
		}
		o.Keep = c.Recording.Append
	}
	c.session = New(Options{Fetch: c.fetcher.fetch, Keep: o.Keep, Done: o.Done, Failed: o.Failed})
	if c.front, err = front.Start(front.Options{
		Server: server.BaseURL, CAPEM: server.CAPEM, Token: tokenOf(server, o.As),
		Trace: c.session.Admit, Over: c.session.Over, KeepBody: o.Secrets.Hold,
	}); err != nil {
		return nil, err
	}
	return c, c.writeFiles(o.As)
}

// createRecording creates the file of a recording. "" creates a temporary file, which
// Close removes.
func createRecording(head trace.Recording, file string) (*trace.Appender, error) {
	if file == "" {
		return trace.CreateNameless(head)
	}
	return trace.Create(file, head)
}

// tokenOf returns the bearer token of a user.
func tokenOf(server *apiserver.Server, user string) string {
	switch user {
	case scenarios.Admin:
		return server.AdminToken
	case scenarios.Learner:
		return server.LearnerToken
	}
	return ""
}

// writeFiles writes the files that lead clients to the front.
func (c *Clients) writeFiles(user string) (err error) {
	if c.dir, err = program.NewRunDir(); err != nil {
		return err
	}
	c.Kubeconfig, c.ca = filepath.Join(c.dir.Path, "kubeconfig"), filepath.Join(c.dir.Path, "ca.crt")
	k := apiserver.Kubeconfig{Server: c.front.URL, CAPEM: c.front.CAPEM, User: user, Token: c.front.Token}
	if err := k.Write(c.Kubeconfig); err != nil {
		return err
	}
	if err := os.WriteFile(c.ca, c.front.CAPEM, 0o600); err != nil {
		return message.Errorf("writing the certificate for clients: %w", err)
	}
	return nil
}

// Environment returns the variables that kubectl and client-go need, and the same
// settings for other programs.
func (c *Clients) Environment() []string {
	return []string{
		"KUBECONFIG=" + c.Kubeconfig,
		// kubectl names its discovery cache after the server's address and port, so
		// the user's cache is not used.
		"KUBECACHEDIR=" + filepath.Join(c.dir.Path, "cache"),
		"APITRACE_SERVER=" + c.front.URL,
		c.mark(),
		"APITRACE_TOKEN=" + c.front.Token,
	}
}

// mark returns the element of Environment that only this session's clients have.
func (c *Clients) mark() string { return "APITRACE_CACERT=" + c.ca }

// finish ends the open requests, and waits for the traces.
func (c *Clients) finish() error { return errors.Join(c.front.Close(), c.session.Close()) }

// Close removes the session's files. A named recording stays.
func (c *Clients) Close() error {
	errs := []error{c.fetcher.Close()}
	if c.Recording != nil {
		errs = append(errs, c.Recording.Close())
	}
	if c.front != nil {
		errs = append(errs, c.front.Close())
	}
	if c.dir != nil {
		errs = append(errs, c.dir.Close())
	}
	return errors.Join(errs...)
}

// verdict returns an error if recorded calls differ from the real stack.
func (c *Clients) verdict(checked bool, to Reporter) error { return c.fetcher.verdict(checked, to) }

// Read loads the requests of rows as one recording. It omits rows with an error, and
// returns nil if all have one.
func (c *Clients) Read(ctx context.Context, rows []Row) (*trace.Recording, error) {
	var all *trace.Recording
	for _, row := range rows {
		if row.Err != nil {
			continue
		}
		one, err := c.Recording.Read(row.Place)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = one
		} else {
			all.Requests = append(all.Requests, one.Requests...)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// follow calls send, which sends the clients' requests, and adds rows for their consequences.
// It also returns the error of send.
func (c *Clients) follow(ctx context.Context, server *Running, limit time.Duration, send func() ([]Row, error), to Reporter) (rows []Row, err error) {
	var requests []*trace.Request
	caused, err := server.Follow(ctx, limit, func() ([]trace.Request, error) {
		rows, err = send()
		if err != nil {
			return nil, err
		}
		recording, err := c.Read(context.WithoutCancel(ctx), rows)
		if err != nil || recording == nil {
			return nil, err
		}
		next := 0
		for _, row := range rows {
			if row.Err != nil {
				requests = append(requests, nil)
				continue
			}
			requests = append(requests, &recording.Requests[next])
			next++
		}
		return recording.Requests, nil
	})
	if err != nil {
		return rows, err
	}
	for i := range caused {
		r := &caused[i]
		row := rowOf(r)
		if row.Place, err = c.Recording.Append(context.WithoutCancel(ctx), r); err != nil {
			return rows, err
		}
		rows, requests = append(rows, row), append(requests, r)
	}
	rows = byTime(rows, requests)
	if len(caused) == 0 {
		to.Notice("nothing followed in the control plane: no program works because of these requests")
	}
	return rows, nil
}

// untraced returns an error with the number of requests without a trace and the reason of
// the first, or nil if all have a trace.
func untraced(rows []Row) error {
	var first error
	n := 0
	for _, row := range rows {
		if row.Err == nil {
			continue
		}
		if n++; n == 1 {
			first = row.Err
		}
	}
	if n == 0 {
		return nil
	}
	return message.Errorf("of %d requests, %d have no trace; the first: %w", len(rows), n, first)
}
