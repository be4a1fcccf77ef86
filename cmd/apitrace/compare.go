package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/internal/inorder"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session/sides"
)

// compareOptions select the release of the two recordings to compare, and how to show
// the comparison.
type compareOptions struct {
	k8s    string
	output output.Diff
}

func newCompareCommand(std *console.Streams) *cobra.Command {
	o := &compareOptions{}
	command := newCommand("compare", cobra.ExactArgs(2), func(c *cobra.Command, args []string) error {
		if !c.Flags().Changed("side-by-side") {
			o.output.SideBySide = true
		}
		if err := o.output.Validate(); err != nil {
			return err
		}
		if _, err := apiserver.ParseVersion(args[1]); err == nil {
			return message.UsageErrorf("%q is a release, and compare expects two scenarios: \"apitrace diff %s %[1]s VERSION\" compares releases", args[1], args[0])
		}
		return inTrouble(o.run(c.Context(), std, args[0], args[1]))
	})
	command.ValidArgsFunction = completeScenario(std)
	command.Flags().StringVar(&o.k8s, "k8s", "", "version of Kubernetes (default: the newest recorded one)")
	addDiffFlags(command, &o.output)
	command.Flags().Lookup("side-by-side").Usage = "draw both trees next to each other (default true)"
	return command
}

func (o *compareOptions) run(ctx context.Context, std *console.Streams, nameA, nameB string) error {
	loader := sides.Loader{In: std.In, To: std}
	c, err := loader.Compare(ctx, sides.Side{Scenario: nameA, Version: o.k8s}, sides.Side{Scenario: nameB, Version: o.k8s}, o.output.Comparison())
	if err != nil {
		return err
	}
	c.NameA, c.NameB = nameA, nameB // even if both are the same scenario
	std.Notice("recordings of Kubernetes %s that come with apitrace, made on %s", c.A.K8sVersion, c.A.Recorded.Format(time.DateOnly))
	return differs(o.output.Write(ctx, std, inorder.Each(1, func(int) (sides.Compared, error) { return c, nil }), false))
}
