package program

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// A Command is one run of the go command.
type Command struct {
	Stage Stage
	// Purpose says why to run the command, such as "count the packages".
	Purpose message.Message
	Dir     string
	Args    []string
	// Set lists the command's own variables, as "NAME=value".
	Set []string
	// Inherit lists the variables inherited from the user; nil means all.
	// Set and Inherit are for plans. The command runs with Env.
	Inherit []string
	// Env is the whole environment of the command.
	Env []string
}

// run runs the command and passes each line of its standard error to line.
// The error of a failed command has the last lines.
func (c Command) run(ctx context.Context, line func(string)) error {
	var tail tailBuffer
	err := c.start(ctx, io.Discard, func(l string) {
		tail.add(l)
		line(l)
	})
	if err != nil && ctx.Err() == nil {
		return message.Errorf("%s: %w\n%s", c.name(), err, tail.String())
	}
	return err
}

// name returns a short name, such as "go mod tidy".
func (c Command) name() string { return "go " + strings.Join(c.Args[1:min(3, len(c.Args))], " ") }

// start runs the command and waits for its end. It passes the standard error to line,
// line by line.
func (c Command) start(ctx context.Context, stdout io.Writer, line func(string)) error {
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout = c.Dir, c.Env, stdout
	ownGroup(cmd)
	// Kill the compilers that the go command started, too.
	cmd.Cancel = func() error { return killGroup(cmd) }
	cmd.WaitDelay = 2 * time.Second
	w := &lineWriter{line: line}
	cmd.Stderr = w
	ended := c.logCommand(ctx)
	err := cmd.Start()
	if err == nil {
		release := GuardGroup(cmd.Process.Pid)
		err = cmd.Wait()
		release()
	}
	ended(err)
	w.flush()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// A lineWriter splits its input into lines.
type lineWriter struct {
	line func(string)
	rest []byte
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for {
		line, rest, ok := bytes.Cut(w.rest, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		w.line(string(line))
		w.rest = rest
	}
}

func (w *lineWriter) flush() {
	if len(w.rest) > 0 {
		w.line(string(w.rest))
		w.rest = nil
	}
}

// A tailBuffer keeps the last lines added to it.
type tailBuffer struct{ lines []string }

const tailLines = 15

func (t *tailBuffer) add(line string) {
	if len(t.lines) == tailLines {
		t.lines = t.lines[1:]
	}
	t.lines = append(t.lines, line)
}

// addUntil adds the lines of r before the first line that end accepts. It omits lines
// that skip accepts.
func (t *tailBuffer) addUntil(r io.Reader, end, skip func(string) bool) error {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	for s.Scan() && !end(s.Text()) {
		if !skip(s.Text()) {
			t.add(s.Text())
		}
	}
	return s.Err()
}

func (t *tailBuffer) String() string { return strings.Join(t.lines, "\n") }
