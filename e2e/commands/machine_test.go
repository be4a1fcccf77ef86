package commands

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// A machine is the environment of a test's commands. It shares the developer's builds.
// It has its own running servers, edits, course progress and temporary files, so tests
// with different machines may run at the same time.
type machine struct {
	testing.TB
	// tmp is the folder for temporary files. cache is the folder of the cache.
	tmp, cache string
	env        []string
}

// newMachine makes a machine. The end of the test stops the machine's running servers,
// and checks that nothing is left.
func newMachine(tb testing.TB) *machine {
	tb.Helper()
	needsServer(tb)
	dir, err := os.MkdirTemp(home, "m")
	if err != nil {
		tb.Fatal(err)
	}
	m := &machine{TB: tb, tmp: filepath.Join(dir, "t"), cache: filepath.Join(dir, "cache")}
	if err := errors.Join(os.Mkdir(m.tmp, 0o700), linkCache(m.cache)); err != nil {
		tb.Fatal(err)
	}
	m.env = []string{"TMPDIR=" + m.tmp, program.CacheEnv + "=" + m.cache, program.StateEnv + "=" + filepath.Join(dir, "state")}
	tb.Cleanup(func() {
		if left := served(m.cache); len(left) > 0 {
			if _, said, status := m.run("serve", "--stop"); status != 0 {
				tb.Errorf("serve --stop: exit status %d\n%s", status, said)
			}
		}
		var left []string
		defer func() {
			if len(left) > 0 {
				tb.Logf("left: %q", left)
			}
		}()
		testenv.Await(tb, "no server, no folder of a server and no log is left in "+dir, func() bool {
			left, _ = filepath.Glob(filepath.Join(m.tmp, "apitrace-*")) // the pattern is valid
			for _, folder := range left {
				files, _ := filepath.Glob(filepath.Join(folder, "*", "*"))
				left = append(left, files...)
			}
			left = append(left, served(m.cache)...)
			return len(left) == 0
		})
		if err := os.RemoveAll(dir); err != nil {
			tb.Error(err)
		}
	})
	return m
}

// linkCache makes a cache that shares the developer's builds, but not the running
// servers.
func linkCache(dir string) error {
	shared, err := program.OpenCache("")
	if err != nil {
		return err
	}
	err = os.Mkdir(dir, 0o700)
	for _, name := range []string{"builds", "workspaces", "gocache", "locks", "modules"} {
		from := filepath.Join(shared.Root, name)
		err = errors.Join(err, os.MkdirAll(from, 0o700), os.Symlink(from, filepath.Join(dir, name)))
	}
	return err
}

// served lists the state and log files of the servers that commands keep running.
func served(cache string) []string {
	states, _ := filepath.Glob(filepath.Join(cache, "served", "*.json"))
	logs, _ := filepath.Glob(filepath.Join(cache, "serve-*"))
	return append(states, logs...)
}

// with returns the same machine with the testing.TB of a subtest.
func (m *machine) with(tb testing.TB) *machine {
	of := *m
	of.TB = tb
	return &of
}

// set sets an environment variable for later commands.
func (m *machine) set(name, value string) { m.env = append(m.env, name+"="+value) }

// environment returns the environment of a command.
func (m *machine) environment(more ...string) []string {
	return append(append(os.Environ(), m.env...), more...)
}

// command returns an apitrace command that is not started.
func (m *machine) command(args ...string) *exec.Cmd {
	command := exec.Command("apitrace", args...)
	command.Env = m.environment()
	return command
}

// run runs an apitrace command. It returns the standard output, the standard error and
// the exit status.
func (m *machine) run(args ...string) (out, notices string, status int) {
	m.Helper()
	var stdout, stderr bytes.Buffer
	command := m.command(args...)
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		m.Error(err)
		return "", "", -1
	}
	return stdout.String(), stderr.String(), command.ProcessState.ExitCode()
}

// A running is an apitrace command that runs until end is called or the test ends.
type running struct {
	// line is the first line of its standard output.
	line string
	// pid is the id of its process.
	pid     int
	notices testenv.Buffer
	// end interrupts the command, and waits until it has ended.
	end func()
	// status is the exit status, after end.
	status int
}

// start starts a command and waits for its first line of output.
func (m *machine) start(args ...string) *running {
	m.Helper()
	command := m.command(args...)
	out, err := command.StdoutPipe()
	if err != nil {
		m.Fatal(err)
	}
	r := &running{}
	command.Stderr = &r.notices
	if err := command.Start(); err != nil {
		m.Fatal(err)
	}
	r.pid = command.Process.Pid
	r.end = sync.OnceFunc(func() {
		_ = command.Process.Signal(os.Interrupt)
		_ = command.Wait()
		r.status = command.ProcessState.ExitCode()
	})
	m.Cleanup(func() {
		r.end()
		if m.Failed() {
			m.Logf("apitrace %s:\n%s", strings.Join(args, " "), r.notices.String())
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		m.Fatalf("apitrace %s: %v\n%s", strings.Join(args, " "), err, r.notices.String())
	}
	r.line = strings.TrimSpace(line)
	return r
}

// launch starts a command and does not wait for output. The end of the test kills it.
func (m *machine) launch(args ...string) (*exec.Cmd, *testenv.Buffer) {
	m.Helper()
	command, said := m.command(args...), &testenv.Buffer{}
	command.Stderr = said
	if err := command.Start(); err != nil {
		m.Fatal(err)
	}
	m.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	return command, said
}

// frontURL waits until the command reports the address of its front, and returns the
// address.
func (r *running) frontURL(t testing.TB) (url string) {
	t.Helper()
	testenv.Await(t, "the front says at which address it listens", func() bool { // standard error can lag behind the first line of standard output
		_, rest, found := strings.Cut(r.notices.String(), "requests to ")
		url, _, _ = strings.Cut(rest, " ")
		return found && strings.Contains(rest, " ")
	})
	return url
}

// shared is the server that several tests use, and the cache in which commands find it.
var shared struct {
	sync.Once
	cache  string
	server *exec.Cmd
	err    error
}

// withServer makes a machine with commands that find the shared server, an "apitrace
// serve" without flags. A test that stops, changes or counts servers needs newMachine.
func withServer(tb testing.TB) *machine {
	tb.Helper()
	m := newMachine(tb)
	shared.Do(func() { shared.err = startShared() })
	if shared.err != nil {
		tb.Fatal(shared.err)
	}
	m.set(program.CacheEnv, shared.cache)
	return m
}

func startShared() error {
	shared.cache = filepath.Join(home, "cache")
	if err := linkCache(shared.cache); err != nil {
		return err
	}
	var said testenv.Buffer
	shared.server = exec.Command("apitrace", "serve")
	shared.server.Env = append(os.Environ(), program.CacheEnv+"="+shared.cache, program.StateEnv+"="+filepath.Join(home, "state"))
	shared.server.Stderr = &said
	out, err := shared.server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := shared.server.Start(); err != nil {
		return err
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return fmt.Errorf("apitrace serve: %w\n%s", err, said.String())
	}
	return nil
}

func stopShared() error {
	if shared.server == nil || shared.server.Process == nil {
		return nil
	}
	err := shared.server.Process.Signal(os.Interrupt)
	_ = shared.server.Wait() // the error only says that a signal has ended it
	return err
}
