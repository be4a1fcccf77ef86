package output

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
)

// The second time, the history is read from the cache, and has the same text and colours.
func TestHistoryIsKept(t *testing.T) {
	t.Setenv("APITRACE_CACHE", t.TempDir())
	write := func() string {
		var out bytes.Buffer
		o := &Options{View: "path", Colour: "always", Lang: "en"}
		if err := o.WriteHistory(&console.Streams{Out: &out, Err: &out}, "get-node"); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if first, second := write(), write(); first == "" || first != second {
		t.Errorf("first:\n%s\nsecond:\n%s", first, second)
	}
}

func TestKept(t *testing.T) {
	t.Setenv("APITRACE_CACHE", t.TempDir())
	produced := 0
	get := func() int {
		n, err := kept("n", func() (int, error) { produced++; return produced, nil })
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if got := []int{get(), get()}; got[0] != 1 || got[1] != 1 {
		t.Errorf("got %d, expected the first result twice", got)
	}
	files, err := filepath.Glob(filepath.Join(os.Getenv("APITRACE_CACHE"), "answers", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v: expected one file", files, err)
	}
	if err := os.WriteFile(files[0], []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := get(); got != 2 {
		t.Errorf("with a damaged file, got %d, expected a new result", got)
	}
}
