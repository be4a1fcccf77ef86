package web_test

import (
	"os"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// TestBrowserLeavesNothing starts a browser and checks
// that it leaves nothing in the temporary folder.
func TestBrowserLeavesNothing(t *testing.T) {
	path := testenv.Chromium(t)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	ctx, end, err := startBrowser(path)
	if err != nil {
		t.Fatal(err)
	}
	newTab(t, ctx, "data:text/html,<p>page</p>", "data:", 800, chromedp.WithNewBrowserContext()).close()
	if err := end(); err != nil {
		t.Error(err)
	}
	left, err := os.ReadDir(temp)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range left {
		t.Errorf("%s is left in the temporary folder", entry.Name())
	}
}
