package program

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// These environment variables are set for the traced programs.
const (
	// SocketEnv is the path of the probe's unix socket.
	SocketEnv = "APITRACE_SOCKET"
	// ProcessEnv is the name of the program in traces.
	ProcessEnv = "APITRACE_PROCESS"
	// CheckEnv is "1" if the probe runs in checking mode.
	CheckEnv = "APITRACE_CHECK"
	// BootEnv is the traceparent for a traced start.
	BootEnv = "APITRACE_BOOT"

	leashEnv      = "APITRACE_LEASH"
	leashPathsEnv = "APITRACE_LEASH_PATHS"
)

// childInherited lists all variables that a server inherits from the user. Other
// variables can do harm: etcd reads ETCD_* as flags, and kube-apiserver would call
// webhooks through the user's HTTP proxy.
var childInherited = []string{"HOME", "PATH", "TMPDIR", "TZ"}

// A Server describes a server to run as a child process.
type Server struct {
	// Name is the name of the program, such as "etcd".
	Name string
	// Path is the executable. Args lacks the program's name.
	Path string
	Args []string
	// Dir is the server's part of the run directory: its working directory, with its log
	// and the probe's socket.
	Dir string
	// Check enables the probe's checking mode.
	Check bool
	// Boot is a sampled W3C traceparent for the program's start. If it is empty, the
	// start is not traced.
	Boot string
	// Remove lists paths outside of Dir that must be removed with the server if
	// apitrace is killed.
	Remove []string
	// Ready returns nil if the server is ready. Start calls it until then.
	Ready func(context.Context) error
	// ReadyTimeout limits the wait for Ready. Zero means two minutes.
	// A busy machine has needed more than one.
	ReadyTimeout time.Duration
}

// Socket is the path of the probe's unix socket.
func (s Server) Socket() string { return filepath.Join(s.Dir, "probe.sock") }

// LogFile is the path of the log: the server's standard output and standard error.
func (s Server) LogFile() string { return filepath.Join(s.Dir, "log") }

// A Child is a running server.
type Child struct {
	server Server
	cmd    *exec.Cmd
	// leash is our end of a pipe. Closing it ends the child.
	leash *os.File
	// release lets the cache remove the child's build.
	release func()
	done    chan struct{}
	// err is set before done is closed.
	err error
}

// Start starts a server and waits until it is ready.
// If that takes longer than ReadyTimeout, or if ctx ends, Start kills the server and
// returns an error.
func Start(ctx context.Context, s Server) (*Child, error) {
	c, err := spawn(s)
	if err != nil {
		return nil, message.Errorf("starting %s: %w", s.Name, err)
	}
	ready := c.logStart(ctx)
	err = c.awaitReady(ctx)
	ready(err)
	if err != nil {
		c.kill()
		return nil, err
	}
	return c, nil
}

func spawn(s Server) (*Child, error) {
	log, err := os.OpenFile(s.LogFile(), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	release := func() {}
	if build := filepath.Dir(s.Path); isEntry(build) {
		if use, ok := useEntry(build); ok {
			release = use
		}
	}
	// A program that ended, for example because its port was taken, leaves its socket
	// behind. The next program could not listen on that path.
	if err := os.Remove(s.Socket()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		release()
		ours.Close()
		return nil, err
	}
	cmd := exec.Command(s.Path, s.Args...)
	cmd.Dir = s.Dir
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.Env = s.env()
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		release()
		ours.Close()
		return nil, err
	}
	c := &Child{server: s, cmd: cmd, leash: ours, release: release, done: make(chan struct{})}
	go c.wait()
	return c, nil
}

func (s Server) env() []string {
	const firstExtraFile = 3
	env := append(inherit(childInherited),
		SocketEnv+"="+s.Socket(),
		ProcessEnv+"="+s.Name,
		leashEnv+"="+strconv.Itoa(firstExtraFile),
		leashPathsEnv+"="+strings.Join(append([]string{s.Dir}, s.Remove...), string(os.PathListSeparator)),
	)
	if s.Boot != "" {
		env = append(env, BootEnv+"="+s.Boot)
	}
	if s.Check {
		env = append(env, CheckEnv+"=1")
	}
	return env
}

func (c *Child) wait() {
	err := c.cmd.Wait()
	c.logEnd()
	c.leash.Close()
	c.release()
	c.err = &ExitError{Name: c.server.Name, State: c.cmd.ProcessState.String(), Log: c.tail()}
	if c.cmd.ProcessState == nil {
		c.err = message.Errorf("waiting for %s: %w", c.server.Name, err)
	}
	close(c.done)
}

// readyPoll is the interval of the calls of Ready.
const readyPoll = 20 * time.Millisecond

func (c *Child) awaitReady(ctx context.Context) error {
	timeout := c.server.ReadyTimeout
	if timeout == 0 {
		timeout = 2 * time.Minute
	}
	deadline := time.After(timeout)
	tick := time.NewTicker(readyPoll)
	defer tick.Stop()
	for {
		askCtx, cancel := context.WithTimeout(ctx, 2*time.Second)
		err := c.server.Ready(askCtx)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-c.done:
			return c.err
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-deadline:
			return message.Errorf("%s was not ready after %v: %w; its last log lines:\n%s", c.server.Name, timeout, err, c.tail())
		case <-tick.C:
		}
	}
}

// Done is closed when the server has ended.
func (c *Child) Done() <-chan struct{} { return c.done }

// Err returns why the server ended, or nil before Done is closed.
func (c *Child) Err() error {
	select {
	case <-c.done:
		return c.err
	default:
		return nil
	}
}

// Terminate asks a server to end, without waiting.
func (c *Child) Terminate() error {
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return message.Errorf("stopping %s: %w", c.server.Name, err)
	}
	return nil
}

// Stop asks a server to end and waits for it. It kills the server after the grace period,
// or when ctx ends.
func (c *Child) Stop(ctx context.Context, grace time.Duration) error {
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return message.Errorf("stopping %s: %w", c.server.Name, err)
	}
	select {
	case <-c.done:
	case <-ctx.Done():
		c.kill()
	case <-time.After(grace):
		c.kill()
	}
	return nil
}

func (c *Child) kill() {
	_ = c.cmd.Process.Kill()
	<-c.done
}

// stack matches the first line of a stack trace, which follows a panic.
var stack = regexp.MustCompile(`^goroutine \d+ .*\[.*\]:$`)

// A usageText recognizes the usage text of a command that rejects its flags: about a
// hundred lines that do not state the reason.
type usageText struct{ inside bool }

// has reports whether the next line belongs to the usage text, which begins with "Usage:"
// and has indented lines below titles.
func (u *usageText) has(line string) bool {
	switch {
	case line == "Usage:":
		u.inside = true
	case line != "" && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t") && !strings.HasSuffix(line, ":"):
		u.inside = false
	}
	return u.inside
}

// tail returns the last lines of the server's log. It omits usage texts, and the
// stack traces after a panic, because the reason comes before them.
func (c *Child) tail() string {
	f, err := os.Open(c.server.LogFile())
	if err != nil {
		return fmt.Sprintf("(no log: %v)", err)
	}
	defer f.Close()
	var tail tailBuffer
	if err := tail.addUntil(f, stack.MatchString, new(usageText).has); err != nil {
		tail.add(fmt.Sprintf("(reading the log: %v)", err))
	}
	return tail.String()
}

// An ExitError reports that a server ended unexpectedly.
type ExitError struct {
	// Name is the server's name. State describes its end, such as "exit status 1".
	Name, State string
	// Log holds the last lines of the server's log.
	Log string
}

func (e *ExitError) Error() string { return e.message().String() }

// Localize returns the error in the printer's language.
func (e *ExitError) Localize(p message.Printer) string { return e.message().Localize(p) }

func (e *ExitError) message() message.Message {
	if strings.Contains(e.Log, syscall.ENOSPC.Error()) {
		return message.Of("%s ended: %s; its disk is full: make some space, or set TMPDIR to a folder on another disk; its last log lines:\n%s", e.Name, e.State, e.Log)
	}
	return message.Of("%s ended: %s; its last log lines:\n%s", e.Name, e.State, e.Log)
}

// PortTaken reports whether the server ended because another process took this port. A
// log that reports a taken port without its number counts too.
func (e *ExitError) PortTaken(port int) bool {
	taken := e.takenPort()
	return taken == port || taken == 0 && strings.Contains(e.Log, syscall.EADDRINUSE.Error())
}

// takenAddress matches the report of a taken port by Go's net package:
// "listen tcp 127.0.0.1:8080: bind: …".
var takenAddress = regexp.MustCompile(`listen tcp[46]? \S*:(\d+): bind: ` + regexp.QuoteMeta(syscall.EADDRINUSE.Error()))

// takenPort returns the port that the server could not listen on, or 0 if the log does
// not name it.
func (e *ExitError) takenPort() int {
	match := takenAddress.FindStringSubmatch(e.Log)
	if match == nil {
		return 0
	}
	port, err := strconv.Atoi(match[1])
	if err != nil {
		return 0
	}
	return port
}
