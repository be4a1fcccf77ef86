package testenv

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// TestHome checks that the go command writes nothing into a home folder prepared by Home, in
// contrast to another home folder. Here it starts no process that outlives it:
// golang.org/x/telemetry v0.0.0-20251128220624-abf20d0e57ec, start.go.
func TestHome(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the configuration of a user is in another folder")
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
			t.Errorf("%s: the go command counts its use: %v", name, written)
		}
	}
}
