package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/diff"
	"github.com/kubeapitrace/apitrace/recordings"
	"github.com/kubeapitrace/apitrace/trace"
)

// diffOptions say what is compared, and how that is shown.
type diffOptions struct {
	source string
	output diffOutput
}

func newDiffCommand(io *streams) *cobra.Command {
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
with the next.

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
			return inTrouble(o.run(c.Context(), io, c, args))
		},
	}
	o.output.addFlags(command)
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

func (o *diffOptions) run(ctx context.Context, io *streams, command *cobra.Command, args []string) error {
	if o.source != "" {
		return o.diffSource(ctx, io, args)
	}
	pairs, isRange, err := o.pairs(io, args)
	if err != nil {
		return err
	}
	if len(args) == 3 || isRange {
		io.notice("recordings that apitrace carries, made on %s; files that \"apitrace run --save FILE\" writes can be compared as well", pairs[len(pairs)-1][1].Recorded.Format(time.DateOnly))
	}
	var steps []compared
	for _, p := range pairs {
		c, err := diff.CompareRecordings(p[0], p[1])
		if err != nil {
			return err
		}
		nameA, nameB := sideNames(p[0], p[1], args)
		steps = append(steps, compared{c, nameA, nameB})
	}
	return o.output.write(io, steps, isRange && !command.Flags().Changed("view"))
}

// sideNames are what the sides are called: by their releases, else by their scenarios, else as
// the arguments name them.
func sideNames(a, b *trace.Recording, args []string) (nameA, nameB string) {
	switch {
	case a.K8sVersion != b.K8sVersion && a.K8sVersion != "" && b.K8sVersion != "":
		return a.K8sVersion, b.K8sVersion
	case a.Scenario != b.Scenario && a.Scenario != "" && b.Scenario != "":
		return a.Scenario, b.Scenario
	}
	return filepath.Base(args[len(args)-2]), filepath.Base(args[len(args)-1])
}

// pairs loads what the arguments ask to be compared.
func (o *diffOptions) pairs(io *streams, args []string) (pairs [][2]*trace.Recording, isRange bool, err error) {
	if len(args) == 3 {
		a, b, err := loadBoth(args[0], args[1], args[2])
		return [][2]*trace.Recording{{a, b}}, false, err
	}
	if from, to, ok := strings.Cut(args[1], ".."); ok && !isFile(args[1]) {
		pairs, err := releasePairs(args[0], from, to)
		return pairs, true, err
	}
	a, err := loadSide(io, args[0])
	if err != nil {
		return nil, false, err
	}
	b, err := loadSide(io, args[1])
	return [][2]*trace.Recording{{a, b}}, false, err
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// loadSide loads a saved recording, and says what else could have been meant.
func loadSide(io *streams, path string) (*trace.Recording, error) {
	if !isFile(path) {
		return nil, usageErrorf("there is no file %q: expected two files, a scenario with two versions, or a scenario with a range such as 1.26..1.37", path)
	}
	return io.load(path)
}

func loadBoth(scenario, versionA, versionB string) (a, b *trace.Recording, err error) {
	if a, err = loadRecording(versionA, scenario); err != nil {
		return nil, nil, err
	}
	b, err = loadRecording(versionB, scenario)
	return a, b, err
}

// releasePairs loads each recorded release of a range together with the next. Releases
// that have not recorded the scenario are passed over.
func releasePairs(scenario, from, to string) ([][2]*trace.Recording, error) {
	releases, err := recordings.Range(from, to)
	if err != nil {
		return nil, err
	}
	var pairs [][2]*trace.Recording
	var before *trace.Recording
	for _, release := range releases {
		if !release.Has(scenario) {
			continue
		}
		rec, err := loadRecording(release.K8sVersion, scenario)
		if err != nil {
			return nil, err
		}
		if before != nil {
			pairs = append(pairs, [2]*trace.Recording{before, rec})
		}
		before = rec
	}
	if len(pairs) == 0 {
		return nil, fmt.Errorf("scenario %q is recorded on fewer than two releases of %s..%s: there is nothing to compare", scenario, from, to)
	}
	return pairs, nil
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
