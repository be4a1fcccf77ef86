package commands

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// TestSlowKilledAtAnyMoment kills a command with its own servers, or a process that the
// command has started, at random moments after the start. Each time nothing may be left
// of the command: no process, no socket, no folder. Then the next command must work.
func TestSlowKilledAtAnyMoment(t *testing.T) {
	testenv.Slow(t)
	m := newMachine(t)
	const (
		times  = 4                // for each command
		latest = 6 * time.Second  // on an idle machine a server starts within this time, and a control plane nearly
		limit  = 60 * time.Second // until the remaining processes end
	)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for _, args := range [][]string{
		{"run", "get-node", "--fresh"},
		{"run", "deployment-to-pod", "--fresh"},
		{"exec", "--fresh", "--", "sh", "-c", "sleep 1000 & wait"},
		{"record", "--fresh", "--save", filepath.Join(t.TempDir(), "record.jsonl")},
		{"serve"},
		{"serve", "--control-plane"},
		{"exec", "--follow", "1m", "--fresh", "--", "deployer"},
	} {
		for range times {
			after, child := time.Duration(random.Int64N(int64(latest))), random.IntN(2) == 1
			killAfter(m, args, after, child, random, limit)
		}
	}
	if out, said, status := m.run("run", "get-node", "--fresh"); status != 0 || len(out) == 0 {
		t.Errorf("run after all killed commands: exit status %d, expected 0 and output\n%s", status, said)
	}
}

// killAfter starts a command and kills it after some time. If child is set, it kills a
// process that the command started. It waits until nothing is left of the command.
func killAfter(m *machine, args []string, after time.Duration, child bool, random *rand.Rand, limit time.Duration) {
	m.Helper()
	tmp, err := os.MkdirTemp("/tmp", "k") // short, for the sockets
	if err != nil {
		m.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	mark := "TEST_KILLED=" + tmp
	command := m.command(args...)
	command.Env = m.environment("TMPDIR="+tmp, mark)
	var said bytes.Buffer
	command.Stderr = &said
	command.WaitDelay = limit
	if err := command.Start(); err != nil {
		m.Fatal(err)
	}
	defer func() {
		for _, pid := range withEnvironment(m, mark) {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}()
	time.Sleep(after)
	killed := command.Process.Pid
	if started := slices.DeleteFunc(withEnvironment(m, mark), func(pid int) bool { return pid == killed }); child && len(started) > 0 {
		killed = started[random.IntN(len(started))]
	}
	m.Logf("%v: %s is killed after %v", args[0], commandOf(killed), after)
	_ = syscall.Kill(killed, syscall.SIGKILL) // the process may have ended by itself
	if killed != command.Process.Pid {
		// The command does not always notice that a guard or client was killed. Then
		// Ctrl-C ends it, as a user would.
		time.AfterFunc(limit/4, func() { _ = command.Process.Signal(os.Interrupt) })
	}
	_ = command.Wait()
	testenv.Await(m, "the processes and folders of the killed command are gone", func() bool {
		left, err := os.ReadDir(tmp)
		return err == nil && len(left) == 0 && len(withEnvironment(m, mark)) == 0 && len(serversIn(m, tmp)) == 0
	})
	if m.Failed() {
		m.Fatalf("standard error of apitrace %q:\n%s", args, said.String())
	}
}
