package session

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// A Client is a program that runs in a session.
type Client struct {
	// Args are the program, looked up in PATH, and its arguments.
	Args []string
	// Env is the program's complete environment, as "NAME=value".
	Env []string
	// Mark is an element of Env that only this session's processes have. If apitrace is
	// killed, they are killed too. "" means no mark.
	Mark           string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// clientGrace is how long a client may take to end after a signal.
const clientGrace = 5 * time.Second

// run runs the client to its end and returns its exit status. After a signal, the status
// is 128 plus the signal's number, as in shells.
//
// When ctx ends, the client gets a signal: the Signal of ctx's cause, or SIGTERM. After
// clientGrace it is killed. Processes that the client started end with it, and with
// apitrace, however apitrace ends.
func (c Client) run(ctx context.Context) (status int, err error) {
	cmd := exec.Command(c.Args[0], c.Args[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Env, c.Stdin, c.Stdout, c.Stderr
	// The client's own children may hold its output open.
	cmd.WaitDelay = time.Second
	back := giveTerminal(cmd)
	if c.Mark != "" {
		defer program.GuardMark(c.Mark)()
	}
	if err := cmd.Start(); err != nil {
		return 0, message.Errorf("starting the client: %w", err)
	}
	defer back()
	defer program.GuardGroup(cmd.Process.Pid)()
	defer signalGroup(cmd, syscall.SIGKILL)
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err = <-done:
	case <-ctx.Done():
		err = end(cmd, signalOf(context.Cause(ctx)), done)
	}
	if cmd.ProcessState == nil {
		return 0, message.Errorf("waiting for the client: %w", err)
	}
	return exitStatus(cmd.ProcessState), nil
}

// end sends the client a signal, and kills it after clientGrace.
func end(cmd *exec.Cmd, s syscall.Signal, done <-chan error) error {
	signalGroup(cmd, s)
	select {
	case err := <-done:
		return err
	case <-time.After(clientGrace):
		signalGroup(cmd, syscall.SIGKILL)
		return <-done
	}
}

// A signaller is the cause of a context that a signal to this process has ended.
type signaller interface{ Signal() syscall.Signal }

// signalOf returns the signal that ended a context, or SIGTERM for another cause.
func signalOf(cause error) syscall.Signal {
	var s signaller
	if errors.As(cause, &s) {
		return s.Signal()
	}
	return syscall.SIGTERM
}

func exitStatus(state *os.ProcessState) int {
	if wait, ok := state.Sys().(syscall.WaitStatus); ok && wait.Signaled() {
		return 128 + int(wait.Signal())
	}
	return state.ExitCode()
}
