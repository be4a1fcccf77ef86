package commands

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// processIn finds the process of a program that runs in a folder.
func processIn(t *testing.T, dir string) int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Skip("no /proc")
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if cwd, err := os.Readlink(filepath.Join("/proc", e.Name(), "cwd")); err == nil && cwd == dir {
			return pid
		}
	}
	t.Fatalf("no process runs in %s", dir)
	return 0
}

// TestStoppedServerIsNotReplaced: a server that hangs has what the user has made, so a command says that
// it does not answer instead of starting an empty one, unless it is asked to.
func TestStoppedServerIsNotReplaced(t *testing.T) {
	needsServer(t)
	// A flag that others do not use keeps this server from other tests.
	flag := fmt.Sprintf("--event-ttl=%ds", 3600+os.Getpid()%1000)
	admin := start(t, "serve", "--", flag).line
	if _, said, status := apitrace(t, "serve", "--", flag); status == 0 || !strings.Contains(said, "is running already, at https://127.0.0.1:") {
		t.Errorf("a second server of its kind: exit status %d\n%s", status, said)
	}
	pid := processIn(t, filepath.Dir(admin))
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	stopped := true
	goOn := func() {
		if stopped {
			stopped = false
			if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
				t.Error(err)
			}
		}
	}
	t.Cleanup(goOn)
	if out, _, status := apitrace(t, "serve", "--status"); status != 0 || !strings.Contains(out, "does not answer  "+admin) {
		t.Errorf("the status is %d\n%s", status, out)
	}
	_, said, status := apitrace(t, "serve", "--", flag)
	if status == 0 || !strings.Contains(said, "does not answer") || !strings.Contains(said, "apitrace serve --stop") {
		t.Errorf("with a server that is stopped: exit status %d\n%s", status, said)
	}
	goOn()
	if out, _, status := apitrace(t, "serve", "--status"); status != 0 || !strings.Contains(out, "ready            "+admin) && !strings.Contains(out, "ready  "+admin) {
		t.Errorf("the status is %d\n%s", status, out)
	}
}
