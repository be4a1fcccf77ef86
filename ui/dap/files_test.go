package dap_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/kubeapitrace/apitrace/ui/dap"

	protocol "github.com/google/go-dap"
)

// pipe makes a named pipe, and returns its name. Nobody writes to the pipe,
// so reading it never ends.
func pipe(t *testing.T, name string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestRecordingsThatAreNoFiles opens files that could keep the session waiting
// forever or fill the memory. Each must be refused.
func TestRecordingsThatAreNoFiles(t *testing.T) {
	dir := t.TempDir()
	huge := filepath.Join(dir, "huge.jsonl")
	if err := os.WriteFile(huge, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, 1<<30+1); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{pipe(t, filepath.Join(dir, "pipe.jsonl")): "is not a regular file", "/dev/zero": "is not a regular file", huge: "expected at most 1073741824"} {
		if _, err := (dap.Local{}).Recording(dap.Launch{File: name}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("recording %s: got the error %v, expected an error that says %q", name, err, want)
		}
	}
}

// TestSourcesThatAreNoFiles checks that the session does not read pipes: a source
// file in the checkout, and the go.mod above the file of a breakpoint.
func TestSourcesThatAreNoFiles(t *testing.T) {
	checkout := t.TempDir()
	rec := small()
	rec.Requests[0].Calls[0].File = "k8s.io/kubernetes/pkg/main.go"
	source := pipe(t, filepath.Join(checkout, "pkg", "main.go"))
	pipe(t, filepath.Join(checkout, "other", "go.mod"))
	c := connect(t, library{rec: rec})
	at := c.launch(map[string]any{"scenario": "small", "checkout": checkout}, func() {
		got := request[*protocol.SetBreakpointsResponse](c, "setBreakpoints",
			map[string]any{"source": map[string]any{"path": filepath.Join(checkout, "other", "file.go")}, "breakpoints": breakpointsAt(14)}).Body.Breakpoints
		if got[0].Verified {
			t.Errorf("breakpoint below a go.mod that is a pipe: got %+v, expected it to be unverified", got)
		}
	})
	if shown := c.look(at).Frames[0].Source; shown.Path == source || shown.SourceReference == 0 {
		t.Errorf("source of main: got %+v, expected a reference, because the file in the checkout is a pipe", shown)
	}
}
