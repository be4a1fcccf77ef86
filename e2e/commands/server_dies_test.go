package commands

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/trace"
)

// The second request waits for what never comes, so that there is time to kill etcd.
const waitsForever = `name: mine
title: {en: Mine}
requests:
  - {method: GET, path: /api/v1/nodes, status: 200, as: admin, traced: true}
  - {method: POST, path: /api/v1/nodes, status: 201, as: admin, body: {apiVersion: v1, kind: Node, metadata: {name: reached}}}
  - {method: GET, path: /api/v1/nodes/none, status: 200, as: admin, await: true}
`

// TestServerDies kills etcd, and then kube-apiserver, in the middle of a run: what was recorded before
// is shown and saved, the message says what has happened, and nothing is left.
func TestServerDies(t *testing.T) {
	for _, program := range []string{"etcd", "kube-apiserver"} {
		t.Run(program, func(t *testing.T) { killDuringRun(t, program) })
	}
}

func killDuringRun(t *testing.T, program string) {
	needsServer(t)
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Skip("finds etcd in /proc")
	}
	dir, err := os.MkdirTemp("/tmp", "death") // the servers' sockets need short paths
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	t.Setenv("TMPDIR", dir)
	// A server that somebody keeps running is not to be the one that dies.
	scenario := filepath.Join(dir, "mine.yaml")
	text := strings.Replace(waitsForever, "requests:", "setup: {server: {flags: [--v=0]}}\nrequests:", 1)
	if err := os.WriteFile(scenario, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	saved := filepath.Join(dir, "saved.jsonl")
	killed := make(chan bool, 1)
	go func() { killed <- killBelow(t.Context(), dir, program) }()
	out, notices, status := apitrace(t, "run", scenario, "-o", "names", "--save", saved)
	if !<-killed {
		t.Fatalf("%s was not found; the run said\n%s", program, notices)
	}
	_, failed, _ := strings.Cut(notices, "error: ")
	if status != 1 || !strings.Contains(failed, program+" ended: signal: killed") || strings.Contains(failed, "cleaning up") {
		t.Errorf("exit status %d, expected 1 and that %s has ended:\n%s", status, program, notices)
	}
	if !strings.HasPrefix(out, "# GET /api/v1/nodes -> 200\n") {
		t.Errorf("what was recorded is not shown: %.100q", out)
	}
	if rec, err := trace.Load(saved); err != nil || len(rec.Requests) != 1 {
		t.Errorf("what was recorded is not saved: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "apitrace-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	if left := processesBelow(dir); len(left) > 0 {
		t.Errorf("still running: %v", left)
	}
}

// killBelow kills the program that runs below dir once the scenario has got to its second request.
func killBelow(ctx context.Context, dir, program string) bool {
	for ctx.Err() == nil {
		time.Sleep(20 * time.Millisecond)
		data, err := filepath.Glob(filepath.Join(dir, "apitrace-*", "player.lock"))
		if err != nil || len(data) == 0 {
			continue
		}
		time.Sleep(2 * time.Second) // it awaits for fifteen seconds
		for pid, command := range processesBelow(dir) {
			if strings.HasSuffix(command[:strings.IndexByte(command, 0)], "/"+program) {
				return syscall.Kill(pid, syscall.SIGKILL) == nil
			}
		}
		return false
	}
	return false
}

// processesBelow lists the processes whose command line names a folder, by their id.
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
