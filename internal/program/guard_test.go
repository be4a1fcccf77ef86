package program

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// processes lists the processes with the assignment in their environment, except for this
// process and its guard.
func processes(t *testing.T, assignment string) []int {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows the environment of a process")
	}
	out, err := exec.Command("sh", "-c", "grep -lzxF -e \"$1\" /proc/[0-9]*/environ 2>/dev/null || true", "sh", assignment).Output()
	must(t, err)
	var pids []int
	for _, file := range strings.Fields(string(out)) {
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// TestGuard checks that a kill of apitrace ends all its descendants, also in other process groups
// and sessions, and removes its run directory.
func TestGuard(t *testing.T) {
	newRunDir(t) // sets TMPDIR
	mark := "TEST_MARK=" + t.TempDir()
	owner := play("exec", "TEST_SESSION="+mark)
	out, err := owner.StdoutPipe()
	must(t, err)
	must(t, owner.Start())
	t.Cleanup(func() {
		owner.Process.Kill()
		for _, pid := range processes(t, mark) {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	dir, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	dir = strings.TrimSpace(dir)
	testenv.Await(t, "the session has four processes", func() bool { return len(processes(t, mark)) == 4 })
	if !exists(filepath.Join(dir, "kubeconfig")) || !RunDirAlive(dir) {
		t.Fatalf("before the kill, %s lacks its file or does not count as alive", dir)
	}
	must(t, owner.Process.Signal(syscall.SIGKILL))
	owner.Wait()
	testenv.Await(t, "the processes and the folder of the killed owner are gone", func() bool {
		return len(processes(t, mark)) == 0 && !exists(dir)
	})
}

// playExec is a process with a run directory. It runs a shell that starts other processes: in
// its group, in a separate group, and in a separate session.
func playExec() int {
	r, err := NewRunDir()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := os.WriteFile(filepath.Join(r.Path, "kubeconfig"), nil, 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	mark := os.Getenv("TEST_SESSION")
	GuardMark(mark)
	cmd := exec.Command("sh", "-c", `sleep 1000 & setsid sleep 1000 & set -m; sleep 1000 & wait`)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), mark}
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	GuardGroup(cmd.Process.Pid)
	fmt.Println(r.Path)
	select {}
}

// TestGuardForgets checks that the guard does not perform withdrawn duties. The last line is
// incomplete, as after a kill.
func TestGuardForgets(t *testing.T) {
	kept, dir := filepath.Join(t.TempDir(), "kept"), filepath.Join(t.TempDir(), "dir")
	must(t, os.Mkdir(kept, 0o700))
	must(t, os.Mkdir(dir, 0o700))
	sleep := exec.Command("sleep", "1000")
	ownGroup(sleep)
	must(t, sleep.Start())
	defer sleep.Wait()
	defer sleep.Process.Kill()
	runGuard(strings.NewReader(fmt.Sprintf(`{"id":1,"dir":%q}
{"id":2,"dir":%q}
{"id":3,"group":%d}
{"id":1,"done":true}
{"id":3,"done":true}
{"id":4,"gro`, kept, dir, sleep.Process.Pid)))
	if !exists(kept) || exists(dir) || !alive(sleep.Process.Pid) {
		t.Errorf("the folder of the withdrawn duty exists: %t, want true; the other folder: %t, want false; the process of the withdrawn duty runs: %t, want true", exists(kept), exists(dir), alive(sleep.Process.Pid))
	}
}

// hangingGo is a go command whose "go build" only starts another process and waits for it.
const hangingGo = `#!/bin/sh
for arg; do
	case $arg in
	build) echo "$GOTMPDIR" > "$STARTED.tmp"; mv "$STARTED.tmp" "$STARTED"; sleep 1000 & wait ;;
	esac
done
exec %s "$@"
`

// TestKilledBuild checks that a kill of apitrace also ends its go command. Otherwise the go
// command would write to the same files as the next build.
func TestKilledBuild(t *testing.T) {
	needsBuilds(t)
	c := newCache(t)
	newRunDir(t) // sets TMPDIR
	goCmd, err := exec.LookPath("go")
	must(t, err)
	bin, started := t.TempDir(), filepath.Join(t.TempDir(), "started")
	script := fmt.Sprintf(hangingGo, goCmd)
	script = strings.ReplaceAll(script, "$STARTED", started)
	must(t, os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o700))
	mark := "GOTMPDIR="
	builder := play("builder", CacheEnv+"="+c.Root, "PATH="+bin+":"+os.Getenv("PATH"))
	must(t, builder.Start())
	defer builder.Process.Kill()
	testenv.Await(t, "go build runs", func() bool { return exists(started) })
	tmp, err := os.ReadFile(started)
	must(t, err)
	mark += strings.TrimSpace(string(tmp))
	if !exists(strings.TrimPrefix(mark, "GOTMPDIR=")) || len(processes(t, mark)) == 0 {
		t.Fatalf("before the kill, the build has the processes %v with %s, want at least one and its folder", processes(t, mark), mark)
	}
	must(t, builder.Process.Signal(syscall.SIGKILL))
	builder.Wait()
	testenv.Await(t, "the build and its temporary files are gone", func() bool {
		return len(processes(t, mark)) == 0 && !exists(strings.TrimPrefix(mark, "GOTMPDIR="))
	})
	b, _ := mustBuild(t, tiny(), Options{Cache: c})
	if b.Cached {
		t.Error("the next build came from the cache, want it made again after the killed build")
	}
}

// TestBuildKilledAtAnyMoment checks that a killed build leaves no process and no folder of
// apitrace, and that the next build succeeds.
func TestBuildKilledAtAnyMoment(t *testing.T) { killBuilds(t, 3) }

// TestSlowBuildKilledAtAnyMoment kills builds at more moments.
func TestSlowBuildKilledAtAnyMoment(t *testing.T) {
	testenv.Slow(t)
	killBuilds(t, 25)
}

// killBuilds kills builds at random moments.
func killBuilds(t *testing.T, times int) {
	needsBuilds(t)
	tmp := filepath.Dir(newRunDir(t).Path)
	ours := filepath.Join(tmp, runDirPrefix()+"*") // without go-build folders, which a killed go command leaves
	var whole time.Duration
	var err error
	for i := range 1 + times {
		c := newCache(t)
		mark := "TEST_KILLED=" + c.Root
		builder := play("builder", CacheEnv+"="+c.Root, mark, "TMPDIR="+tmp)
		start := time.Now()
		must(t, builder.Start())
		if i == 0 { // measure the whole build
			must(t, builder.Wait())
			whole = time.Since(start)
			continue
		}
		moment := time.Duration(rand.Int64N(int64(whole)))
		time.Sleep(moment)
		must(t, builder.Process.Kill())
		builder.Wait()
		var left []string
		var running []int
		t.Cleanup(func() {
			if t.Failed() {
				for _, pid := range running {
					command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
					t.Logf("process %d runs: %q", pid, command)
				}
				t.Logf("folders %q", left)
			}
		})
		testenv.Await(t, fmt.Sprintf("the processes and folders of the build that was killed after %v are gone", moment), func() bool {
			left, err = filepath.Glob(ours)
			running = processes(t, mark)
			return err == nil && len(left) == 1 && len(running) == 0
		})
		b, _ := mustBuild(t, tiny(), Options{Cache: c})
		if got := output(t, b); !strings.HasPrefix(got, "hello staged") {
			t.Errorf("killed after %v: the program of the next build says %q, want hello staged", moment, got)
		}
	}
}

// TestSweepersDoNotCollide checks that processes that sweep and make run directories at the same
// time do not remove a directory in use.
func TestSweepersDoNotCollide(t *testing.T) {
	base := filepath.Dir(newRunDir(t).Path)
	var all []*exec.Cmd
	for range 6 {
		cmd := play("sweeper")
		must(t, cmd.Start())
		all = append(all, cmd)
	}
	deserted := 0
	for i := range 50 { // folders to sweep; they may be removed before etcd/data exists
		dir := filepath.Join(base, runDirPrefix()+"x"+strconv.Itoa(i))
		if err := os.MkdirAll(filepath.Join(dir, "etcd", "data"), 0o700); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		deserted++
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Errorf("a process has lost its run directory: %v", err)
		}
	}
	SweepRunDirs()
	left, err := filepath.Glob(filepath.Join(base, runDirPrefix()+"x*"))
	must(t, err)
	if len(left) > 0 {
		t.Errorf("after sweeping %d deserted folders, these exist: %q", deserted, left)
	}
}

// playSweeper makes run directories and checks that they stay while other processes sweep.
func playSweeper() int {
	for range 60 {
		r, err := NewRunDir()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		file := filepath.Join(r.Path, "kubeconfig")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		SweepRunDirs()
		if _, err := os.Stat(file); err != nil || !RunDirAlive(r.Path) {
			fmt.Fprintln(os.Stderr, "lost", r.Path, err)
			return 1
		}
		if err := r.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}
