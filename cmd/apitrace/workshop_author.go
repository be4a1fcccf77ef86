package main

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/workshop"
	"github.com/kubeapitrace/apitrace/workshop/learner"
)

func newWorkshopNewCommand(std *streams) *cobra.Command {
	var kind string
	command := &cobra.Command{
		Use:   "new FILE",
		Short: "Write the beginning of a new exercise",
		Long: `Write the beginning of a new exercise of the given kind, with all fields and what they are
for: find, order, claim, choose, value, make or change. FILE is COURSE/NN-chapter/NN-name.yaml; the
folders are made, and a chapter.yaml, where they are missing.`,
		Example: `  apitrace workshop new mine/01-basics/01-first-call.yaml --kind find
  apitrace workshop verify --course mine`,
		Args: oneArgument("the path of the file to write, such as mine/01-basics/01-first-call.yaml"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := workshop.WriteNew(args[0], workshop.Kind(kind)); err != nil {
				return &usageError{err: err}
			}
			std.notice("fill in %s, then: apitrace workshop verify --course %s", args[0], filepath.Dir(filepath.Dir(args[0])))
			return nil
		},
	}
	command.Flags().StringVar(&kind, "kind", string(workshop.KindFind), "what is asked for: find, order, claim, choose, value, make or change")
	_ = command.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions([]string{"find", "order", "claim", "choose", "value", "make", "change"}, cobra.ShellCompDirectiveNoFileComp))
	return command
}

func newWorkshopVerifyCommand(std *streams, o *workshopOptions) *cobra.Command {
	var live bool
	command := &cobra.Command{
		Use:   "verify [EXERCISE]",
		Short: "Prove that exercises can be solved, and not by everything",
		Long: `Prove, of every exercise of a course or of one, and for every recorded version of
Kubernetes that it holds for: it fails unsolved, it passes with its solution, each listed
wrong answer gets its reply, the functions that it names exist, and both languages are
complete. Where the source of a version is at hand ("apitrace build" has fetched it),
names that no recording has are looked up in it.

With --live, exercises that need a server are solved on one as well: those of the version
--k8s, and without your own edits.`,
		Example: `  apitrace workshop verify
  apitrace workshop verify last-stop-before-etcd
  apitrace workshop verify --course mine`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeExercise,
		RunE: o.with(std, func(l *learner.Learner, ctx context.Context, args []string) error {
			return l.Verify(ctx, firstOf(args), live)
		}),
	}
	command.Flags().BoolVar(&live, "live", false, "solve the live exercises on a server")
	return command
}
