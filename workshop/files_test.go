package workshop

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/bounded"
)

// TestFilesThatAreNoExercises checks that Open rejects a pipe and a huge file in a course.
func TestFilesThatAreNoExercises(t *testing.T) {
	for _, name := range []string{chapterFile, "01-mine.yaml"} {
		dir := t.TempDir()
		file := filepath.Join(dir, "01-chapter", name)
		if err := WriteNew(filepath.Join(dir, "01-chapter", "02-more.yaml"), kinds[0]); err != nil {
			t.Fatal(err)
		}
		for want, make := range map[string]func() error{
			"is not a regular file": func() error { return syscall.Mkfifo(file, 0o600) },
			"expected at most 10485760": func() error {
				if err := os.WriteFile(file, nil, 0o600); err != nil {
					return err
				}
				return os.Truncate(file, bounded.MaxText+1)
			},
		} {
			_ = os.Remove(file) // the file of the last round
			if err := make(); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got the error %v, expected one with %q", name, err, want)
			}
		}
	}
}
