package testenv

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// TestHome checks that the go command writes no telemetry to a folder that Home has
// prepared, but does to an empty folder. With GO_TELEMETRY_CHILD=2, the command starts no
// process: golang.org/x/telemetry v0.0.0-20251128220624-abf20d0e57ec, start.go.
func TestHome(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems keep the user's configuration in another folder")
	}
	const startsNoProcess = "2"
	for name, home := range map[string]string{"prepared": Home(t, t.TempDir()), "empty": t.TempDir()} {
		c := exec.Command("go", "env", "GOOS")
		c.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "GO_TELEMETRY_CHILD="+startsNoProcess)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		_, err := os.Stat(filepath.Join(home, ".config", "go", "telemetry", "local"))
		if written := err == nil; written != (name == "empty") {
			t.Errorf("the %s home folder has telemetry: %v, expected it only in the empty one", name, written)
		}
	}
}
