package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/front"
	"github.com/kubeapitrace/apitrace/trace"
)

// clientsOptions say how a session with client programs is recorded.
type clientsOptions struct {
	// name is what the recording is called: the command.
	name string
	// as is the user that the front's credentials stand for.
	as string
	// save is the file of the recording; "" for one that is gone at the end.
	save string
	// done is told of each request.
	done func(session.Row)
	// failed, if not nil, is told when nothing more can be recorded, and why.
	failed func(error)
}

// clients is a session that client programs send their requests to.
type clients struct {
	fetcher   *fetcher
	recording *trace.Appender
	session   *session.Session
	front     *front.Front
	dir       *program.RunDir
	// kubeconfig is the path of a kubeconfig for the clients, ca that of the certificate in it.
	kubeconfig, ca string
}

// openClients opens a session with a server. The caller calls finish, and then close.
func openClients(server *apiserver.Server, o clientsOptions) (_ *clients, err error) {
	c := &clients{fetcher: newFetcher(server)}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close())
		}
	}()
	head := newRecording(server, o.name)
	if o.save == "" {
		c.recording, err = trace.CreateNameless(head)
	} else {
		c.recording, err = trace.Create(o.save, head)
	}
	if err != nil {
		return nil, err
	}
	c.session = session.New(session.Options{
		Fetch: c.fetcher.fetch, Keep: c.recording.Append, Done: o.done,
		Failed: o.failed,
	})
	if c.front, err = front.Start(front.Options{
		Server: server.BaseURL, CAPEM: server.CAPEM, Token: tokenOf(server, o.as),
		Trace: c.session.Admit, Over: c.session.Over,
	}); err != nil {
		return nil, err
	}
	return c, c.writeFiles(o.as)
}

// tokenOf is the bearer token of one of the users.
func tokenOf(server *apiserver.Server, user string) string {
	switch user {
	case scenarios.Admin:
		return server.AdminToken
	case scenarios.Learner:
		return server.LearnerToken
	}
	return ""
}

// writeFiles writes what the clients need to know of the front.
func (c *clients) writeFiles(user string) (err error) {
	if c.dir, err = program.NewRunDir(); err != nil {
		return err
	}
	c.kubeconfig, c.ca = filepath.Join(c.dir.Path, "kubeconfig"), filepath.Join(c.dir.Path, "ca.crt")
	k := apiserver.Kubeconfig{Server: c.front.URL, CAPEM: c.front.CAPEM, User: user, Token: c.front.Token}
	if err := k.Write(c.kubeconfig); err != nil {
		return err
	}
	if err := os.WriteFile(c.ca, c.front.CAPEM, 0o600); err != nil {
		return fmt.Errorf("writing the certificate for clients: %w", err)
	}
	return nil
}

// environment is what a client finds in its environment: all that kubectl and client-go need, and
// the same for others.
func (c *clients) environment() []string {
	return []string{
		"KUBECONFIG=" + c.kubeconfig,
		// Not among the user's: kubectl keeps what it discovers by the server's port.
		"KUBECACHEDIR=" + filepath.Join(c.dir.Path, "cache"),
		"APITRACE_SERVER=" + c.front.URL,
		"APITRACE_CACERT=" + c.ca,
		"APITRACE_TOKEN=" + c.front.Token,
	}
}

// finish ends what the clients have left open, and waits for the traces.
func (c *clients) finish() error { return errors.Join(c.front.Close(), c.session.Close()) }

// close removes what the session has left, but for the recording that was asked for.
func (c *clients) close() error {
	errs := []error{c.fetcher.close()}
	if c.recording != nil {
		errs = append(errs, c.recording.Close())
	}
	if c.front != nil {
		errs = append(errs, c.front.Close())
	}
	if c.dir != nil {
		errs = append(errs, c.dir.Close())
	}
	return errors.Join(errs...)
}

// read loads the requests of some rows as one recording.
func (c *clients) read(ctx context.Context, rows []session.Row) (*trace.Recording, error) {
	var all *trace.Recording
	for _, row := range rows {
		if row.Err != nil {
			continue
		}
		one, err := c.recording.Read(row.Place)
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

// untraced says of how many requests there is no trace, and why of the first.
func untraced(rows []session.Row) error {
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
	return fmt.Errorf("of %d requests, %d have no trace; the first: %w", len(rows), n, first)
}
