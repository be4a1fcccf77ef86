package commands

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// status returns the lines of "serve --status", by the process ids of the servers.
func (m *machine) status() map[int]string {
	out, _, _ := m.run("serve", "--status")
	servers := map[int]string{}
	for _, line := range strings.Split(out, "\n") {
		if columns := strings.Fields(line); len(columns) > 3 && columns[0] != "VERSION" {
			pid, err := strconv.Atoi(columns[2])
			if err != nil {
				m.Errorf("a line of the status has no process id: %q", line)
			}
			servers[pid] = line
		}
	}
	return servers
}

// TestTwoInBackground starts two servers in the background at once. One must start, and
// the other must say why it does not start.
func TestTwoInBackground(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	var outs, said [2]string
	var statuses [2]int
	var both sync.WaitGroup
	for i := range 2 {
		both.Go(func() { outs[i], said[i], statuses[i] = m.run("serve", "--background") })
	}
	both.Wait()
	winner, other := 0, 1
	if statuses[0] != 0 {
		winner, other = 1, 0
	}
	kubeconfig := strings.TrimSpace(outs[winner])
	if _, err := os.Stat(kubeconfig); statuses[winner] != 0 || err != nil || !strings.Contains(said[winner], "apitrace serve --stop") {
		t.Errorf("the server that starts: exit status %d, kubeconfig %q, %v, expected 0 and a hint how to stop it in\n%s", statuses[winner], kubeconfig, err, said[winner])
	}
	if statuses[other] == 0 || outs[other] != "" || !regexp.MustCompile(`another "apitrace serve" is starting|is already running`).MatchString(said[other]) {
		t.Errorf("the other server: exit status %d, output %q, expected only an error that names the first in\n%s", statuses[other], outs[other], said[other])
	}
	servers := m.status()
	if len(servers) != 1 {
		t.Fatalf("the status is %v, expected one server", servers)
	}
	for pid, line := range servers {
		if !strings.Contains(line, "ready") || !strings.Contains(line, kubeconfig) || !strings.Contains(said[winner], "process "+strconv.Itoa(pid)) {
			t.Errorf("the status is %q, expected the ready server with the kubeconfig and the process in\n%s", line, said[winner])
		}
		out, notices, status := m.run("serve", "--stop")
		if status != 0 || out != "" || !strings.Contains(notices, "stopped the server of v1.37.1 at https://127.0.0.1:") {
			t.Errorf("serve --stop: exit status %d, expected 0 and the server in\n%s%s", status, out, notices)
		}
		testenv.Await(t, "the process of the stopped server ends", func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) })
	}
	if _, err := os.Stat(filepath.Dir(filepath.Dir(kubeconfig))); !os.IsNotExist(err) {
		t.Errorf("the folder of the stopped server still exists (error of Stat: %v)", err)
	}
	if _, notices, status := m.run("serve", "--stop"); status != 0 || !strings.Contains(notices, "no server is kept running") {
		t.Errorf("serve --stop without a server: exit status %d, expected 0 and a notice in\n%s", status, notices)
	}
}

// TestStopWhileStarting stops a server while it starts. Nothing may be left of it, and
// a command that waits for it must report the stop.
func TestStopWhileStarting(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	serve, said := m.launch("serve")
	freezeStart(t, m)
	if status := m.status()[serve.Process.Pid]; !strings.Contains(status, "starting") {
		t.Errorf("the status is %q, expected \"starting\"", status)
	}
	_, notices, status := m.run("serve", "--stop")
	if status != 0 || !strings.Contains(notices, "stopped") || !strings.Contains(notices, strconv.Itoa(serve.Process.Pid)) {
		t.Errorf("serve --stop during the start: exit status %d, expected 0 and the process in\n%s", status, notices)
	}
	if err := serve.Wait(); err == nil || !strings.Contains(said.String(), "stopped by signal") {
		t.Errorf("serve ended with %v, expected an error about the signal in\n%s", err, said.String())
	}
	if servers := m.status(); len(servers) > 0 {
		t.Errorf("the status is %v, expected no server", servers)
	}
	background, said := m.launch("serve", "--background")
	freezeStart(t, m)
	m.run("serve", "--stop")
	if err := background.Wait(); err == nil || !strings.Contains(said.String(), "did not start") {
		t.Errorf("serve --background ended with %v, expected an error about the start in\n%s", err, said.String())
	}
}

// TestStatusOfDeadServer checks that a killed server is not listed, and that another
// one can start at once.
func TestStatusOfDeadServer(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	out, said, status := m.run("serve", "--background")
	servers := m.status()
	if status != 0 || len(servers) != 1 {
		t.Fatalf("serve --background: exit status %d and the servers %v, expected 0 and one\n%s", status, servers, said)
	}
	for pid := range servers {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		testenv.Await(t, "the process of the killed server is gone", func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) })
	}
	if left := m.status(); len(left) > 0 {
		t.Errorf("the status is %v, expected no server", left)
	}
	kubeconfig := strings.TrimSpace(out)
	testenv.Await(t, "the folder of the killed server is removed", func() bool {
		_, err := os.Stat(filepath.Dir(filepath.Dir(kubeconfig)))
		return os.IsNotExist(err)
	})
	if _, said, status := m.run("serve", "--background"); status != 0 {
		t.Errorf("serve --background after the kill: exit status %d\n%s", status, said)
	}
}

// freezeStart waits until kube-apiserver runs on the machine, and stops its process.
// The start does not end until goOn is called.
func freezeStart(t *testing.T, m *machine) (goOn func()) {
	t.Helper()
	pid := 0
	testenv.Await(t, "kube-apiserver is started", func() bool {
		pid = findProcess(m.tmp, "kube-apiserver")
		return pid != 0
	})
	return stopProcess(t, pid)
}

// TestRunWaitsForStartingServer checks commands during the start of a server. A second
// "serve" fails at once. "run" waits for the server and uses it.
func TestRunWaitsForStartingServer(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	serve, _ := m.launch("serve")
	goOn := freezeStart(t, m)
	_, said, status := m.run("serve")
	if status == 0 || !strings.Contains(said, "another \"apitrace serve\" is starting") {
		t.Errorf("a second serve: exit status %d, expected an error about the first in\n%s", status, said)
	}
	run := m.command("run", "get-node", "--view", "outline")
	var out, notices testenv.Buffer
	run.Stdout, run.Stderr = &out, &notices
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	testenv.Await(t, "run waits for the server", func() bool {
		return strings.Contains(notices.String(), `waiting for the server that "apitrace serve" is starting`)
	})
	goOn()
	if err := run.Wait(); err != nil || out.String() == "" || !strings.Contains(notices.String(), "using the server that is running at https://127.0.0.1:") {
		t.Errorf("run: got the error %v, expected the request on the running server in\n%s%s", err, out.String(), notices.String())
	}
	if servers := m.status(); len(servers) != 1 || !strings.Contains(servers[serve.Process.Pid], "ready") {
		t.Errorf("the status is %v, expected one ready server", servers)
	}
}
