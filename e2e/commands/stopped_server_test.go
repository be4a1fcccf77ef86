package commands

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// processOf finds the process of a program of the server that runs in a folder.
func processOf(t *testing.T, dir, program string) int {
	t.Helper()
	for pid, command := range processesBelow(dir) {
		if path, _, _ := strings.Cut(command, "\x00"); filepath.Base(path) == program {
			return pid
		}
	}
	t.Fatalf("no %s runs in %s", program, dir)
	return 0
}

// stopProcess stops a process until goOn is called, or the test ends.
func stopProcess(t *testing.T, pid int) (goOn func()) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	stopped := true
	goOn = func() {
		if stopped {
			stopped = false
			if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
				t.Error(err)
			}
		}
	}
	t.Cleanup(goOn)
	return goOn
}

// TestStoppedServerIsNotReplaced: a server that hangs has what the user has made. So each command says that
// it does not answer, instead of starting an empty one, unless it is asked to.
func TestStoppedServerIsNotReplaced(t *testing.T) {
	needsServer(t)
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Skip("finds the servers in /proc")
	}
	admin := start(t, "serve").line
	url, dir := restConfig(t, admin).Host, filepath.Dir(filepath.Dir(admin))
	if _, said, status := apitrace(t, "serve"); status == 0 || !strings.Contains(said, "is already running at https://127.0.0.1:") {
		t.Errorf("a second server of its kind: exit status %d\n%s", status, said)
	}
	for _, program := range []string{"etcd", "kube-apiserver"} {
		t.Run(program, func(t *testing.T) {
			goOn := stopProcess(t, processOf(t, dir, program))
			var wg sync.WaitGroup
			for _, args := range [][]string{
				{"request", "GET", "/version", "-o", "names"}, {"run", "get-node", "-o", "names"}, {"serve"},
				{"exec", "--", "true"}, {"record", "--save", filepath.Join(t.TempDir(), "saved.jsonl")},
			} {
				wg.Go(func() { // each waits for ten seconds
					out, said, status := apitrace(t, args...)
					if status != 1 || out != "" {
						t.Errorf("%q: exit status %d\n%s%s", args, status, out, said)
					}
					for _, want := range []string{"the server of v1.", " at " + url, "does not answer", "apitrace serve --stop"} {
						if !strings.Contains(said, want) {
							t.Errorf("%q does not say %q:\n%s", args, want, said)
						}
					}
				})
			}
			wg.Go(func() {
				if out, _, status := apitrace(t, "serve", "--status"); status != 0 || !strings.Contains(out, "does not answer  "+admin) {
					t.Errorf("the status is %d\n%s", status, out)
				}
			})
			wg.Go(func() {
				if out, said, status := apitrace(t, "request", "GET", "/version", "-o", "names", "--fresh"); status != 0 || !strings.HasPrefix(out, "# GET /version -> 200") {
					t.Errorf("--fresh: exit status %d\n%s%s", status, out, said)
				}
			})
			wg.Wait()
			goOn()
			if out, _, status := apitrace(t, "serve", "--status"); status != 0 || !strings.Contains(out, "ready  "+admin) {
				t.Errorf("it goes on: the status is %d\n%s", status, out)
			}
		})
	}
}

// TestSlowServerStopsDuringARequest: a server that was there when the command began.
func TestSlowServerStopsDuringARequest(t *testing.T) {
	testenv.Slow(t)
	needsServer(t)
	admin := start(t, "serve").line
	watch := exec.Command("apitrace", "request", "GET", "/api/v1/namespaces?watch=1", "--timeout", "6s")
	var said lockedBuffer
	watch.Stderr = &said
	if err := watch.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * time.Second)
	stopProcess(t, processOf(t, filepath.Dir(filepath.Dir(admin)), "kube-apiserver"))
	if err := watch.Wait(); err == nil || !strings.Contains(said.String(), " at "+restConfig(t, admin).Host) || !strings.Contains(said.String(), "does not answer") {
		t.Errorf("%v\n%s", err, said.String())
	}
}
