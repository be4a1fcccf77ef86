package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"
)

// compareOptions say of which release two scenarios are compared, and how that is shown.
type compareOptions struct {
	k8s    string
	output diffOutput
}

func newCompareCommand(std *streams) *cobra.Command {
	o := &compareOptions{}
	command := &cobra.Command{
		Use:   "compare SCENARIO SCENARIO",
		Short: "Show how two scenarios differ on one release",
		Long: `Show two scenarios on one release of Kubernetes next to each other, and mark what only
one of them runs through. "apitrace scenarios --pairs" lists pairs that are worth it, and
what to look at.

The recordings are part of apitrace: nothing is built, and no network is needed.

The exit status is 0 if the paths are the same, 1 if they differ, 2 if there was trouble.`,
		Example: `  # A read from etcd, and one from the watch cache
  apitrace compare get-node get-node-cached

  # In one tree, with every change
  apitrace compare get-node get-node-cached --side-by-side=false --view full

  # On another release
  apitrace compare create-deployment create-invalid --k8s 1.30`,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: completeScenario,
		RunE: func(c *cobra.Command, args []string) error {
			if !c.Flags().Changed("side-by-side") {
				o.output.sideBySide = true
			}
			if err := o.output.validate(); err != nil {
				return err
			}
			return inTrouble(o.run(c.Context(), std, args[0], args[1]))
		},
	}
	command.Flags().StringVar(&o.k8s, "k8s", "", "version of Kubernetes (default: the newest recorded one)")
	_ = command.RegisterFlagCompletionFunc("k8s", completeRelease)
	o.output.addFlags(command)
	command.Flags().Lookup("side-by-side").Usage = "draw both trees next to each other (default true)"
	return command
}

func (o *compareOptions) run(ctx context.Context, std *streams, nameA, nameB string) error {
	c, err := compareSides(ctx, std, diffSide{scenario: nameA, version: o.k8s}, diffSide{scenario: nameB, version: o.k8s}, o.output.comparison())
	if err != nil {
		return err
	}
	c.nameA, c.nameB = nameA, nameB // also if it is one scenario
	std.notice("recordings of Kubernetes %s that apitrace carries, made on %s", c.A.K8sVersion, c.A.Recorded.Format(time.DateOnly))
	return o.output.write(std, inOrder(1, func(int) (compared, error) { return c, nil }), false)
}
