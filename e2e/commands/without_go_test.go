package commands

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// withoutGo is a command in an environment without a Go toolchain, and without any other program.
func withoutGo(t *testing.T, args ...string) (command *exec.Cmd, said *lockedBuffer) {
	t.Helper()
	command = exec.CommandContext(t.Context(), "apitrace", args...)
	command.Env = append(os.Environ(), "PATH=", "GOROOT=", "TMPDIR="+t.TempDir())
	said = &lockedBuffer{}
	command.Stderr = said
	return command, said
}

// TestWithoutGo: where all is built, nothing needs a Go toolchain.
func TestWithoutGo(t *testing.T) {
	needsServer(t)
	if _, said, status := apitrace(t, "build"); status != 0 {
		t.Fatalf("exit status %d\n%s", status, said)
	}
	client, err := exec.LookPath("thousand")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"run", "get-node", "--fresh"},
		{"request", "--fresh", "GET", "/api/v1/namespaces"},
		{"exec", "--fresh", "--", client},
		{"versions"},
		{"doctor"},
	} {
		command, said := withoutGo(t, args...)
		if out, err := command.Output(); err != nil || len(out) == 0 && args[0] != "exec" {
			t.Errorf("apitrace %q: %v\n%s%s", args, err, out, said.String())
		}
	}
	flag := "--event-ttl=3598s"
	for _, args := range [][]string{
		{"serve", "--", flag},
		{"record", "--fresh", "--save", filepath.Join(t.TempDir(), "record.jsonl")},
	} {
		command, said := withoutGo(t, args...)
		out, err := command.StdoutPipe()
		if err == nil {
			err = command.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.HasSuffix(line, "kubeconfig\n") {
			t.Errorf("apitrace %q: %q, %v\n%s", args, line, err, said.String())
		}
		_ = command.Process.Signal(os.Interrupt)
		_ = command.Wait()
	}
}

// TestNeedsGo: what must be compiled says what, why, and where to get Go.
func TestNeedsGo(t *testing.T) {
	needsServer(t)
	command, said := withoutGo(t, "run", "get-node", "--fresh")
	command.Env = append(command.Env, "APITRACE_CACHE="+emptyCache(t))
	if err := command.Run(); err == nil {
		t.Error("it ran")
	}
	for _, want := range []string{"etcd v3.7.0 must be compiled", "no Go toolchain", "https://go.dev/dl"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, said.String())
		}
	}
}

// emptyCache is a cache that knows the modules of releases, and has nothing built.
func emptyCache(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(os.Getenv("APITRACE_CACHE"), "modules"), filepath.Join(dir, "modules")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestExportRunsWithoutGo: an exported release runs from another cache, without Go.
func TestExportRunsWithoutGo(t *testing.T) {
	needsServer(t)
	file := filepath.Join(t.TempDir(), "release.apitrace")
	if _, said, status := apitrace(t, "cache", "export", file); status != 0 {
		t.Fatalf("exit status %d\n%s", status, said)
	}
	there := "APITRACE_CACHE=" + t.TempDir()
	for _, args := range [][]string{{"cache", "import", file}, {"run", "get-node", "--fresh"}} {
		command, said := withoutGo(t, args...)
		command.Env = append(command.Env, there)
		if out, err := command.Output(); err != nil || !strings.Contains(string(out), "kube-apiserver v1.37.1") {
			t.Fatalf("apitrace %q: %v\n%s%s", args, err, out, said.String())
		}
	}
}
