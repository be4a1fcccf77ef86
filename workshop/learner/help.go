package learner

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/workshop"
)

// Hint unlocks the next hint for the current exercise and prints all unlocked hints.
func (l *Learner) Hint(ctx context.Context) error {
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
	switch done := l.progress.Of(e); {
	case shown == len(e.Hints) && done.Passed:
		l.sayf("\nThat was the last one. You have passed this exercise: apitrace workshop explain")
	case shown == len(e.Hints):
		l.sayf("\nThat was the last one. If you give up: apitrace workshop solution --anyway")
	}
	return nil
}

// Solution prints an exercise's solution. Unless anyway is set, the exercise must be
// passed.
func (l *Learner) Solution(ctx context.Context, name string, anyway bool) error {
	e, err := l.named(name)
	if err != nil {
		return err
	}
	if done := l.progress.Of(e); !done.Passed && !done.Revealed {
		if !anyway {
			return message.UsageErrorf("this exercise is not passed yet: take a hint, or use --anyway to see the solution (the list then marks the exercise with \"*\")")
		}
		if err := l.record(ctx, e, workshop.Revealed, ""); err != nil {
			return err
		}
	}
	return l.printSolution(e)
}

// printSolution prints a right answer.
func (l *Learner) printSolution(e *workshop.Exercise) error {
	switch {
	case e.Make != nil:
		r := e.Solution.Request
		fmt.Fprintf(l.out, "apitrace workshop check %s '%s'%s\n", r.Method, r.Path, requestFlags(r))
		l.printBody(r)
	case e.Change != nil:
		l.sayf("In %s:", e.Change.File)
		for _, edit := range e.Solution.Edits {
			printReplacement(l.out, edit)
		}
	default:
		right, err := l.judge.Right(e)
		if err != nil {
			return err
		}
		fmt.Fprintln(l.out, strings.Join(right, l.p.Sprintf("\nor ")))
		for i, step := range e.Order {
			fmt.Fprintf(l.out, "  %d. %s\n", i+1, onOneLine(step.Text.In(l.lang)))
		}
	}
	if text := e.Solution.Text.In(l.lang); text != "" {
		fmt.Fprintln(l.out)
		l.markdown(e.Solution.Text)
	}
	return nil
}

// Explain prints the debrief of an exercise. The learner must have passed the exercise
// or seen its solution.
func (l *Learner) Explain(name string) error {
	e, err := l.named(name)
	if err != nil {
		return err
	}
	if done := l.progress.Of(e); !done.Passed && !done.Revealed {
		return message.UsageErrorf("this exercise is not passed yet, and the explanation contains the answer: take a hint, or give up with \"apitrace workshop solution --anyway\"")
	}
	l.markdown(message.Of("Learned: %s", e.Teaches))
	fmt.Fprintln(l.out)
	l.markdown(e.Debrief)
	if chapter := l.course.Chapter(e); lessonOf(chapter) != "" {
		l.sayf("\nThe chapter's lesson: apitrace workshop lesson %s", chapter.Number())
	}
	return nil
}

// ResetAll deletes all progress.
func (l *Learner) ResetAll(ctx context.Context) error {
	return l.reset(ctx, nil, l.course.Exercises()...)
}

// Reset deletes the progress on one exercise.
func (l *Learner) Reset(ctx context.Context, name string) error {
	e, err := l.named(name)
	if err != nil {
		return err
	}
	return l.reset(ctx, e, e)
}

func (l *Learner) reset(ctx context.Context, e *workshop.Exercise, answered ...*workshop.Exercise) error {
	if err := l.forget(ctx, e, answered...); err != nil {
		return err
	}
	if e == nil {
		l.sayf("All progress is deleted.")
	} else {
		l.sayf("Your progress on %s is deleted.", e.Name)
	}
	return nil
}

// forget deletes the progress on an exercise, or on all exercises if e is nil. It removes
// the answer files and the traces of the exercises in answered.
func (l *Learner) forget(ctx context.Context, e *workshop.Exercise, answered ...*workshop.Exercise) error {
	if err := l.record(ctx, e, workshop.Reset, ""); err != nil {
		return err
	}
	for _, e := range answered {
		for _, file := range []string{l.answerFile(e), l.traceFile(e)} {
			if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
				return message.Errorf("removing your answer: %w", err)
			}
		}
	}
	return nil
}
