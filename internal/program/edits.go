package program

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// StateEnv is the environment variable with the folder of StateDir.
const StateEnv = "APITRACE_STATE"

// StateDir returns the folder for data that cannot be generated again: the user's edits
// and workshop progress. It is $APITRACE_STATE, or "apitrace" in $XDG_STATE_HOME, or in
// ~/.local/state. It may not exist yet.
func StateDir() (string, error) {
	if dir := os.Getenv(StateEnv); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "apitrace"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", message.Errorf("finding a folder for your edits and progress: %w; set %s to a folder", err, StateEnv)
	}
	return filepath.Join(home, ".local", "state", "apitrace"), nil
}

// Edits is a folder with the user's copies of upstream files.
// A copy has the same path below version/program as its original below the vendor
// folder. Next to the copy is a file with the original text and the suffix ".orig", so
// comparing needs no workspace. The zero Edits has no edits.
type Edits struct {
	// Dir is the folder, or "" for no edits.
	Dir string
	// Version is the version of Kubernetes, for every program.
	Version string
}

// An Edit is a user's copy of an upstream file.
type Edit struct {
	// Program is the program that the file belongs to.
	Program string
	// Name is the path below the vendor folder, such as
	// "k8s.io/apiserver/pkg/storage/etcd3/store.go".
	Name string
	// Path is the path of the copy.
	Path string
	// Text is the copy's content. Original is upstream's.
	Text, Original []byte
}

// Changed reports whether the copy differs from upstream's file. An unchanged copy does not
// affect builds.
func (e *Edit) Changed() bool { return !bytes.Equal(e.Text, e.Original) }

// Is reports whether name is the edit's Name, its end after a slash, or its Path.
func (e *Edit) Is(name string) bool {
	return e.Name == name || strings.HasSuffix(e.Name, "/"+name) || e.Path == name
}

// Lines counts the lines that the copy adds to upstream's file and removes from it. A
// moved line counts as both.
func (e *Edit) Lines() (added, removed int) {
	original := string(e.Original)
	diff, err := udiff.ToUnifiedDiff("", "", original, udiff.Lines(original, string(e.Text)), 0)
	if err != nil {
		panic(err) // the edits were computed from this text
	}
	for _, hunk := range diff.Hunks {
		for _, line := range hunk.Lines {
			switch line.Kind {
			case udiff.Insert:
				added++
			case udiff.Delete:
				removed++
			}
		}
	}
	return added, removed
}

const originalSuffix = ".orig"

func (e Edits) programDir(program string) string {
	return filepath.Join(e.Dir, e.Version, program)
}

func (e Edits) edit(program, name string) Edit {
	return Edit{Program: program, Name: name, Path: filepath.Join(e.programDir(program), filepath.FromSlash(name))}
}

// List reads a program's edits, changed or not, ordered by name.
func (e Edits) List(program string) ([]Edit, error) {
	if e.Dir == "" {
		return nil, nil
	}
	var edits []Edit
	dir := e.programDir(program)
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, originalSuffix) {
			return ignoreNotExist(err)
		}
		rel, err := filepath.Rel(dir, strings.TrimSuffix(file, originalSuffix))
		if err != nil {
			return err
		}
		edit := e.edit(program, filepath.ToSlash(rel))
		if edit.Original, err = os.ReadFile(file); err != nil {
			return err
		}
		if edit.Text, err = os.ReadFile(edit.Path); errors.Is(err, fs.ErrNotExist) {
			return nil // the user deleted the copy to revert the edit
		}
		edits = append(edits, edit)
		return err
	})
	if err != nil {
		return nil, message.Errorf("reading your edits in %s: %w", dir, err)
	}
	return edits, nil
}

// Changed lists the edits that differ from upstream's files.
func (e Edits) Changed(program string) ([]Edit, error) {
	edits, err := e.List(program)
	return slices.DeleteFunc(edits, func(e Edit) bool { return !e.Changed() }), err
}

// Add copies a file of the vendor folder for editing. It keeps an existing copy.
func (e Edits) Add(program, vendor, name string) (Edit, error) {
	edit := e.edit(program, name)
	var err error
	if edit.Original, err = os.ReadFile(filepath.Join(vendor, filepath.FromSlash(name))); err != nil {
		return edit, message.Errorf("copying %s for editing: %w", name, err)
	}
	if edit.Text, err = os.ReadFile(edit.Path); err == nil {
		return edit, nil
	}
	edit.Text = edit.Original
	if err := os.MkdirAll(filepath.Dir(edit.Path), 0o700); err != nil {
		return edit, message.Errorf("copying %s for editing: %w", name, err)
	}
	// Write the copy last: without the file with upstream's text, it is not an edit.
	if err := writeFile(edit.Path+originalSuffix, edit.Original); err != nil {
		return edit, err
	}
	return edit, writeFile(edit.Path, edit.Text)
}

// Revert removes an edit. Later builds do not include it.
func (e Edits) Revert(edit Edit) error {
	for _, file := range []string{edit.Path, edit.Path + originalSuffix} {
		if err := ignoreNotExist(os.Remove(file)); err != nil {
			return message.Errorf("reverting the edit of %s: %w", edit.Name, err)
		}
	}
	// Remove the folders that are empty now.
	for dir := filepath.Dir(edit.Path); dir != e.Dir && len(dir) > len(e.Dir); dir = filepath.Dir(dir) {
		if os.Remove(dir) != nil {
			break
		}
	}
	return nil
}

// EditsKey identifies the names and texts of changed edits. Without edits, it is "".
func EditsKey(changed []Edit) string {
	if len(changed) == 0 {
		return ""
	}
	var all bytes.Buffer
	for _, e := range changed {
		fmt.Fprintf(&all, "%s %d\n", e.Name, len(e.Text))
		all.Write(e.Text)
	}
	return hash(all.Bytes())
}
