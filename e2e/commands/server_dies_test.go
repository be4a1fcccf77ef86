package commands

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
)

// waitsForever is a scenario. Its third request waits for an object that never exists,
// so there is time to kill a server.
const waitsForever = `name: mine
title: {en: Mine}
requests:
  - {method: GET, path: /api/v1/nodes, status: 200, as: admin, traced: true}
  - {method: POST, path: /api/v1/nodes, status: 201, as: admin, body: {apiVersion: v1, kind: Node, metadata: {name: reached}}}
  - {method: GET, path: /api/v1/nodes/none, status: 200, as: admin, await: true}
`

// TestServerDies kills etcd or kube-apiserver in the middle of a run. The run must print
// and save the earlier request, name the killed program, and leave nothing behind.
func TestServerDies(t *testing.T) {
	for _, program := range []string{"etcd", "kube-apiserver"} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			killDuringRun(t, program)
		})
	}
}

func killDuringRun(t *testing.T, program string) {
	m := newMachine(t)
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Skip("this test needs /proc to find the servers")
	}
	scenario := filepath.Join(m.tmp, "mine.yaml")
	if err := os.WriteFile(scenario, []byte(waitsForever), 0o600); err != nil {
		t.Fatal(err)
	}
	saved := filepath.Join(m.tmp, "saved.jsonl")
	run := m.command("run", scenario, "-o", "names", "--save", saved)
	var out, notices testenv.Buffer
	run.Stdout, run.Stderr = &out, &notices
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	testenv.Await(t, "the second request has made its node", func() bool { return isReached(t, m) })
	if err := syscall.Kill(processOf(t, m.tmp, program), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = run.Wait()
	_, failed, _ := strings.Cut(notices.String(), "error: ")
	if status := run.ProcessState.ExitCode(); status != 1 || !strings.Contains(failed, program+" ended: signal: killed") || strings.Contains(failed, "cleaning up") {
		t.Errorf("exit status %d, expected 1 and the end of %s in:\n%s", status, program, notices.String())
	}
	if !strings.HasPrefix(out.String(), "# GET /api/v1/nodes -> 200\n") {
		t.Errorf("the output is %.100q, expected the recorded request first", out.String())
	}
	if rec, err := trace.Load(saved); err != nil || len(rec.Requests) != 1 {
		t.Errorf("loading the saved recording: got the error %v, expected one request", err)
	}
	if left, err := filepath.Glob(filepath.Join(m.tmp, "apitrace-*")); err != nil || len(left) > 0 {
		t.Errorf("the run has left the folders %q", left)
	}
	if left := processesBelow(filepath.Join(m.tmp, "apitrace-")); len(left) > 0 {
		t.Errorf("the run has left the processes %v", left)
	}
}

// isReached reports whether the server on the machine has the node that waitsForever
// creates.
func isReached(t *testing.T, m *machine) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(m.tmp, "apitrace-*", "*", "admin.kubeconfig"))
	if err != nil || len(files) == 0 {
		return false
	}
	config, err := clientcmd.BuildConfigFromFlags("", files[0])
	if err != nil {
		return false // the file is being written
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return false
	}
	answer, err := client.Get(config.Host + "/api/v1/nodes/reached")
	if err != nil {
		return false
	}
	answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// processesBelow returns the command lines that contain the path dir, by process id.
func processesBelow(dir string) map[int]string {
	found := map[int]string{}
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		command, err := os.ReadFile(file)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err == nil && pid != os.Getpid() && strings.Contains(string(command), dir) {
			found[pid] = string(command)
		}
	}
	return found
}
