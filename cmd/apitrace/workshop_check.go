package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/workshop"
)

// errWrong is what check ends with after it has said why the answer is not right: only the exit
// status is left to give.
var errWrong = errors.New("the answer is not right")

func newWorkshopCheckCommand(std *streams, o *workshopOptions) *cobra.Command {
	request := &workshopRequest{}
	command := &cobra.Command{
		Use:   "check [ANSWER]...",
		Short: "Judge an answer to the current exercise",
		Long: `Judge an answer to the current exercise. Without an answer, that in the exercise's answer
file is judged ("apitrace workshop watch" says where it is).

What is asked for decides what an answer is: the name of a function, short as the tree
shows it; the letters of the steps in order; true or false; a value. If a request of
your own is asked for, it is METHOD and PATH, with --file for a body, or a saved
recording (.jsonl), or a scenario of your own (.yaml). If a change of the server is asked
for, nothing more is needed: the server is built with your edits and asked.

The exit status is 1 if the answer is not right.`,
		Example: `  apitrace workshop check 'etcd3.(*store).Get'
  apitrace workshop check C A B D
  apitrace workshop check false
  apitrace workshop check GET '/api/v1/nodes/n1?resourceVersion=0'`,
		RunE: o.with(std, func(l *learner, ctx context.Context) error {
			e, err := l.current()
			if err != nil {
				return err
			}
			passed, err := l.check(ctx, e, l.args, request)
			if err == nil && !passed {
				err = errWrong
			}
			return err
		}),
	}
	request.addFlags(command)
	return command
}

// check judges an answer, says what comes of it, and writes that down.
func (l *learner) check(ctx context.Context, e *workshop.Exercise, args []string, request *workshopRequest) (bool, error) {
	text := strings.Join(args, " ")
	if text == "" {
		var err error
		if text, err = l.readAnswerFile(e); err != nil {
			return false, err
		}
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
	verdict, err := l.judge.Judge(e, try)
	var bad *workshop.AnswerError
	if errors.As(err, &bad) {
		return false, usageErrorf("%s", bad.Reason.In(l.lang))
	} else if err != nil {
		return false, err
	}
	did := workshop.Tried
	if verdict.Passed {
		did = workshop.Passed
	}
	if err := l.record(ctx, e, did, text); err != nil {
		return false, err
	}
	l.tell(e, verdict)
	return verdict.Passed, nil
}

// tell says what a judge said, and what to do next.
func (l *learner) tell(e *workshop.Exercise, v *workshop.Verdict) {
	mark := "✗ "
	if v.Passed {
		mark = "✓ "
	}
	fmt.Fprint(l.std.out, mark+strings.TrimLeft(layOut(v.Reply.In(l.lang), l.width()-2), " "))
	fmt.Fprintln(l.std.out)
	if e.Live() {
		l.say("  what happened: apitrace workshop trace", "  发生了什么：apitrace workshop trace")
	}
	switch done := l.progress.Of(e); {
	case v.Passed:
		l.say("  why it is so:  apitrace workshop explain\n  go on:         apitrace workshop next", "  为什么如此：apitrace workshop explain\n  继续：      apitrace workshop next")
	case done.Hints < len(e.Hints):
		l.say("  a hint:  apitrace workshop hint", "  看提示：apitrace workshop hint")
	default:
		l.say("  give up:  apitrace workshop solution --anyway", "  直接看答案：apitrace workshop solution --anyway")
	}
}
