package testenv

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// TestHome checks that the go command writes nothing into a home folder that Home has prepared, as it does into another
// one.
func TestHome(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the configuration of a user is in another folder")
	}
	for name, home := range map[string]string{"prepared": Home(t, t.TempDir()), "empty": emptyHome(t)} {
		c := exec.Command("go", "env", "GOOS")
		c.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "GO_TELEMETRY_CHILD=")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		_, err := os.Stat(filepath.Join(home, ".config", "go", "telemetry", "local"))
		if written := err == nil; written != (name == "empty") {
			t.Errorf("%s: the go command counts its use: %v", name, written)
		}
	}
}

// emptyHome is a folder that t.TempDir cannot give: the go command may still write to it when the test has ended.
func emptyHome(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "home")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		Within(t, 10*time.Second, "the empty home folder can be removed", func() bool { return os.RemoveAll(dir) == nil })
	})
	return dir
}
