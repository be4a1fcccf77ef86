package commands

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/internal/program"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// A bench is a cache of its own, with what is built shared: the servers of one test, and no others.
type bench struct {
	t     *testing.T
	cache string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	needsServer(t)
	if _, said, status := apitrace(t, "build"); status != 0 {
		t.Fatalf("exit status %d\n%s", status, said)
	}
	b := &bench{t, t.TempDir()}
	for _, name := range []string{"builds", "workspaces", "gocache", "locks", "modules"} {
		if err := os.Symlink(filepath.Join(os.Getenv(program.CacheEnv), name), filepath.Join(b.cache, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if _, said, status := b.run("serve", "--stop"); status != 0 {
			t.Errorf("serve --stop: exit status %d\n%s", status, said)
		}
		left, err := filepath.Glob(filepath.Join(b.cache, "served", "*"))
		logs, _ := filepath.Glob(filepath.Join(b.cache, "serve-*"))
		if err != nil || len(left)+len(logs) > 0 {
			t.Errorf("left are %q %q, %v", left, logs, err)
		}
	})
	return b
}

func (b *bench) command(args ...string) (*exec.Cmd, *lockedBuffer) {
	command, said := exec.Command("apitrace", args...), &lockedBuffer{}
	command.Env = append(os.Environ(), program.CacheEnv+"="+b.cache)
	command.Stderr = said
	return command, said
}

// start starts a command and does not wait for anything.
func (b *bench) start(args ...string) (*exec.Cmd, *lockedBuffer) {
	b.t.Helper()
	command, said := b.command(args...)
	if err := command.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	return command, said
}

func (b *bench) run(args ...string) (out, said string, status int) {
	command, notices := b.command(args...)
	stdout, err := command.Output()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		b.t.Error(err)
		return "", "", -1
	}
	return string(stdout), notices.String(), command.ProcessState.ExitCode()
}

// status returns the columns of the servers, by the id of their process.
func (b *bench) status() map[int]string {
	out, _, _ := b.run("serve", "--status")
	servers := map[int]string{}
	for _, line := range strings.Split(out, "\n") {
		if columns := strings.Fields(line); len(columns) > 3 && columns[0] != "VERSION" {
			pid, err := strconv.Atoi(columns[2])
			if err != nil {
				b.t.Errorf("a line of the status: %q", line)
			}
			servers[pid] = line
		}
	}
	return servers
}

// Of two that are started in the background at once, one wins, and the other says why it does not serve.
func TestTwoInBackground(t *testing.T) {
	b := newBench(t)
	var outs, said [2]string
	var statuses [2]int
	var both sync.WaitGroup
	for i := range 2 {
		both.Go(func() { outs[i], said[i], statuses[i] = b.run("serve", "--background") })
	}
	both.Wait()
	winner, other := 0, 1
	if statuses[0] != 0 {
		winner, other = 1, 0
	}
	kubeconfig := strings.TrimSpace(outs[winner])
	if _, err := os.Stat(kubeconfig); statuses[winner] != 0 || err != nil || !strings.Contains(said[winner], "apitrace serve --stop") {
		t.Errorf("the first: exit status %d, %q, %v\n%s", statuses[winner], kubeconfig, err, said[winner])
	}
	if statuses[other] == 0 || outs[other] != "" || !strings.Contains(said[other], "another \"apitrace serve\" is starting") {
		t.Errorf("the second: exit status %d, %q\n%s", statuses[other], outs[other], said[other])
	}
	servers := b.status()
	if len(servers) != 1 {
		t.Fatalf("the status is %v", servers)
	}
	for pid, line := range servers {
		if !strings.Contains(line, "ready") || !strings.Contains(line, kubeconfig) || !strings.Contains(said[winner], "process "+strconv.Itoa(pid)) {
			t.Errorf("the status is %q, with\n%s", line, said[winner])
		}
		out, notices, status := b.run("serve", "--stop")
		if status != 0 || out != "" || !strings.Contains(notices, "stopped the server of v1.37.1 at https://127.0.0.1:") {
			t.Errorf("stopping it: exit status %d\n%s%s", status, out, notices)
		}
		testenv.Within(t, 5*time.Second, "its process ends", func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) })
	}
	if _, err := os.Stat(filepath.Dir(filepath.Dir(kubeconfig))); !os.IsNotExist(err) {
		t.Errorf("its folder is there: %v", err)
	}
	if _, notices, status := b.run("serve", "--stop"); status != 0 || !strings.Contains(notices, "no server is kept running") {
		t.Errorf("stopping nothing: exit status %d\n%s", status, notices)
	}
}

// TestStopWhileStarting stops a server while it starts: nothing of it is left, and a command that waits for it reports that.
func TestStopWhileStarting(t *testing.T) {
	b := newBench(t)
	serve, said := b.start("serve")
	testenv.Within(t, 5*time.Second, "it is starting", func() bool { return strings.Contains(b.status()[serve.Process.Pid], "starting") })
	_, notices, status := b.run("serve", "--stop")
	if status != 0 || !strings.Contains(notices, "stopped") || !strings.Contains(notices, strconv.Itoa(serve.Process.Pid)) {
		t.Errorf("exit status %d\n%s", status, notices)
	}
	if err := serve.Wait(); err == nil || !strings.Contains(said.String(), "stopped by signal") {
		t.Errorf("it ended with %v\n%s", err, said.String())
	}
	if servers := b.status(); len(servers) > 0 {
		t.Errorf("the status is %v", servers)
	}
	background, said := b.start("serve", "--background")
	testenv.Within(t, 5*time.Second, "it is starting", func() bool { return len(b.status()) == 1 })
	b.run("serve", "--stop")
	if err := background.Wait(); err == nil || !strings.Contains(said.String(), "did not start") {
		t.Errorf("in the background it ended with %v\n%s", err, said.String())
	}
}

// A server whose process was killed is not listed, and another one can be started at once.
func TestStatusOfDeadServer(t *testing.T) {
	b := newBench(t)
	out, said, status := b.run("serve", "--background")
	servers := b.status()
	if status != 0 || len(servers) != 1 {
		t.Fatalf("exit status %d, servers %v\n%s", status, servers, said)
	}
	for pid := range servers {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		testenv.Within(t, 5*time.Second, "its process is gone", func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) })
	}
	if left := b.status(); len(left) > 0 {
		t.Errorf("the status is %v", left)
	}
	kubeconfig := strings.TrimSpace(out)
	testenv.Within(t, 15*time.Second, "its folder goes", func() bool {
		_, err := os.Stat(filepath.Dir(filepath.Dir(kubeconfig)))
		return os.IsNotExist(err)
	})
	if _, said, status := b.run("serve", "--background"); status != 0 {
		t.Errorf("another one: exit status %d\n%s", status, said)
	}
}

// While one starts, a second one says so at once, and "run" waits for it and uses it.
func TestRunWaitsForStartingServer(t *testing.T) {
	b := newBench(t)
	serve, _ := b.start("serve")
	time.Sleep(500 * time.Millisecond)
	began := time.Now()
	_, said, status := b.run("serve")
	if took := time.Since(began); status == 0 || took > 5*time.Second || !strings.Contains(said, "another \"apitrace serve\" is starting") {
		t.Errorf("a second one: exit status %d after %v\n%s", status, took, said)
	}
	out, said, status := b.run("run", "get-node", "--view", "outline")
	if status != 0 || out == "" {
		t.Errorf("run: exit status %d\n%s%s", status, out, said)
	}
	for _, want := range []string{`waiting for the server that "apitrace serve" is starting`, "using the server that is running at https://127.0.0.1:"} {
		if !strings.Contains(said, want) {
			t.Errorf("run does not say %q:\n%s", want, said)
		}
	}
	if servers := b.status(); len(servers) != 1 || !strings.Contains(servers[serve.Process.Pid], "ready") {
		t.Errorf("the status is %v", servers)
	}
}
