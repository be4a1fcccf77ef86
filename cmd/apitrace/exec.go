package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/render/output"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/console"
)

// execOptions say which client to run, as whom, and what to show of its requests.
type execOptions struct {
	client []string
	as     string
	only   []int
	// trees is set when more than the summary is asked for.
	trees    bool
	server   serverFlags
	delivery delivery
}

func newExecCommand(std *console.Streams) *cobra.Command {
	o := &execOptions{server: anyServer()}
	command := newCommand("exec", func(c *cobra.Command, args []string) error {
		if len(args) == 0 || c.ArgsLenAtDash() != 0 {
			return errors.New("expected -- and a program with its arguments, such as: exec -- kubectl get nodes")
		}
		return nil
	}, func(c *cobra.Command, args []string) error {
		o.client = args
		c.Flags().Visit(func(f *pflag.Flag) { o.trees = o.trees || asksForTrees(f.Name) })
		if err := errors.Join(o.delivery.validate(), o.server.validate(), validateAs(o.as), validateOnly(o.only)); err != nil {
			return err
		}
		status, err := o.run(c.Context(), std)
		if err == nil || status != 0 {
			return &exitError{status: status, err: err}
		}
		return err
	})
	addOnlyFlag(command, &o.only)
	addAsFlag(command, &o.as)
	o.server.add(command)
	o.server.addFresh(command)
	o.delivery.addFlags(command)
	return command
}

// asksForTrees tells whether a flag asks for more than the summary: it chooses requests, or says
// what is shown of them, not only how.
func asksForTrees(flag string) bool {
	shown := &cobra.Command{}
	addOutputFlags(shown, &output.Options{})
	return flag == "only" || shown.Flags().Lookup(flag) != nil && !slices.Contains([]string{"width", "color", "ascii", "lang"}, flag)
}

// run returns the exit status of the client, once it has ended.
func (o *execOptions) run(ctx context.Context, std *console.Streams) (status int, err error) {
	ctx, server, err := o.server.Obtain(ctx, std)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	var rows []session.Row
	c, err := session.OpenClients(server.Server, session.ClientsOptions{
		Name: "exec", As: o.as, Save: o.delivery.save, Secrets: o.server.Secrets, Done: func(row session.Row) { rows = append(rows, row) },
		Failed: func(error) { std.Notice("the recording cannot be written; what is sent from now on is not traced") },
	})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()

	status, err = o.program(c, std).Run(ctx)
	if death := session.DeathOf(ctx); death != nil {
		status, err = 0, errors.Join(err, death) // it was we who ended the client
	}
	err = errors.Join(err, c.Finish())
	session.Sort(rows)
	if len(rows) == 0 && err == nil {
		std.Notice("%s has sent no request to be traced: does it read KUBECONFIG?", o.client[0])
	}
	// What was traced is shown also after a Ctrl-C.
	shown := o.show(context.WithoutCancel(ctx), std, c, rows)
	return status, errors.Join(err, session.Untraced(rows), shown, c.Verdict(o.server.Check, std))
}

// show prints the summary, and the traces that are asked for.
func (o *execOptions) show(ctx context.Context, std *console.Streams, c *session.Clients, rows []session.Row) error {
	if len(rows) == 0 {
		return nil
	}
	if std.ErrTerminal {
		fmt.Fprintln(std.Err) // what the program has printed may end without
	}
	if err := session.WriteTable(std.Err, rows); err != nil {
		return err
	}
	if o.delivery.save != "" && c.Recording.Requests > 0 {
		std.Notice("saved to %s", o.delivery.save)
	}
	chosen, err := choose(rows, o.only)
	if err != nil || !o.trees && o.delivery.export == "" {
		return err
	}
	recording, err := c.Read(ctx, chosen)
	if err != nil || recording == nil {
		return err
	}
	if o.trees {
		if err := o.delivery.output.Write(ctx, std, recording); err != nil {
			return err
		}
	}
	if o.delivery.export == "" {
		return nil
	}
	return sendOTLP(ctx, std, recording)
}

// program is the client in the environment of the session.
func (o *execOptions) program(c *session.Clients, std *console.Streams) session.Client {
	p := session.Client{Args: o.client, Env: append(os.Environ(), c.Environment()...), Mark: c.Mark(), Stdin: std.In, Stdout: std.Raw(), Stderr: std.Err}
	if o.trees {
		p.Stdout = std.Err
	}
	return p
}

// users are as whom a client can be run.
var users = []string{scenarios.Admin, scenarios.Learner, scenarios.Anonymous}

func addAsFlag(command *cobra.Command, as *string) {
	command.Flags().StringVar(as, "as", scenarios.Admin, "who asks: admin (may do everything), learner (may do what RBAC objects allow it), or anonymous (shows no credentials)")
	_ = command.RegisterFlagCompletionFunc("as", cobra.FixedCompletions(users, cobra.ShellCompDirectiveNoFileComp))
}

func validateAs(as string) error {
	if !slices.Contains(users, as) {
		return usage.Errorf("--as %q: expected one of %s", as, strings.Join(users, ", "))
	}
	return nil
}
