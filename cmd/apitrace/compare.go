package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/diff"
)

// compareOptions say of which release two scenarios are compared, and how that is shown.
type compareOptions struct {
	k8s    string
	output diffOutput
}

func newCompareCommand(io *streams) *cobra.Command {
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
			return inTrouble(o.run(io, args[0], args[1]))
		},
	}
	command.Flags().StringVar(&o.k8s, "k8s", "", "version of Kubernetes (default: the newest recorded one)")
	_ = command.RegisterFlagCompletionFunc("k8s", completeRelease)
	o.output.addFlags(command)
	command.Flags().Lookup("side-by-side").Usage = "draw both trees next to each other (default true)"
	return command
}

func (o *compareOptions) run(io *streams, nameA, nameB string) error {
	a, err := loadRecording(o.k8s, nameA)
	if err != nil {
		return err
	}
	b, err := loadRecording(o.k8s, nameB)
	if err != nil {
		return err
	}
	io.notice("recordings of Kubernetes %s that apitrace carries, made on %s", a.K8sVersion, a.Recorded.Format(time.DateOnly))
	c, err := diff.CompareRecordings(a, b)
	if err != nil {
		return fmt.Errorf("comparing %q with %q: %w", nameA, nameB, err)
	}
	return o.output.write(io, []compared{{c, nameA, nameB}}, false)
}
