package program

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// tinyServer describes tiny as a server in a part of a run directory. args select what tiny does.
func tinyServer(t *testing.T, r *RunDir, args ...string) Server {
	t.Helper()
	return serverIn(t, r, builtTiny(t), args...)
}

// tinyBinary is the folder of the program for the tests of child processes. The first of these
// tests builds it, and TestMain removes it.
var tinyBinary string

func builtTiny(t *testing.T) string {
	t.Helper()
	if tinyBinary == "" {
		serveModules(t)
		b, _ := mustBuild(t, tiny(), Options{Cache: newCache(t)})
		dir, err := os.MkdirTemp("/tmp", "apt")
		must(t, err)
		tinyBinary = dir
		data, err := os.ReadFile(b.Path)
		must(t, err)
		must(t, os.WriteFile(filepath.Join(dir, "tiny"), data, 0o700))
	}
	return filepath.Join(tinyBinary, "tiny")
}

func serverIn(t *testing.T, r *RunDir, binary string, args ...string) Server {
	t.Helper()
	dir, err := r.Part("tiny")
	must(t, err)
	return Server{
		Name: "tiny", Path: binary, Args: args, Dir: dir, ReadyTimeout: testenv.Patience,
		Ready: func(context.Context) error {
			_, err := os.Stat(filepath.Join(dir, "ready"))
			return err
		},
	}
}

func newRunDir(t *testing.T) *RunDir {
	t.Helper()
	// The path must be short enough for sockets.
	dir, err := os.MkdirTemp("/tmp", "apt")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("TMPDIR", dir)
	t.Setenv("XDG_RUNTIME_DIR", "")
	r, err := NewRunDir()
	must(t, err)
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func TestStartAndStop(t *testing.T) {
	c, err := Start(t.Context(), tinyServer(t, newRunDir(t), "serve"))
	must(t, err)
	if c.Err() != nil {
		t.Errorf("Err of a running server: got %v, want nil", c.Err())
	}
	must(t, c.Stop(t.Context(), testenv.Patience))
	if err := c.Err(); err == nil || strings.Contains(err.Error(), "killed") {
		t.Errorf("Err after Stop: got %v, want an end without SIGKILL", err)
	}
	must(t, c.Stop(t.Context(), 0)) // a second call is harmless
}

func TestStopStubborn(t *testing.T) {
	c, err := Start(t.Context(), tinyServer(t, newRunDir(t), "stubborn"))
	must(t, err)
	must(t, c.Stop(t.Context(), 50*time.Millisecond))
	if err := c.Err(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("Err of a server that ignores SIGTERM: got %v, want that it was killed", err)
	}
}

func TestServerDies(t *testing.T) {
	_, err := Start(t.Context(), tinyServer(t, newRunDir(t), "die"))
	var exit *ExitError
	if !errors.As(err, &exit) || exit.PortTaken(8080) {
		t.Fatalf("Start: %v, want an ExitError", err)
	}
	for _, want := range []string{"tiny ended: exit status 3", "first line\nthe reason"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q: %v", want, err)
		}
	}
}

func TestServerNeverReady(t *testing.T) {
	s := tinyServer(t, newRunDir(t), "serve")
	s.Ready = func(context.Context) error { return errors.New("not yet") }
	s.ReadyTimeout = 100 * time.Millisecond
	_, err := Start(t.Context(), s)
	if err == nil || !strings.Contains(err.Error(), "not ready after 100ms: not yet") || !strings.Contains(err.Error(), "serving") {
		t.Errorf("Start: %v, want an error with the reason and the log", err)
	}
}

func TestInterruptedStart(t *testing.T) {
	s := tinyServer(t, newRunDir(t), "serve")
	ctx, cancel := context.WithCancel(t.Context())
	s.Ready = func(context.Context) error {
		cancel()
		return errors.New("not yet")
	}
	if _, err := Start(ctx, s); !errors.Is(err, context.Canceled) {
		t.Errorf("Start: got the error %v, want context.Canceled", err)
	}
}

// TestPortTaken checks that WithFreePort tries another port if another process takes the port
// before the server listens on it.
func TestPortTaken(t *testing.T) {
	server := tinyServer(t, newRunDir(t))
	attempts := 0
	c, err := WithFreePort(func(port int) (*Child, error) {
		addr := fmt.Sprintf("127.0.0.1:%d", port)
		if attempts++; attempts < 3 {
			taken, err := net.Listen("tcp", addr)
			must(t, err)
			defer taken.Close()
		}
		server.Args = []string{"listen", addr}
		return Start(t.Context(), server)
	})
	must(t, err)
	must(t, c.Stop(t.Context(), time.Second))
	if attempts != 3 {
		t.Errorf("%d attempts, want 3", attempts)
	}
}

// TestOtherPortTaken checks the error for a server that also listens on a fixed port, which is
// taken. WithFreePort must not try again, because the server would fail with every free port.
func TestOtherPortTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer taken.Close()
	server := tinyServer(t, newRunDir(t), "listen", taken.Addr().String())
	attempts := 0
	_, err = WithFreePort(func(int) (*Child, error) {
		attempts++
		return Start(t.Context(), server)
	})
	want := fmt.Sprintf("tiny also listens on port %d", taken.Addr().(*net.TCPAddr).Port)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("WithFreePort: %v, want it to say %q", err, want)
	}
	if attempts != 1 {
		t.Errorf("%d attempts, want 1", attempts)
	}
}

// TestSocketLeft checks that Start removes the socket of an earlier server. The probe cannot
// listen on an existing socket, so the server would not be traced.
func TestSocketLeft(t *testing.T) {
	server := tinyServer(t, newRunDir(t), "serve")
	left, err := net.Listen("unix", server.Socket())
	must(t, err)
	left.(*net.UnixListener).SetUnlinkOnClose(false)
	must(t, left.Close())
	c, err := Start(t.Context(), server)
	must(t, err)
	defer c.Stop(t.Context(), time.Second)
	if _, err := os.Lstat(server.Socket()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("looking for the earlier socket: got the error %v, want that it does not exist", err)
	}
}

// TestServerEnvironment checks that a server inherits only the variables that it needs.
func TestServerEnvironment(t *testing.T) {
	t.Setenv("ETCD_LISTEN_CLIENT_URLS", "http://0.0.0.0:2379")
	t.Setenv("HTTPS_PROXY", "http://proxy.example.org")
	s := tinyServer(t, newRunDir(t), "environment")
	s.Check = true
	c, err := Start(t.Context(), s)
	must(t, err)
	defer c.Stop(t.Context(), time.Second)
	log, err := os.ReadFile(s.LogFile())
	must(t, err)
	for _, want := range []string{SocketEnv + "=" + s.Socket(), ProcessEnv + "=tiny", CheckEnv + "=1"} {
		if !strings.Contains(string(log), want+"\n") {
			t.Errorf("the environment lacks %s:\n%s", want, log)
		}
	}
	if strings.Contains(string(log), "ETCD_") || strings.Contains(string(log), "HTTPS_PROXY") {
		t.Errorf("the server inherited ETCD_* or HTTPS_PROXY:\n%s", log)
	}
	info, err := os.Stat(s.LogFile())
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the log has mode %v, want 0600", info.Mode())
	}
}

// TestLeash checks that no process and no file is left after a SIGKILL of apitrace.
func TestLeash(t *testing.T) {
	binary := builtTiny(t)
	newRunDir(t) // sets TMPDIR
	outside := filepath.Join(t.TempDir(), "state", "file")
	must(t, os.Mkdir(filepath.Dir(outside), 0o700))
	owner := play("owner", "TEST_BINARY="+binary, "TEST_OUTSIDE="+outside)
	out, err := owner.StdoutPipe()
	must(t, err)
	must(t, owner.Start())
	lines := bufio.NewScanner(out)
	pid, dir := 0, ""
	if lines.Scan() {
		pid, err = strconv.Atoi(lines.Text())
		must(t, err)
	}
	if lines.Scan() {
		dir = lines.Text()
	}
	if !alive(pid) || !exists(dir) || !exists(outside) || !RunDirAlive(dir) {
		t.Fatalf("before the kill: process %d runs: %t, %s exists: %t; want both", pid, alive(pid), dir, exists(dir))
	}
	must(t, owner.Process.Signal(syscall.SIGKILL))
	owner.Wait()
	testenv.Await(t, "the process, the folder and the file of the killed owner are gone", func() bool {
		return !alive(pid) && !exists(dir) && !exists(outside)
	})
}

// playOwner starts a server, prints its process id and its run directory, and waits to be killed.
func playOwner() int {
	r, err := NewRunDir()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	dir, _ := r.Part("tiny")
	outside := os.Getenv("TEST_OUTSIDE")
	os.WriteFile(outside, nil, 0o600)
	c, err := Start(context.Background(), Server{
		Name: "tiny", Path: os.Getenv("TEST_BINARY"), Args: []string{"serve"}, Dir: dir, Remove: []string{outside},
		Ready: func(context.Context) error {
			_, err := os.Stat(filepath.Join(dir, "ready"))
			return err
		},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Printf("%d\n%s\n", c.cmd.Process.Pid, r.Path)
	select {}
}

// alive reports whether a process runs. A zombie does not count.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true // this system has no /proc
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// TestTailWithoutStack checks that the tail of a log ends before the stack traces of a panic, and
// so has the panic's message.
func TestTailWithoutStack(t *testing.T) {
	dir := t.TempDir()
	log := "starting\npanic: no space left on device\n\ngoroutine 1 [running]:\n" + strings.Repeat("main.f()\n", 2*tailLines)
	must(t, os.WriteFile(filepath.Join(dir, "log"), []byte(log), 0o600))
	c := &Child{server: Server{Dir: dir}}
	if got, want := c.tail(), "starting\npanic: no space left on device\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := (&ExitError{Name: "etcd", State: "exit status 2", Log: c.tail()}); !strings.Contains(err.Error(), "etcd ended: exit status 2; its disk is full: ") {
		t.Errorf("an ExitError with a full disk: got %v, want advice for a full disk", err)
	}
}

// TestTailWithoutUsage checks that the tail of a log omits the list of flags that a server prints
// when it rejects a flag. The list comes before or after the reason.
func TestTailWithoutUsage(t *testing.T) {
	usage := "Usage:\n  server [flags]\n\nFlags:\n" + strings.Repeat("      --flag string   does this\n\tor that\n", tailLines) + "\nGlobal flags:\n  -v, --v Level\n"
	for log, want := range map[string]string{
		"starting\n" + usage + "\nError: unknown flag: --x\n":                  "starting\nError: unknown flag: --x",
		"Error: unknown flag: --x\n" + usage:                                   "Error: unknown flag: --x",
		"I1125 a line\n  indented\nHeading:\nE1125 Usage: of memory\n  more\n": "I1125 a line\n  indented\nHeading:\nE1125 Usage: of memory\n  more",
	} {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, "log"), []byte(log), 0o600))
		if got := (&Child{server: Server{Dir: dir}}).tail(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
