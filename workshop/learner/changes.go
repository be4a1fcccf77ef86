package learner

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// settleTime is how long files must stay unchanged before they are read, because
// editors save in several steps.
const settleTime = 50 * time.Millisecond

// changes watches folders and everything below them for changes of files.
type changes struct{ watcher *fsnotify.Watcher }

// watchFolders begins to watch. It makes folders that do not exist yet. The caller must
// close the result.
func watchFolders(dirs ...string) (*changes, error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, message.Errorf("watching for your answer: %w", err)
	}
	c := &changes{watcher}
	for _, dir := range dirs {
		err := os.MkdirAll(dir, 0o700)
		if err == nil {
			err = c.add(dir)
		}
		if err != nil {
			return nil, errors.Join(message.Errorf("watching %s for your answer: %w", dir, err), c.close())
		}
	}
	return c, nil
}

func (c *changes) close() error { return c.watcher.Close() }

// add watches a folder and all folders below it. It ignores files and folders that
// disappear meanwhile.
func (c *changes) add(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = c.watcher.Add(path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// next waits for a change, and then until nothing has changed for settleTime. The
// change may be irrelevant, so the caller must compare.
func (c *changes) next(ctx context.Context) error {
	var settled <-chan time.Time // nil until something has changed
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-settled:
			return nil
		case event := <-c.watcher.Events:
			if event.Has(fsnotify.Create) {
				if err := c.addIfFolder(event.Name); err != nil {
					return err
				}
			}
		case err := <-c.watcher.Errors:
			if !errors.Is(err, fsnotify.ErrEventOverflow) { // after an overflow, something has changed, too
				return message.Errorf("watching for your answer: %w", err)
			}
		}
		settled = time.After(settleTime)
	}
}

func (c *changes) addIfFolder(path string) error {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return nil // a file, or gone
	}
	return c.add(path)
}
