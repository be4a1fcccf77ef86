package testenv

import (
	"os"
	"path/filepath"
	"testing"
)

// Home prepares dir as HOME for go commands, without telemetry, and returns dir.
// Otherwise, the first go command with this HOME starts a process that outlives the command.
// The process writes to .config/go/telemetry while the test removes dir
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
