package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/workshop"
)

func newWorkshopHintCommand(std *streams, o *workshopOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "hint",
		Short: "Unlock the next hint for the current exercise",
		Long: `Show the hints for the current exercise that you have unlocked, and unlock the next one.
There are three: where to look, what to look for, and nearly the answer.`,
		Example: "  apitrace workshop hint",
		Args:    cobra.NoArgs,
		RunE: o.with(std, func(l *learner, ctx context.Context) error {
			e, err := l.current()
			if err != nil {
				return err
			}
			if l.progress.Of(e).Hints < len(e.Hints) {
				if err := l.record(ctx, e, workshop.Hinted, ""); err != nil {
					return err
				}
			}
			shown := l.progress.Of(e).Hints
			for i, hint := range e.Hints[:shown] {
				l.item(fmt.Sprintf("%d/%d", i+1, len(e.Hints)), hint)
			}
			if shown == len(e.Hints) {
				l.say("\nThat was the last one. If you give up: apitrace workshop solution --anyway", "\n这是最后一个提示。直接看答案：apitrace workshop solution --anyway")
			}
			return nil
		}),
	}
}

func newWorkshopSolutionCommand(std *streams, o *workshopOptions) *cobra.Command {
	var anyway bool
	command := &cobra.Command{
		Use:   "solution [EXERCISE]",
		Short: "Show the solution of an exercise that is passed",
		Long: `Show the solution of an exercise that is passed: what the recording of this version of
Kubernetes says is right. With --anyway, that of one that is not passed: it then bears a
mark in the list.`,
		Example: `  apitrace workshop solution
  apitrace workshop solution --anyway`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeExercise,
		RunE: o.with(std, func(l *learner, ctx context.Context) error {
			e, err := l.named()
			if err != nil {
				return err
			}
			if !l.progress.Of(e).Passed {
				if !anyway {
					return usageErrorf("%s", l.in("this exercise is not passed yet: take a hint, or ask for the solution with --anyway, which leaves a mark", "这个练习还没有通过：先看提示，或者加上 --anyway 直接看答案（会留下标记）"))
				}
				if err := l.record(ctx, e, workshop.Revealed, ""); err != nil {
					return err
				}
			}
			return l.solution(e)
		}),
	}
	command.Flags().BoolVar(&anyway, "anyway", false, "show it although the exercise is not passed, and mark the exercise")
	return command
}

// solution prints what passes.
func (l *learner) solution(e *workshop.Exercise) error {
	switch {
	case e.Make != nil:
		r := e.Solution.Request
		fmt.Fprintf(l.std.out, "apitrace workshop check %s '%s'%s\n", r.Method, r.Path, requestFlags(r))
		l.printBody(r)
	case e.Change != nil:
		l.say("In %s:", "在 %s 中：", e.Change.File)
		for _, edit := range e.Solution.Edits {
			printReplacement(l.std.out, edit)
		}
	default:
		right, err := l.judge.Right(e)
		if err != nil {
			return err
		}
		fmt.Fprintln(l.std.out, strings.Join(right, l.in("\nor ", "\n或 ")))
		for i, step := range e.Order {
			fmt.Fprintf(l.std.out, "  %d. %s\n", i+1, onOneLine(step.Text.In(l.lang)))
		}
	}
	if text := e.Solution.Text.In(l.lang); text != "" {
		fmt.Fprintln(l.std.out)
		l.markdown(e.Solution.Text)
	}
	return nil
}

func newWorkshopExplainCommand(std *streams, o *workshopOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "explain [EXERCISE]",
		Short: "Tell what there was to learn from an exercise that is passed",
		Long: `Tell what there was to learn from an exercise: what happened, why it is so, and where to
read on. The exercise must be passed, or its solution seen.`,
		Example:           "  apitrace workshop explain",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeExercise,
		RunE: o.with(std, func(l *learner, _ context.Context) error {
			e, err := l.named()
			if err != nil {
				return err
			}
			if done := l.progress.Of(e); !done.Passed && !done.Revealed {
				return usageErrorf("%s", l.in("this exercise is not passed yet, and the explanation has the answer in it", "这个练习还没有通过，而讲解里包含答案"))
			}
			l.markdown(workshop.Text{En: "Learned: " + e.Teaches.En, Zh: "学到：" + e.Teaches.Zh})
			fmt.Fprintln(l.std.out)
			l.markdown(e.Debrief)
			if lessonOf(l.course.Chapter(e)) != "" {
				l.say("\nThe chapter's lesson: apitrace workshop lesson", "\n本章课文：apitrace workshop lesson")
			}
			return nil
		}),
	}
}

func newWorkshopResetCommand(std *streams, o *workshopOptions) *cobra.Command {
	var all bool
	command := &cobra.Command{
		Use:   "reset [EXERCISE]",
		Short: "Forget what was done of an exercise, or of all",
		Long: `Forget what was done of an exercise, the current one if none is named, or of all with
--all: it is as if it had never been started. Your answer file is removed as well; edits of
the server stay ("apitrace edit --revert" takes those back).`,
		Example: `  apitrace workshop reset last-stop-before-etcd
  apitrace workshop reset --all`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeExercise,
		RunE: o.with(std, func(l *learner, ctx context.Context) error {
			if all && len(l.args) > 0 {
				return usageErrorf("--all forgets everything: name an exercise, or give --all")
			}
			if all {
				return l.reset(ctx, nil, l.course.Exercises()...)
			}
			e, err := l.named()
			if err != nil {
				return err
			}
			return l.reset(ctx, e, e)
		}),
	}
	command.Flags().BoolVar(&all, "all", false, "forget everything")
	return command
}

func (l *learner) reset(ctx context.Context, e *workshop.Exercise, answered ...*workshop.Exercise) error {
	if err := l.record(ctx, e, workshop.Reset, ""); err != nil {
		return err
	}
	for _, e := range answered {
		for _, file := range []string{l.answerFile(e), l.traceFile(e)} {
			if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
				return fmt.Errorf("removing your answer: %w", err)
			}
		}
	}
	if e == nil {
		l.say("All progress is forgotten.", "已清除全部进度。")
	} else {
		l.say("%s is as if it had never been started.", "%s 已恢复为未开始的状态。", e.Name)
	}
	return nil
}
