package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
)

// requestOptions select the request to send, its user, and the output of the trace.
type requestOptions struct {
	typedFlags
	method, path string
	timeout      time.Duration
	// answer prints the answer's body. trees is set if a flag asks for the tree.
	answer, trees bool
	delivery      output.Delivery
	server        serverFlags
}

func newRequestCommand(std *console.Streams) *cobra.Command {
	o := &requestOptions{server: anyServer()}
	command := newCommand("request", requestArguments, func(c *cobra.Command, args []string) error {
		o.method, o.path = strings.ToUpper(args[0]), args[1]
		c.Flags().Visit(func(f *pflag.Flag) { o.trees = o.trees || asksForTrees(f.Name) })
		if err := errors.Join(o.delivery.Validate(), o.server.validate(), o.validate()); err != nil {
			return err
		}
		o.delivery.Quiet = o.answer
		return o.run(c.Context(), std)
	})
	flags := command.Flags()
	flags.StringArrayVarP(&o.headers, "header", "H", nil, `send this header, "Name: value" (repeat for more)`)
	flags.StringVarP(&o.body, "filename", "f", "", `file with the body, "-" for standard input`)
	flags.DurationVar(&o.timeout, "timeout", 20*time.Second, "hang up after this time, and show the calls made until then")
	flags.BoolVar(&o.answer, "body", false, "print the body of the answer to standard output instead of the tree, and its status and audit ID to standard error; it is never saved")
	flags.StringVar(&o.as, "as", scenarios.Admin, "user that sends the request: admin (may do everything), learner (may do what RBAC objects allow it), anonymous (sends no credentials), or stranger (sends a token that the server does not know)")
	_ = command.RegisterFlagCompletionFunc("as", cobra.FixedCompletions(scenarios.Askers(), cobra.ShellCompDirectiveNoFileComp))
	o.server.add(command)
	o.server.addFresh(command)
	addDeliveryFlags(command, &o.delivery)
	takeOwnFlags(command, &o.server.Own)
	return command
}

func requestArguments(_ *cobra.Command, args []string) error {
	if len(args) != 2 {
		return message.Errorf("expected a method and a path, such as GET /api/v1/nodes: found %q", args)
	}
	return nil
}

func (o *requestOptions) validate() error {
	switch {
	case o.timeout <= 0:
		return message.UsageErrorf("--timeout %s: expected a time greater than 0, such as 5s", o.timeout)
	case o.answer && o.trees:
		return message.UsageErrorf("--body prints the answer instead of the tree: leave -o, views and filters out, or save the trace with --save and show it with \"apitrace show\"")
	case o.answer && o.server.Secrets.Hidden(o.path):
		return message.UsageErrorf("--body: the answer may hold secrets, because %s names a resource with secret contents; --show-secrets prints it", o.path)
	}
	return nil
}

// typedFlags are the flags that describe a request besides its method and path.
type typedFlags struct {
	headers  []string
	body, as string
}

// read returns the request that the flags describe. It reads the body from its file.
func (f *typedFlags) read(std *console.Streams) (*scenarios.TypedRequest, error) {
	typed := &scenarios.TypedRequest{Headers: f.headers, As: f.as, BodyFile: f.body}
	if f.body == "" {
		return typed, nil
	}
	body, err := std.ReadInput(f.body)
	if err != nil {
		return nil, message.Errorf("reading the body: %w", err)
	}
	typed.Body = body
	return typed, nil
}

// http returns the request after checking it.
func (o *requestOptions) http(std *console.Streams) (*scenarios.HTTP, error) {
	typed, err := o.read(std)
	if err != nil {
		return nil, err
	}
	typed.Method, typed.Path = o.method, o.path
	h, err := typed.HTTP()
	if err != nil {
		return nil, message.ToUsageError(err)
	}
	return h, nil
}

func (o *requestOptions) run(ctx context.Context, std *console.Streams) (err error) {
	h, err := o.http(std)
	if err != nil {
		return err
	}
	ctx, server, err := o.server.Obtain(ctx, std)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	recording, sent, err := server.Request(ctx, h, o.timeout, std)
	if err != nil {
		return err
	}
	if o.answer {
		err = printAnswer(std, sent)
	}
	return errors.Join(err, o.delivery.Deliver(ctx, std, recording), server.Verdict(std))
}

// printAnswer prints an answer's body as the server sent it, and everything else about it
// to standard error.
func printAnswer(std *console.Streams, sent *scenarios.Sent) error {
	if id := sent.Header.Get("Audit-Id"); id != "" {
		std.Notice("answered %d, audit ID %s", sent.Status, id)
	} else {
		std.Notice("answered %d", sent.Status)
	}
	_, err := std.Out.Write(sent.Body)
	return err
}
