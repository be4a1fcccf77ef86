package web_test

import (
	"os"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// browserTemp returns a temporary folder for a browser, which goes away with the test. A browser that is ended leaves
// the folder of its socket, org.chromium.Chromium.*, behind. The path is short: that of a socket has 107 bytes at most.
func browserTemp(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "browser")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("the browser's temporary folder: %v", err)
		}
	})
	return dir
}

// TestBrowserLeavesNothing checks that a test of the page leaves nothing in the temporary folder.
func TestBrowserLeavesNothing(t *testing.T) {
	testenv.Chromium(t)
	temp, err := os.MkdirTemp("", "temp")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(temp) }()
	t.Setenv("TMPDIR", temp)
	opened := t.Run("page", func(t *testing.T) {
		openAt(t, "data:text/html,<p>page</p>", "data:", 800)
	})
	left, err := os.ReadDir(temp)
	if err != nil || !opened {
		t.Fatal(opened, err)
	}
	for _, entry := range left {
		t.Errorf("%s is left in the temporary folder", entry.Name())
	}
}
