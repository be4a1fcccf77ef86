package commands

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// commandOf returns the name of a process's command, or "" if the process has ended.
func commandOf(pid int) string {
	name, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "comm"))
	return strings.TrimSpace(string(name))
}

// withEnvironment lists the processes that were started with an environment variable.
func withEnvironment(t testing.TB, assignment string) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Skip("this test needs /proc to find processes")
	}
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		environment, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		for variable := range bytes.SplitSeq(environment, []byte{0}) {
			if string(variable) == assignment {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// TestKilledLeavesNothing kills commands with their own servers by SIGKILL. It checks
// that none of their processes is left, and that the folder for temporary files is
// empty. (The client of exec starts other processes, one of them in a separate
// session.)
func TestKilledLeavesNothing(t *testing.T) {
	t.Parallel()
	setsid, err := exec.LookPath("setsid")
	if err != nil {
		t.Skip("setsid is not installed")
	}
	for name, args := range map[string][]string{
		"exec":  {"exec", "--fresh", "--", "sh", "-c", `echo "$KUBECONFIG"; sleep 1000 & ` + setsid + ` sleep 1000 & wait`},
		"serve": {"serve", "--otlp"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			tmp, mark := m.tmp, "TEST_KILLED="+m.tmp
			command := m.command(args...)
			command.Env = m.environment(mark, "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1")
			out, err := command.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				command.Process.Kill()
				for _, pid := range withEnvironment(t, mark) {
					syscall.Kill(pid, syscall.SIGKILL)
				}
			})
			kubeconfig, err := bufio.NewReader(out).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			kubeconfig = strings.TrimSpace(kubeconfig)
			if _, err := os.Stat(kubeconfig); err != nil || !strings.HasPrefix(kubeconfig, tmp) {
				t.Fatalf("the kubeconfig is %q, expected a file below %s: %v", kubeconfig, tmp, err)
			}
			if name == "exec" {
				testenv.Await(t, "the client has started two others", func() bool { return len(withEnvironment(t, mark)) == 4 })
			}
			if name == "serve" {
				traced := filepath.Join(filepath.Dir(filepath.Dir(kubeconfig)), "traced.kubeconfig")
				testenv.Await(t, traced+" exists", func() bool { _, err := os.Stat(traced); return err == nil })
			}
			servers := serversIn(t, tmp)
			if len(servers) < 2 {
				t.Fatalf("the servers are %v, expected etcd and kube-apiserver", servers)
			}
			if err := command.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			command.Wait()
			testenv.Await(t, "the processes and folders of the killed command are gone", func() bool {
				left, err := os.ReadDir(tmp)
				return err == nil && len(left) == 0 && len(withEnvironment(t, mark)) == 0 && len(serversIn(t, tmp)) == 0
			})
		})
	}
}

// serversIn lists the processes with a working directory in a folder.
func serversIn(t testing.TB, dir string) []string {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, link := range links {
		if cwd, err := os.Readlink(link); err == nil && strings.HasPrefix(cwd, dir) {
			found = append(found, link)
		}
	}
	return found
}

// TestNextCommandSweeps checks that each command removes the files of a process that has
// ended. Such files remain if the guard of the process was killed, too. The command must
// keep the files of a running session.
func TestNextCommandSweeps(t *testing.T) {
	t.Parallel()
	m := withServer(t)
	record := m.start("record", "--save", filepath.Join(t.TempDir(), "record.jsonl"))
	deserted := filepath.Join(filepath.Dir(filepath.Dir(record.line)), "apitrace-"+strconv.Itoa(os.Getuid())+"-1")
	for _, args := range [][]string{{"show", "get-node", "--view", "outline"}, {"version"}, {"scenarios"}, {"serve", "--status"}} {
		if err := os.MkdirAll(deserted, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(deserted, "kubeconfig"), []byte("token"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, said, status := m.run(args...); status != 0 {
			t.Fatalf("apitrace %q: exit status %d\n%s", args, status, said)
		}
		if _, err := os.Stat(deserted); !os.IsNotExist(err) {
			t.Errorf("after apitrace %q the deserted folder still exists (error of Stat: %v)", args, err)
		}
		if _, err := os.Stat(record.line); err != nil {
			t.Errorf("after apitrace %q the folder of a running session is gone: %v", args, err)
		}
	}
}
