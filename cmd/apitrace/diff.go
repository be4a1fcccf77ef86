package main

import (
	"context"
	"errors"
	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// diffOptions say what is compared, and how that is shown.
type diffOptions struct {
	source string
	// live says which sides are replayed: "a", "b", "both", or "" for none.
	live   string
	output diffOutput
}

func newDiffCommand(std *streams) *cobra.Command {
	o := &diffOptions{}
	command := &cobra.Command{
		Use:   "diff {SCENARIO VERSION VERSION | SCENARIO VERSION..VERSION | FILE FILE}",
		Short: "Show how a request's path differs between two releases",
		Long: `Show how the path of a request differs between two releases of Kubernetes, or between two
saved recordings: what changed in each layer, in sentences, and the tree of both
with marks where they differ.

Calls are matched by what they are first, and by where they stand second: a filter
that is wrapped around everything is one addition, and a function that was
renamed, or moved to another package, is the same function. Values that vary from run to run,
such as revisions, are not compared, and times are not either.

The tree shows the changes that concern key steps; --view full shows every change, and
-o names every call. Filters choose among the changes.

The releases' recordings are part of apitrace ("apitrace scenarios" lists what was
recorded); nothing is built, and no network is needed. A range compares each release
with the next. --live replays the scenario on both releases now, as "apitrace run" does,
--live=a or --live=b on the first or second one alone; the heading says which.

With --source, the text of one function is compared instead: the sources of both releases
are fetched if they are not there.

The exit status is 0 if the paths are the same, 1 if they differ, 2 if there was trouble.`,
		Example: `  # What did seven releases do to the way of a write?
  apitrace diff create-deployment v1.30.4 v1.37.1

  # Release by release, in sentences
  apitrace diff get-node 1.26..1.37

  # Two recordings of your own
  apitrace diff before.jsonl after.jsonl

  # Every change of the watch cache and the store, both trees next to each other
  apitrace diff list-nodes 1.30 1.37 --layer cacher,etcd3 --side-by-side

  # Has anything changed since the recording was made? And what does my edit of the server change?
  apitrace diff get-node 1.37 1.37 --live=b

  # A page to pass on
  apitrace diff get-node 1.30 1.37 -o html > get-node.html

  # What happened to the code of one function
  apitrace diff --source 'etcd3.(*store).Get' 1.30 1.37`,
		Args:              cobra.RangeArgs(2, 3),
		ValidArgsFunction: completeDiff,
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.output.validate(); err != nil {
				return err
			}
			return inTrouble(o.run(c.Context(), std, c, args))
		},
	}
	o.output.addFlags(command)
	command.Flags().StringVar(&o.live, "live", "", "replay the scenario now instead of taking recordings: on both releases, or =a on the first, =b on the second one")
	command.Flags().Lookup("live").NoOptDefVal = "both"
	_ = command.RegisterFlagCompletionFunc("live", cobra.FixedCompletions([]string{"a", "b", "both"}, cobra.ShellCompDirectiveNoFileComp))
	command.Flags().StringVar(&o.source, "source", "", "compare the source of this function instead: \"etcd3.(*store).Get\", or any end of a full name")
	return command
}

// inTrouble makes every error but a difference one that says that there was trouble.
func inTrouble(err error) error {
	if err == nil || errors.Is(err, errDifferent) {
		return err
	}
	return &troubleError{err}
}

func (o *diffOptions) run(ctx context.Context, std *streams, command *cobra.Command, args []string) error {
	if o.source != "" {
		return o.diffSource(ctx, std, args)
	}
	sides, isRange, err := o.sides(args)
	if err != nil {
		return err
	}
	if isRange && o.output.format == "html" {
		return usageErrorf("-o html is one page for two releases: name them instead of a range")
	}
	sayOrigin(std, sides)
	steps := inOrder(len(sides)-1, func(i int) (compared, error) {
		return compareSides(ctx, std, sides[i], sides[i+1], o.output.comparison())
	})
	return o.output.write(std, steps, isRange && !command.Flags().Changed("view"))
}

// completeDiff offers scenarios, then recorded releases.
func completeDiff(command *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		names, _ := completeScenario(command, args, typed)
		return names, cobra.ShellCompDirectiveDefault // files, too
	}
	return completeRelease(command, args, typed)
}

func completeRelease(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	releases, err := recordings.Versions()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []string
	for _, release := range releases {
		names = append(names, release.K8sVersion)
	}
	return names, cobra.ShellCompDirectiveDefault
}
