package learner

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/workshop"
)

// ErrWrong reports a wrong answer. Check has already printed the reason, so the error
// only sets the exit status.
var ErrWrong = message.NewError("the answer is not right")

// Check judges an answer to the current exercise. For a wrong answer it returns ErrWrong.
func (l *Learner) Check(ctx context.Context, args []string, request *scenarios.TypedRequest) error {
	e, err := l.current()
	if err != nil {
		return err
	}
	passed, err := l.check(ctx, e, args, request)
	if err == nil && !passed {
		err = ErrWrong
	}
	return err
}

// check judges an answer, prints the verdict, and records it.
func (l *Learner) check(ctx context.Context, e *workshop.Exercise, args []string, request *scenarios.TypedRequest) (bool, error) {
	text := strings.Join(args, " ")
	if text == "" {
		var err error
		if text, err = l.readAnswerFile(e); err != nil {
			return false, err
		}
	}
	if text == "" && e.Change == nil {
		return false, l.noAnswer(e)
	}
	try := workshop.Try{Text: text}
	if e.Live() {
		var err error
		if try.Recording, err = l.play(ctx, e, strings.Fields(text), request); err != nil {
			return false, err
		}
		if err := l.keepTrace(ctx, e, try.Recording); err != nil {
			return false, err
		}
	}
	verdict, err := l.verdict(ctx, e, try, text)
	if err != nil {
		return false, err
	}
	l.tell(e, verdict)
	return verdict.Passed, nil
}

// verdict judges an answer and records the verdict.
func (l *Learner) verdict(ctx context.Context, e *workshop.Exercise, try workshop.Try, text string) (*workshop.Verdict, error) {
	verdict, err := l.judge.Judge(e, try)
	var bad *workshop.AnswerError
	if errors.As(err, &bad) {
		return nil, message.UsageErrorf("%s", bad.Reason.In(l.lang))
	} else if err != nil {
		return nil, err
	}
	did := workshop.Tried
	if verdict.Passed {
		did = workshop.Passed
	}
	return verdict, l.record(ctx, e, did, text)
}

// noAnswer returns an error that says that there is no answer and where to give one.
func (l *Learner) noAnswer(e *workshop.Exercise) error {
	how, _, _ := strings.Cut(l.howToAnswer(e), beforeRemark)
	return message.UsageErrorf("there is no answer yet: give it as \"%s\", or write it to %s", l.chosen.in(how), l.answerFile(e))
}

// tell prints the verdict and the next commands.
func (l *Learner) tell(e *workshop.Exercise, v *workshop.Verdict) {
	mark := "✗ "
	if v.Passed {
		mark = "✓ "
	}
	fmt.Fprintln(l.out, mark+indented(l.lay(v.Reply, 2), 2)+"\n")
	if e.Live() {
		l.sayf("  what happened: apitrace workshop trace")
	}
	switch done := l.progress.Of(e); {
	case v.Passed:
		l.sayf("  why it is so:  apitrace workshop explain\n  go on:         apitrace workshop next")
	case done.Hints < len(e.Hints):
		l.sayf("  a hint:  apitrace workshop hint")
	default:
		l.sayf("  give up:  apitrace workshop solution --anyway")
	}
}
