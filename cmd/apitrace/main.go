// Command apitrace shows which code of the real kube-apiserver a request runs through,
// function by function, down into etcd.
//
// This package has only flags, help, streams and exit status. The packages that it
// calls do the work.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/session/machine"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/workshop/learner"
)

func main() {
	machine.SaveMemory(os.Getenv)
	printer := message.For(output.LanguageOf(os.Args, os.Getenv))
	err := run(os.Args, printer)
	report(os.Stderr, printer, err)
	if len(os.Args) > 1 && exitCode(err) == 1 && !isAnswer(err) {
		machine.KeepError("apitrace "+os.Args[1], err, printer)
	}
	os.Exit(exitCode(err))
}

// run executes the command line. The first signal cancels the context, so that the
// command stops the programs that it started. A second signal ends the process at once;
// its children end too, because they hold a pipe to it.
func run(args []string, printer message.Printer) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		s := <-signals
		signal.Stop(signals)
		cancel(console.Stopped(s.(syscall.Signal)))
	}()
	std := console.Standard()
	std.Printer = printer
	defer std.Close()
	err := execute(ctx, args, std)
	var interrupted *console.StoppedError
	if !errors.As(context.Cause(ctx), &interrupted) || isExit(err) {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, interrupted) {
		return interrupted // the cause names the signal
	}
	return errors.Join(interrupted, err)
}

// An exitError sets the exit status of the process: the status of a client program that
// a command ran, or 0 for a command that normally ends by the user's signal.
type exitError struct {
	status int
	// err is an error to report besides the status, or nil.
	err error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.status)
	}
	return e.err.Error()
}
func (e *exitError) Unwrap() error { return e.err }

func isExit(err error) bool {
	_, is := err.(*exitError)
	return is
}

// isAnswer reports whether an error is a result, such as "different", that only sets
// the exit status.
func isAnswer(err error) bool {
	return errors.Is(err, learner.ErrWrong) || errors.Is(err, errDifferent)
}

// report prints an error and, for a wrong command line, the command that shows the help.
func report(w io.Writer, p message.Printer, err error) {
	if err == nil {
		return
	}
	if isAnswer(err) { // the command has already printed the result
		return
	}
	if _, ok := err.(*console.StoppedError); ok { // the user sent the signal: no "error:"
		fmt.Fprintln(w, text.EscapeLines(p.Error(err)))
		return
	}
	if exit, ok := err.(*exitError); ok && exit.err == nil { // the client has printed its own errors
		return
	}
	fmt.Fprintln(w, text.EscapeLines(p.Sprintf("error: %s", err)))
	var wrong *message.UsageError
	if errors.As(err, &wrong) && wrong.Command != "" {
		fmt.Fprintln(w, p.Sprintf("see %q", wrong.Command+" --help"))
	}
}

// errDifferent reports that the two sides of a comparison are not the same.
var errDifferent = message.NewError("different")

// A troubleError is the reason why a comparison failed. Its exit status is 2.
type troubleError struct{ err error }

func (e *troubleError) Error() string { return e.err.Error() }
func (e *troubleError) Unwrap() error { return e.err }

// exitCode returns the exit status for an error: 0 for success, 2 for a wrong command
// line, 128 plus the number for a signal, as in shells, and 1 for all other errors. As
// with grep(1), a name that is missing in a recording does not make the command line
// wrong. Comparisons end like diff(1): with 1 for a difference and 2 for trouble.
func exitCode(err error) int {
	var interrupted *console.StoppedError
	var trouble *troubleError
	if exit, ok := err.(*exitError); ok {
		return exit.status
	}
	switch {
	case err == nil:
		return 0
	case errors.As(err, &interrupted):
		return 128 + int(interrupted.Signal())
	case errors.As(err, &trouble):
		return 2
	case errors.As(err, new(*trace.UnknownFunctionError)):
		return 1
	case errors.As(err, new(*message.UsageError)):
		return 2
	default:
		return 1
	}
}
