package commands

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// findProcess returns the id of a process that runs a program and has the folder in its
// command line. It returns 0 if there is none.
func findProcess(dir, program string) int {
	for pid, command := range processesBelow(dir) {
		if path, _, _ := strings.Cut(command, "\x00"); filepath.Base(path) == program {
			return pid
		}
	}
	return 0
}

// processOf is like findProcess, but fails the test if there is no such process.
func processOf(t *testing.T, dir, program string) int {
	t.Helper()
	pid := findProcess(dir, program)
	if pid == 0 {
		t.Fatalf("no process of %s has the folder %s in its command line", program, dir)
	}
	return pid
}

// stopProcess stops a process with SIGSTOP. It continues when goOn is called, or when
// the test ends.
func stopProcess(t *testing.T, pid int) (goOn func()) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	stopped := true
	goOn = func() {
		if stopped {
			stopped = false
			if err := syscall.Kill(pid, syscall.SIGCONT); err != nil && !errors.Is(err, syscall.ESRCH) {
				t.Error(err)
			}
		}
	}
	t.Cleanup(goOn)
	return goOn
}

// TestStoppedServerIsNotReplaced checks commands while a server hangs. The server has the
// user's objects, so a command must not replace it by an empty server. It must say that
// the server does not answer. Only with --fresh may it start another server.
func TestStoppedServerIsNotReplaced(t *testing.T) { stopServer(t, "kube-apiserver") }

// TestSlowStoppedEtcdIsNotReplaced checks the same while a server hangs because its etcd
// hangs.
func TestSlowStoppedEtcdIsNotReplaced(t *testing.T) {
	testenv.Slow(t)
	stopServer(t, "etcd")
}

func stopServer(t *testing.T, program string) {
	t.Parallel()
	m := newMachine(t)
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Skip("this test needs /proc to find the servers")
	}
	admin := m.start("serve").line
	url, dir := restConfig(t, admin).Host, filepath.Dir(filepath.Dir(admin))
	if _, said, status := m.run("serve"); status == 0 || !strings.Contains(said, "is already running at https://127.0.0.1:") {
		t.Errorf("a second serve: exit status %d, expected an error about the running server in\n%s", status, said)
	}
	goOn := stopProcess(t, processOf(t, dir, program))
	var wg sync.WaitGroup
	for _, args := range [][]string{
		{"request", "GET", "/version", "-o", "names"}, {"run", "get-node", "-o", "names"}, {"serve"},
		{"exec", "--", "true"}, {"record", "--save", filepath.Join(t.TempDir(), "saved.jsonl")},
	} {
		wg.Go(func() { // each command waits for ten seconds
			out, said, status := m.run(args...)
			if status != 1 || out != "" {
				t.Errorf("%q: exit status %d, expected 1 and no output\n%s%s", args, status, out, said)
			}
			for _, want := range []string{"the server of v1.", " at " + url, "does not answer", "apitrace serve --stop"} {
				if !strings.Contains(said, want) {
					t.Errorf("%q does not say %q:\n%s", args, want, said)
				}
			}
		})
	}
	wg.Go(func() {
		if out, _, status := m.run("serve", "--status"); status != 0 || !strings.Contains(out, "does not answer  "+admin) {
			t.Errorf("serve --status: exit status %d, expected 0 and \"does not answer\" in\n%s", status, out)
		}
	})
	wg.Go(func() {
		if out, said, status := m.run("request", "GET", "/version", "-o", "names", "--fresh"); status != 0 || !strings.HasPrefix(out, "# GET /version -> 200") {
			t.Errorf("request --fresh: exit status %d, expected 0 and the request in\n%s%s", status, out, said)
		}
	})
	wg.Wait()
	goOn()
	if out, _, status := m.run("serve", "--status"); status != 0 || !strings.Contains(out, "ready  "+admin) {
		t.Errorf("serve --status after the server goes on: exit status %d, expected 0 and \"ready\" in\n%s", status, out)
	}
}

// TestSlowServerStopsDuringARequest stops a server after a command has begun to use it.
func TestSlowServerStopsDuringARequest(t *testing.T) {
	testenv.Slow(t)
	m := newMachine(t)
	admin := m.start("serve").line
	before := watches(t, admin)
	watch := m.command("request", "GET", "/api/v1/namespaces?watch=1", "--timeout", "15s")
	var said testenv.Buffer
	watch.Stderr = &said
	if err := watch.Start(); err != nil {
		t.Fatal(err)
	}
	testenv.Await(t, "the server serves the watch", func() bool { return watches(t, admin) > before })
	stopProcess(t, processOf(t, filepath.Dir(filepath.Dir(admin)), "kube-apiserver"))
	if err := watch.Wait(); err == nil || !strings.Contains(said.String(), " at "+restConfig(t, admin).Host) || !strings.Contains(said.String(), "does not answer") {
		t.Errorf("request ended with %v, expected an error that the server does not answer in\n%s", err, said.String())
	}
}

// namespaceWatches matches the metric with the number of open watches on namespaces.
var namespaceWatches = regexp.MustCompile(`(?m)^apiserver_longrunning_requests\{.*resource="namespaces".*verb="WATCH".*\} (\d+)$`)

// watches returns the number of open watches on namespaces.
func watches(t *testing.T, kubeconfig string) (n int) {
	t.Helper()
	config := restConfig(t, kubeconfig)
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Get(config.Host + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range namespaceWatches.FindAllSubmatch(text, -1) {
		of, _ := strconv.Atoi(string(found[1]))
		n += of
	}
	return n
}
