package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/kubeapitrace/apitrace/workshop"
)

// hint unlocks the next hint for the current exercise, and prints those that are unlocked.
func (l *learner) hint(ctx context.Context) error {
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
}

// solution prints the solution of an exercise. It must be passed, or the learner wants it anyway.
func (l *learner) solution(ctx context.Context, name string, anyway bool) error {
	e, err := l.named(name)
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
	return l.printSolution(e)
}

// printSolution prints what passes.
func (l *learner) printSolution(e *workshop.Exercise) error {
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

// explain prints what there was to learn from an exercise, which must be passed, or its solution seen.
func (l *learner) explain(name string) error {
	e, err := l.named(name)
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
}

// resetAll forgets everything.
func (l *learner) resetAll(ctx context.Context) error {
	return l.reset(ctx, nil, l.course.Exercises()...)
}

// resetNamed forgets what was done of one exercise.
func (l *learner) resetNamed(ctx context.Context, name string) error {
	e, err := l.named(name)
	if err != nil {
		return err
	}
	return l.reset(ctx, e, e)
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
