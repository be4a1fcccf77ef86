package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/storage"
	"github.com/kubeapitrace/apitrace/workshop"
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
		RunE: o.with(std, func(l *learner, ctx context.Context) error {
			return l.verify(ctx, live)
		}),
	}
	command.Flags().BoolVar(&live, "live", false, "solve the live exercises on a server")
	return command
}

func (l *learner) verify(ctx context.Context, live bool) error {
	all := l.course.Exercises()
	if len(l.args) > 0 {
		e, err := l.named()
		if err != nil {
			return err
		}
		all = []*workshop.Exercise{e}
	}
	recorded, err := versions()
	if err != nil {
		return err
	}
	verifier := &workshop.Verifier{Judge: l.judge, Versions: recorded, Exists: exists}
	var failed []error
	for _, e := range all {
		proofs, err := verifier.Verify(e)
		if err == nil && live && e.Live() {
			err = l.verifyLive(ctx, e)
		}
		if err != nil {
			failed = append(failed, err)
			fmt.Fprintf(l.std.out, "✗ %s\n", e.Name)
			continue
		}
		checks := 0
		for _, p := range proofs {
			checks += p.Checks
		}
		fmt.Fprintf(l.std.out, "✓ %s (%d versions, %d checks)\n", e.Name, len(proofs), checks)
	}
	if err := errors.Join(failed...); err != nil {
		return fmt.Errorf("%d of %d exercises are not proven:\n%w", len(failed), len(all), err)
	}
	return nil
}

// exists looks functions up in the source of those versions whose source is at hand.
func exists(k8s, function string) (bool, error) {
	for _, name := range []string{apiserver.Name, storage.Name} {
		dir, err := apiserver.CachedSourceOf(name, k8s, nil)
		if errors.Is(err, program.ErrNoSource) {
			return true, nil // not to be known here
		}
		if err != nil {
			return false, err
		}
		tree := &source.Tree{Program: name, Version: k8s, Dir: dir}
		if found, err := tree.Search(function); err != nil || len(found) > 0 {
			return err == nil, err
		}
	}
	return false, nil
}

// verifyLive solves a live exercise on a server.
func (l *learner) verifyLive(ctx context.Context, e *workshop.Exercise) error {
	if !e.Has(l.k8s) {
		return nil
	}
	if e.Change != nil {
		return l.verifyChange(ctx, e)
	}
	recording, err := l.replay(ctx, ownRequest(e, e.Solution.Request), "")
	if err != nil {
		return err
	}
	return l.mustPass(e, workshop.Try{Recording: recording}, true)
}

func (l *learner) mustPass(e *workshop.Exercise, try workshop.Try, want bool) error {
	verdict, err := l.judge.Judge(e, try)
	if err == nil && verdict.Passed != want {
		err = fmt.Errorf("%s: on a server of Kubernetes %s: passed is %v, expected %v (%s)", e.File, l.k8s, verdict.Passed, want, verdict.Reply.En)
	}
	return err
}

// verifyChange solves an exercise with its edits, in a folder that is not the user's.
func (l *learner) verifyChange(ctx context.Context, e *workshop.Exercise) (err error) {
	dir, err := os.MkdirTemp("", "apitrace-verify-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := l.applySolution(ctx, e, program.Edits{Dir: dir, Version: l.k8s}); err != nil {
		return err
	}
	recording, err := l.replayChanged(ctx, e, dir)
	if err != nil {
		return err
	}
	return l.mustPass(e, workshop.Try{Recording: recording}, true)
}

// applySolution edits the file of an exercise as its solution says.
func (l *learner) applySolution(ctx context.Context, e *workshop.Exercise, edits program.Edits) error {
	src, err := apiserver.SourceOf(ctx, apiserver.Name, apiserver.BuildOptions{Version: l.k8s})
	if err != nil {
		return err
	}
	edit, err := edits.Add(apiserver.Name, src.Dir, e.Change.File)
	if err != nil {
		return err
	}
	text, err := e.Edited(string(edit.Text))
	if err != nil {
		return err
	}
	return os.WriteFile(edit.Path, []byte(text), 0o600)
}
