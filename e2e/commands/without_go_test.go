package commands

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// withoutGo returns a command in an environment without a Go toolchain and without
// other programs.
func (m *machine) withoutGo(args ...string) (command *exec.Cmd, said *testenv.Buffer) {
	m.Helper()
	command = m.command(args...)
	command.Env = append(command.Env, "PATH=", "GOROOT=")
	said = &testenv.Buffer{}
	command.Stderr = said
	return command, said
}

// TestWithoutGo checks that commands need no Go toolchain if everything is built.
func TestWithoutGo(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	if _, said, status := m.run("build"); status != 0 {
		t.Fatalf("build: exit status %d\n%s", status, said)
	}
	client, err := exec.LookPath("secretive")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"run", "get-node", "--fresh"},
		{"versions"},
		{"doctor"},
		{"serve", "--background"},
		{"request", "GET", "/api/v1/namespaces"},
		{"exec", "--", client},
	} {
		command, said := m.withoutGo(args...)
		if out, err := command.Output(); err != nil || len(out) == 0 && args[0] != "exec" {
			t.Errorf("apitrace %q without Go: %v, expected success and output\n%s%s", args, err, out, said.String())
		}
	}
	command, said := m.withoutGo("record", "--save", filepath.Join(t.TempDir(), "record.jsonl"))
	out, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.HasSuffix(line, "kubeconfig\n") {
		t.Errorf("record without Go: got the line %q and the error %v, expected a kubeconfig\n%s", line, err, said.String())
	}
	_ = command.Process.Signal(os.Interrupt)
	_ = command.Wait()
}

// TestNeedsGo checks that a command without a build and without Go says what must be
// compiled, and where to get Go.
func TestNeedsGo(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	command, said := m.withoutGo("run", "get-node", "--fresh")
	command.Env = append(command.Env, "APITRACE_CACHE="+emptyCache(m))
	if err := command.Run(); err == nil {
		t.Error("run succeeded without a build and without Go, expected an error")
	}
	for _, want := range []string{"etcd v3.7.0 must be compiled", "no Go toolchain", "https://go.dev/dl"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("the error does not say %q:\n%s", want, said.String())
		}
	}
}

// emptyCache returns the folder of a cache that has the modules of releases, but no
// builds.
func emptyCache(m *machine) string {
	m.Helper()
	dir := m.TempDir()
	if err := os.Symlink(filepath.Join(m.cache, "modules"), filepath.Join(dir, "modules")); err != nil {
		m.Fatal(err)
	}
	return dir
}

// TestExportRunsWithoutGo checks that an exported release runs from another cache,
// without Go.
func TestExportRunsWithoutGo(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	file := filepath.Join(t.TempDir(), "release.apitrace")
	if _, said, status := m.run("cache", "export", file); status != 0 {
		t.Fatalf("cache export: exit status %d\n%s", status, said)
	}
	there := "APITRACE_CACHE=" + t.TempDir()
	for _, args := range [][]string{{"cache", "import", file}, {"run", "get-node", "--fresh"}} {
		command, said := m.withoutGo(args...)
		command.Env = append(command.Env, there)
		if out, err := command.Output(); err != nil || !strings.Contains(string(out), "kube-apiserver v1.37.1") {
			t.Fatalf("apitrace %q without Go: %v, expected kube-apiserver v1.37.1 in\n%s%s", args, err, out, said.String())
		}
	}
}
