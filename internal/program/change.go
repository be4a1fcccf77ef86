package program

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// A Change replaces a text in the workspace's vendor folder, in plain and in
// instrumented builds. It is for a program that would do harm where apitrace runs it,
// and cannot be told otherwise.
type Change struct {
	// File is the path of the file below the vendor folder.
	File string
	// Old is the text to replace. The file must have it once. New has as many lines, so
	// no other line moves.
	Old, New string
}

// makeChanges makes the program's changes. The workspace must have its vendor folder.
func (b *build) makeChanges() error {
	for _, c := range b.program.Changes {
		if err := c.apply(b.vendor()); err != nil {
			return message.Errorf("changing %s: %w", c.File, err)
		}
	}
	return nil
}

func (c Change) apply(vendor string) error {
	file := filepath.Join(vendor, filepath.FromSlash(c.File))
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if n := strings.Count(string(text), c.Old); n != 1 {
		return message.Errorf("it has %q %d times, expected once", c.Old, n)
	}
	return writeFile(file, []byte(strings.Replace(string(text), c.Old, c.New, 1)))
}
