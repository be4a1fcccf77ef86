package main

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/internal/inorder"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/checkout"
	"github.com/kubeapitrace/apitrace/session/sides"
)

// diffOptions select the sides of a comparison, and how to show it.
type diffOptions struct {
	source string
	// live names the sides to replay: "a", "b", "both", or "" for none.
	live string
	// trace names packages to trace on the replayed sides.
	trace  []string
	output output.Diff
}

func newDiffCommand(std *console.Streams) *cobra.Command {
	o := &diffOptions{}
	command := newCommand("diff", cobra.RangeArgs(2, 3), func(c *cobra.Command, args []string) error {
		if err := errors.Join(o.output.Validate(), session.ServerOptions{Spec: session.Spec{Trace: o.trace}}.Validate()); err != nil {
			return err
		}
		versions := args[1:]
		if o.source != "" {
			versions = args
		}
		names, err := checkout.TakeArguments(c.Context(), versions, std)
		if err != nil {
			return inTrouble(err)
		}
		return inTrouble(o.run(c.Context(), std, c, args, names))
	})
	command.ValidArgsFunction = completeDiff(std)
	addDiffFlags(command, &o.output)
	command.Flags().StringVar(&o.live, "live", "", "replay the scenario now instead of using recordings: on both releases, on the first (=a), or on the second (=b)")
	command.Flags().Lookup("live").NoOptDefVal = "both"
	_ = command.RegisterFlagCompletionFunc("live", cobra.FixedCompletions([]string{"a", "b", "both"}, cobra.ShellCompDirectiveNoFileComp))
	addTrace(command, &o.trace)
	command.Flags().StringVar(&o.source, "source", "", "compare the source of this function instead: \"etcd3.(*store).Get\", or any end of a full name")
	return command
}

// inTrouble turns every error except errDifferent into a troubleError.
func inTrouble(err error) error {
	if err == nil || errors.Is(err, errDifferent) {
		return err
	}
	return &troubleError{err}
}

// differs returns errDifferent, which sets the exit status, if the two sides are not
// the same.
func differs(same bool, err error) error {
	if err == nil && !same {
		return errDifferent
	}
	return err
}

// run makes the comparison that the arguments describe. checkouts has the checkout of
// each side, or the zero value for a side that is a release.
func (o *diffOptions) run(ctx context.Context, std *console.Streams, command *cobra.Command, args []string, checkouts [2]sides.Checkout) error {
	if o.source != "" {
		return o.diffSource(ctx, std, args)
	}
	all, isRange, err := sides.Parse(args, o.live)
	if err != nil {
		return err
	}
	if isRange && o.output.Format == "html" {
		return message.UsageErrorf("-o html is one page for two releases: name them instead of a range")
	}
	for i := range checkouts {
		if checkouts[i].Name != "" {
			all[i].Checkout = checkouts[i]
		}
	}
	if len(o.trace) > 0 && !slices.ContainsFunc(all, func(s sides.Side) bool { return s.Live }) {
		return message.UsageErrorf("--trace is for servers that are started now, and the sides are recordings: add --live")
	}
	sides.ReportOrigin(std, all)
	loader := sides.Loader{In: std.In, To: std, Trace: o.trace}
	steps := inorder.Each(len(all)-1, func(i int) (sides.Compared, error) {
		return loader.Compare(ctx, all[i], all[i+1], o.output.Comparison())
	})
	return differs(o.output.Write(ctx, std, steps, isRange && !command.Flags().Changed("view")))
}

// diffSource compares the text of a function in two releases.
func (o *diffOptions) diffSource(ctx context.Context, std *console.Streams, args []string) error {
	if len(args) != 2 {
		return message.UsageErrorf("--source compares a function of two releases: expected \"apitrace diff --source %s VERSION VERSION\"", o.source)
	}
	if o.output.Format != "tree" || o.live != "" || len(o.trace) > 0 {
		return message.UsageErrorf("--source compares the text of a function: leave -o, --live and --trace out")
	}
	return differs(output.WriteSourceDiff(ctx, std, o.source, [2]string(args), o.output.View.Colour))
}
