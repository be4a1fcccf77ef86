package scenarios

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/bounded"
)

// TestFilesThatAreNoScenarios checks that a pipe, a device, a huge file and a folder are
// rejected at once. All but the folder are also rejected as the body of a request.
func TestFilesThatAreNoScenarios(t *testing.T) {
	dir := t.TempDir()
	pipe, huge := filepath.Join(dir, "pipe.yaml"), filepath.Join(dir, "huge.yaml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(huge, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, bounded.MaxText+1); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		pipe: "is not a regular file", "/dev/zero": "is not a regular file", huge: "has 10485761 bytes, expected at most 10485760", dir: "is a folder",
	} {
		if _, err := Find(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected an error that says %q", file, err, want)
		}
		if want == "is a folder" {
			continue
		}
		mine := filepath.Join(dir, "mine.yaml")
		text := strings.Replace(good, "    path: /api/v1/nodes/n1\n    status", "    path: /api/v1/nodes/n1\n    bodyFile: "+file+"\n    status", 1)
		if err := os.WriteFile(mine, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Find(mine); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("bodyFile %s: %v, expected an error that says %q", file, err, want)
		}
	}
}

// TestKnownReadsNoFiles checks that Known rejects paths.
func TestKnownReadsNoFiles(t *testing.T) {
	if s, err := Known("get-node"); err != nil || s.Name != "get-node" {
		t.Errorf("Known(\"get-node\") returned %v, %v, expected the scenario", s, err)
	}
	mine := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(mine, []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{mine, "../library/get-node", "get-node.yaml", "."} {
		if _, err := Known(name); err == nil || !strings.Contains(err.Error(), "unknown scenario") {
			t.Errorf("%s: got %v, expected the error \"unknown scenario\"", name, err)
		}
	}
}
