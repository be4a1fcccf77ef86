package commands

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// TestSlowKilledAtAnyMoment kills a command with its own servers, or one of the processes that it has started, at random moments from
// its start on. Each time nothing may be left of it: no process, no socket, no folder. Then the next command must work.
func TestSlowKilledAtAnyMoment(t *testing.T) {
	needsServer(t)
	testenv.Slow(t)
	const (
		times  = 4                // for each command
		latest = 6 * time.Second  // a server starts within that time, where the machine is idle
		limit  = 60 * time.Second // for what is left to end
	)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for _, args := range [][]string{
		{"run", "get-node", "--fresh"},
		{"exec", "--fresh", "--", "sh", "-c", "sleep 1000 & wait"},
		{"record", "--fresh", "--save", filepath.Join(t.TempDir(), "record.jsonl")},
		{"serve"},
	} {
		for range times {
			after, child := time.Duration(random.Int64N(int64(latest))), random.IntN(2) == 1
			killAfter(t, args, after, child, random, limit)
		}
	}
	if out, said, status := apitrace(t, "run", "get-node", "--fresh"); status != 0 || len(out) == 0 {
		t.Errorf("after all of them, run: exit status %d\n%s", status, said)
	}
}

// killAfter starts a command, kills it or a process that it has started after some time, and waits until nothing of it is left.
func killAfter(t *testing.T, args []string, after time.Duration, child bool, random *rand.Rand, limit time.Duration) {
	t.Helper()
	tmp, err := os.MkdirTemp("/tmp", "k") // short, for the sockets
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	mark := "TEST_KILLED=" + tmp
	command := exec.Command("apitrace", args...)
	command.Env = append(os.Environ(), "TMPDIR="+tmp, "XDG_RUNTIME_DIR=", mark)
	var said bytes.Buffer
	command.Stderr = &said
	command.WaitDelay = limit
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		for _, pid := range withEnvironment(t, mark) {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}()
	time.Sleep(after)
	killed := command.Process.Pid
	if started := slices.DeleteFunc(withEnvironment(t, mark), func(pid int) bool { return pid == killed }); child && len(started) > 0 {
		killed = started[random.IntN(len(started))]
	}
	t.Logf("%v: %s is killed after %v", args[0], commandOf(killed), after)
	_ = syscall.Kill(killed, syscall.SIGKILL) // it may have ended by itself
	if killed != command.Process.Pid {
		// Of a killed guard or client the command need not hear; it ends as it does for a user who waits no longer.
		time.AfterFunc(limit/4, func() { _ = command.Process.Signal(os.Interrupt) })
	}
	_ = command.Wait()
	testenv.Within(t, limit, "the processes and folders of the killed command are gone", func() bool {
		left, err := os.ReadDir(tmp)
		return err == nil && len(left) == 0 && len(withEnvironment(t, mark)) == 0 && len(serversIn(t, tmp)) == 0
	})
	if t.Failed() {
		t.Fatalf("apitrace %q said:\n%s", args, said.String())
	}
}
