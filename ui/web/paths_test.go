package web_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/kubeapitrace/apitrace/ui/web"
)

// TestScenariosAreNoPaths checks that the name of
// a scenario never makes the server read a file.
func TestScenariosAreNoPaths(t *testing.T) {
	dir := t.TempDir()
	secret, pipe := filepath.Join(dir, "secret.yaml"), filepath.Join(dir, "pipe.yaml")
	if err := os.WriteFile(secret, []byte("root:x:0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	server := start(t, web.Options{})
	for _, name := range []string{secret, pipe, dir, "../secret.yaml", "../../etc/passwd", "no-such"} {
		for _, path := range []string{
			"/history?scenario=" + url.QueryEscape(name),
			"/releases/latest/scenarios/" + url.PathEscape(name) + "/requests/1/view",
		} {
			response, body := get(t, server+web.Base+path)
			if response.StatusCode != 404 || strings.Contains(string(body), "root:x") {
				t.Errorf("GET %s: %s, expected 404: %s", path, response.Status, body)
			}
		}
	}
}
