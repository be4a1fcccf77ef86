package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
)

// execOptions select the client, its user, and its requests' output.
type execOptions struct {
	client []string
	as     string
	only   []int
	follow time.Duration
	// trees is set if a flag asks for more than the summary.
	trees    bool
	server   serverFlags
	delivery output.Delivery
}

func newExecCommand(std *console.Streams) *cobra.Command {
	o := &execOptions{server: anyServer()}
	command := newCommand("exec", func(c *cobra.Command, args []string) error {
		if len(args) == 0 || c.ArgsLenAtDash() != 0 {
			return message.NewError("expected -- and a program with its arguments, such as: exec -- kubectl get nodes")
		}
		return nil
	}, func(c *cobra.Command, args []string) error {
		o.client = args
		o.server.ControlPlane = o.follow > 0
		story := o.delivery.Output.Sort == output.OrderTime // the summary is this story
		c.Flags().Visit(func(f *pflag.Flag) { o.trees = o.trees || asksForTrees(f.Name) && !(story && f.Name == "sort") })
		if err := errors.Join(o.delivery.Validate(), o.server.validate(), validateAs(o.as), validateOnly(o.only), validateFollow(o.follow), o.validateOrder()); err != nil {
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
	command.Flags().DurationVar(&o.follow, "follow", 0, "trace also what the requests cause in the control plane, at most so long after the client has ended")
	o.server.add(command)
	o.server.addFresh(command)
	addDeliveryFlags(command, &o.delivery)
	return command
}

// validateOrder checks that there is a story for --sort time to order.
func (o *execOptions) validateOrder() error {
	if o.delivery.Output.Sort == output.OrderTime && (o.follow == 0 || len(o.only) > 0) {
		return message.UsageErrorf("--sort time orders the story of all requests: it needs --follow, and no --only")
	}
	return nil
}

func validateFollow(follow time.Duration) error {
	if follow < 0 {
		return message.UsageErrorf("--follow %v: expected a time such as 10s", follow)
	}
	return nil
}

// asksForTrees reports whether a flag asks for more than the summary: it selects
// requests or the content of their trees. Flags for the style only do not count.
func asksForTrees(flag string) bool {
	shown := &cobra.Command{}
	addOutputFlags(shown, &output.Options{})
	return flag == "only" || shown.Flags().Lookup(flag) != nil && !slices.Contains([]string{"width", "color", "ascii", "lang"}, flag)
}

// run runs the client to its end and returns its exit status.
func (o *execOptions) run(ctx context.Context, std *console.Streams) (status int, err error) {
	client := session.Client{Args: o.client, Env: os.Environ(), Stdin: std.In, Stdout: std.Raw(), Stderr: std.RawErr()}
	if o.trees {
		client.Stdout = std.RawErr()
	}
	return o.server.Execute(ctx, client, session.Execution{
		As: o.as, Save: o.delivery.Save, Follow: o.follow,
		Show: func(ctx context.Context, c *session.Clients, rows []session.Row) error {
			return o.delivery.Summarize(ctx, std, c, rows, output.Chosen{Only: o.only, Trees: o.trees})
		},
	}, std)
}

// users are the values of --as.
var users = []string{scenarios.Admin, scenarios.Learner, scenarios.Anonymous}

func addAsFlag(command *cobra.Command, as *string) {
	command.Flags().StringVar(as, "as", scenarios.Admin, "user that sends the requests: admin (may do everything), learner (may do what RBAC objects allow it), or anonymous (sends no credentials)")
	_ = command.RegisterFlagCompletionFunc("as", cobra.FixedCompletions(users, cobra.ShellCompDirectiveNoFileComp))
}

func validateAs(as string) error {
	if !slices.Contains(users, as) {
		return message.UsageErrorf("--as %q: expected one of %s", as, message.List(users))
	}
	return nil
}
