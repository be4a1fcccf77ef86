package commands

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// TestHomeStaysClean checks that no program that apitrace starts writes to the user's
// home folder. The exception is the go command, which counts its own use wherever it
// runs ("go help telemetry").
func TestHomeStaysClean(t *testing.T) {
	t.Parallel()
	checkHome(t, []string{"run", "get-node", "-o", "names"}, []string{"request", "GET", "/version", "-o", "names"}, []string{"exec", "--", "true"})
}

// TestSlowKubectlLeavesHomeClean checks that kubectl, run by "apitrace exec", does not
// write to the home folder. By default, kubectl caches discovery documents there, which are
// useless when the server is gone.
func TestSlowKubectlLeavesHomeClean(t *testing.T) {
	testenv.Slow(t)
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Skip("kubectl is not installed")
	}
	checkHome(t, []string{"exec", "--", "kubectl", "get", "namespaces"}, []string{"exec", "--", "kubectl", "explain", "pods"})
}

// checkHome runs commands on a running server, and checks that the home folder stays
// empty.
func checkHome(t *testing.T, commands ...[]string) {
	m := newMachine(t)
	home := testenv.Home(t, t.TempDir())
	m.set("HOME", home)
	m.set("XDG_CONFIG_HOME", "")
	m.set("XDG_CACHE_HOME", "")
	m.start("serve")
	for _, args := range commands {
		if _, said, status := m.run(args...); status != 0 {
			t.Errorf("%q: exit status %d\n%s", args, status, said)
		}
	}
	err := filepath.WalkDir(home, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !strings.Contains(path, filepath.Join("go", "telemetry")) {
			t.Errorf("a command has written %s, expected no file in the home folder", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
