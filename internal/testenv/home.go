package testenv

import (
	"os"
	"path/filepath"
	"testing"
)

// Home prepares a folder as HOME for the go command, without telemetry, and returns it.
// Otherwise, a home folder's first go command starts a process that outlives it, and
// writes to .config/go/telemetry while the test removes the folder
// (golang.org/x/telemetry v0.0.0-20251128220624-abf20d0e57ec, start.go).
func Home(tb testing.TB, dir string) string {
	tb.Helper()
	telemetry := filepath.Join(dir, ".config", "go", "telemetry")
	if err := os.MkdirAll(telemetry, 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(telemetry, "mode"), []byte("off"), 0o644); err != nil {
		tb.Fatal(err)
	}
	return dir
}
