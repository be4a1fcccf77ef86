package page

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestBundleIsThatOfTheSources builds the pages from the sources again, and
// compares them with the embedded files.
func TestBundleIsThatOfTheSources(t *testing.T) {
	fresh := t.TempDir()
	if out, err := exec.Command("go", "run", "./bundle", fresh).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, name := range []string{"index.html", "page.js", "page.css", "group.html", "group.js", "group.css"} {
		want, err := os.ReadFile(filepath.Join(fresh, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := dist.ReadFile("dist/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("dist/%s differs from a build of the sources: run \"go generate ./ui/web/page\"", name)
		}
		if bytes.Contains(got, []byte("sourceMappingURL")) || bytes.Contains(got, []byte("https://")) {
			t.Errorf("dist/%s has a source map or an address of another server", name)
		}
	}
}
