package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/commandline"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session/machine"
	"github.com/kubeapitrace/apitrace/ui/web"
	"github.com/kubeapitrace/apitrace/workshop/learner"
	"github.com/kubeapitrace/apitrace/workshop/room"
)

// groupCommands returns the commands of a workshop with a leader.
func (o *workshopOptions) groupCommands(std *console.Streams) []*cobra.Command {
	leader := &web.Group{}
	serve := newCommand("workshop-serve", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		leader.Course = o.course
		if err := leader.Serve(c.Context(), func(address string) { fmt.Fprintln(std.Out, address) }, std.Notice, std.Printer); err != nil {
			return err
		}
		return &exitError{} // Ctrl-C is the normal end
	})
	serve.Flags().StringVar(&leader.Listen, "listen", "0", "the port, or the address, at which learners join; 0.0.0.0:4181 is every address of this machine")
	serve.Flags().StringVar(&leader.Code, "code", "", "the code to join, at least 8 characters (default: a new one)")
	serve.Flags().StringVar(&leader.Save, "save", "", "file to which the wrong answers are written at the end: .csv, .json or .md")
	serve.Flags().BoolVar(&leader.NoOpen, "no-open", false, "do not open the browser")
	var code, name string
	join := newCommand("workshop-join", commandline.OneArgument(message.Of("the address on the leader's page")), o.withLearner(std, func(l *learner.Learner, ctx context.Context, args []string) error {
		return l.Join(ctx, args[0], code, name)
	}))
	join.Flags().StringVar(&code, "code", "", "the code on the leader's page")
	join.Flags().StringVar(&name, "name", "", "your name in the group, or a nickname")
	_ = join.MarkFlagRequired("code")
	_ = join.MarkFlagRequired("name")
	leave := o.noArgs(std, "leave", func(l *learner.Learner, ctx context.Context) error { return l.Leave(ctx) })
	vote := newCommand("workshop-vote", commandline.OneArgument(message.Of("true or false")), o.withLearner(std, func(l *learner.Learner, ctx context.Context, args []string) error {
		return l.Vote(ctx, args[0])
	}))
	vote.ValidArgs = []string{"true", "false"}
	prepared := &room.Preparation{Site: func(folder, release string) room.Site {
		return web.Site{Out: folder, Releases: []string{release}, Version: machine.Version()}
	}}
	prepare := newCommand("workshop-prepare", cobra.MaximumNArgs(1), func(c *cobra.Command, args []string) error {
		prepared.Folder, prepared.K8s, prepared.Course = strings.Join(args, ""), o.k8s, o.course
		return prepared.Run(c.Context(), std.Out, std.Printer, std)
	})
	prepare.Flags().BoolVar(&prepared.CheckOnly, "check", false, "list what this machine lacks for the exercises, and change nothing")
	prepare.Flags().StringVar(&prepared.Checkout, "source", "", "folder with the source of apitrace, to build the programs of four platforms")
	prepare.Flags().BoolVar(&prepared.Plain, "plain", false, "also build upstream's servers without tracing")
	prepare.Flags().BoolVar(&prepared.DryRun, "dry-run", false, "print sizes and times and do nothing")
	return []*cobra.Command{join, vote, leave, serve, prepare}
}
