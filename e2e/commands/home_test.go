package commands

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestHomeStaysClean: no program that apitrace starts writes into the user's home folder; kubectl would keep there what
// it discovers of servers that are gone a moment later. The exception is the go command, which counts its own use
// wherever it runs ("go help telemetry").
func TestHomeStaysClean(t *testing.T) {
	needsServer(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("XDG_CACHE_HOME", "")
	start(t, "serve")
	commands := [][]string{{"run", "get-node", "-o", "names"}, {"request", "GET", "/version", "-o", "names"}, {"exec", "--", "true"}}
	if _, err := exec.LookPath("kubectl"); err == nil {
		commands = append(commands, []string{"exec", "--", "kubectl", "get", "namespaces"}, []string{"exec", "--", "kubectl", "explain", "pods"})
	}
	for _, args := range commands {
		if _, said, status := apitrace(t, args...); status != 0 {
			t.Errorf("%q: exit status %d\n%s", args, status, said)
		}
	}
	err := filepath.WalkDir(home, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !strings.Contains(path, filepath.Join("go", "telemetry")) {
			t.Errorf("a command has written %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
