package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// An Execution says how to trace a client program.
type Execution struct {
	// As is the client's user. Save is the recording's file; "" means a temporary file,
	// removed at the end.
	As, Save string
	// Follow, if not 0, is how long to collect the consequences of the requests after the client has
	// ended.
	Follow time.Duration
	// Show shows the requests at the end, if any, even after Ctrl-C.
	Show func(context.Context, *Clients, []Row) error
}

// Execute runs a client program to its end, traces its requests, and returns its exit
// status. The client's environment gets the variables that lead to the server.
func (o ServerOptions) Execute(ctx context.Context, client Client, e Execution, to Reporter) (status int, err error) {
	if err := o.checkFollow(e.Follow); err != nil { // before a build
		return 0, err
	}
	if _, err := exec.LookPath(client.Args[0]); err != nil { // before a build, too
		return 0, message.Errorf("starting the client: %w", err)
	}
	ctx, server, err := o.Obtain(ctx, to)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	if e.Follow > 0 {
		if err := checkFollowing(server.Server); err != nil {
			return 0, err
		}
	}
	var rows []Row
	c, err := openClients(server.Server, clientsOptions{
		Name: "exec", As: e.As, Save: e.Save, Secrets: o.Secrets, Done: func(row Row) { rows = append(rows, row) },
		Failed: func(error) { to.Notice("the recording cannot be written; further requests are not traced") },
	})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()

	client.Env, client.Mark = append(client.Env, c.Environment()...), c.mark()
	run := func() {
		status, err = client.run(ctx)
		if death := deathOf(ctx); death != nil {
			status, err = 0, errors.Join(err, death) // apitrace has ended the client
		}
		err = errors.Join(err, c.finish())
		Sort(rows)
	}
	if e.Follow == 0 {
		run()
	} else {
		rows, err = c.follow(ctx, server, e.Follow, func() ([]Row, error) { run(); return rows, err }, to)
	}
	if len(rows) == 0 {
		if err == nil {
			to.Notice("%s has sent no request to be traced: does it read KUBECONFIG?", client.Args[0])
		}
		return status, errors.Join(err, c.verdict(o.Check, to))
	}
	shown := e.Show(context.WithoutCancel(ctx), c, rows)
	return status, errors.Join(err, untraced(rows), shown, c.verdict(o.Check, to))
}

// A RequestList shows a recording's requests as they end.
type RequestList struct {
	Add func(Row)
	// Wait shows how to send requests, and returns when the recording must end.
	Wait func(context.Context, *Clients) error
}

// PrintedList returns a list that writes the kubeconfig's path to w, then a line for each
// request.
func PrintedList(w io.Writer, p message.Printer, save string, to Reporter) RequestList {
	var untraced repeated
	return RequestList{
		Add: func(row Row) {
			fmt.Fprintln(w, row.Localize(p))
			if row.Err == nil {
				return
			}
			n, each, sum := untraced.count()
			if each {
				to.Notice("not traced: %v", row.Err)
			}
			if sum {
				to.Notice("not traced: %d requests by now", n)
			}
		},
		Wait: func(ctx context.Context, c *Clients) error {
			to.Notice("recording the requests that use this kubeconfig to %s; press Ctrl-C to end:", save)
			for _, variable := range c.Environment() {
				to.Notice("  export %s", variable)
			}
			fmt.Fprintln(w, c.Kubeconfig)
			<-ctx.Done()
			return nil
		},
	}
}

// RecordingName returns the default name of a recording's file.
func RecordingName() string { return time.Now().Format("apitrace-20060102-150405.jsonl") }

// A Recorder records the requests of clients.
type Recorder struct {
	// As is the clients' user, Save the recording's file.
	As, Save string
	// Follow, if not 0, is how long to collect the consequences of the requests after the
	// recording has ended.
	Follow time.Duration
	List   RequestList
}

// Record writes the traces of clients' requests to a file until List.Wait returns. Without
// a request, no file is left.
func (o ServerOptions) Record(ctx context.Context, r Recorder, to Reporter) (err error) {
	if err := o.checkFollow(r.Follow); err != nil {
		return err
	}
	ctx, server, err := o.Obtain(ctx, to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	failed, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var rows []Row
	var ending atomic.Bool
	c, err := openClients(server.Server, clientsOptions{Name: "record", As: r.As, Save: r.Save, Secrets: o.Secrets, Failed: fail, Done: func(row Row) {
		if row.HungUp && ending.Load() {
			row.HungUp, row.Open = false, true
		}
		rows = append(rows, row)
		r.List.Add(row)
	}})
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, c.Close())
		if c.Recording.Requests == 0 {
			err = errors.Join(err, os.Remove(r.Save))
		}
	}()
	record := func() ([]Row, error) {
		left := r.List.Wait(failed, c)
		ending.Store(true)
		err := errors.Join(deathOf(failed), left, c.finish())
		Sort(rows)
		return rows, err
	}
	if r.Follow == 0 {
		_, err = record()
	} else { // Ctrl-C ends the recording, and what follows is still to come
		_, err = c.follow(context.WithoutCancel(ctx), server, r.Follow, record, to)
	}
	if c.Recording.Requests == 0 {
		to.Notice("no request was recorded, so there is no file")
	} else {
		to.Notice("requests in %s: %d; \"apitrace show %[1]s --summary\" lists them", r.Save, c.Recording.Requests)
	}
	return errors.Join(err, c.verdict(o.Check, to))
}

// checkFollow returns a message.UsageError if a client's requests are to be followed, and the
// release does not allow that.
func (o ServerOptions) checkFollow(limit time.Duration) error {
	if limit == 0 {
		return nil
	}
	version, err := apiserver.ParseVersion(o.Version)
	if err != nil {
		return message.ToUsageError(err)
	}
	return CanFollow(version)
}
