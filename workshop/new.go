package workshop

import (
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/kubeapitrace/apitrace/internal/message"
)

//go:embed templates
var templates embed.FS

// kinds lists the kinds of exercises.
var kinds = []Kind{KindFind, KindOrder, KindClaim, KindChoose, KindValue, KindMake, KindChange}

// WriteNew writes a template of an exercise of this kind. If the folder has no chapter
// file, WriteNew writes one, too. It replaces no files.
func WriteNew(file string, kind Kind) error {
	if !slices.Contains(kinds, kind) {
		return message.Errorf("unknown kind %q: expected one of %q", kind, kinds)
	}
	if !fileName.MatchString(filepath.Base(file)) {
		return message.Errorf("%q is not the name of an exercise: expected a number and lower-case words joined by hyphens, such as \"03-first-call.yaml\"", filepath.Base(file))
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	common, err := templates.ReadFile("templates/exercise.yaml")
	if err != nil {
		return err
	}
	own, err := templates.ReadFile("templates/" + string(kind) + ".yaml")
	if err != nil {
		return err
	}
	if err := writeFresh(file, slices.Concat(common, own)); err != nil {
		return err
	}
	chapter, err := templates.ReadFile("templates/chapter.yaml")
	if err != nil {
		return err
	}
	err = writeFresh(filepath.Join(filepath.Dir(file), chapterFile), chapter)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

func writeFresh(file string, text []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
