package program

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// maxEdited is how many builds of a program version with Rewrite.Edits or
// Rewrite.More stay in the cache. Going back to a recent edit then needs no build.
const maxEdited = 3

// maxLocal is how many builds of a program from a user's folders stay in the cache,
// and how many copies of the source.
const maxLocal = 6

// A Trimmed describes the result of Trim.
type Trimmed struct {
	// Entries are the removed entries, in the order of their removal.
	Entries []Entry
	// GoCache counts the bytes removed from Go's build cache.
	GoCache int64
	// Left is the cache's size in bytes after trimming.
	// It is known only if Max, the maximum size, is not 0.
	Left, Max int64
}

// Freed returns the number of removed bytes.
func (t Trimmed) Freed() int64 {
	freed := t.GoCache
	for _, e := range t.Entries {
		freed += e.Size
	}
	return freed
}

// Trim removes leftovers of interrupted builds and removals.
// Of the builds with edits, with packages of Rewrite.More, or from a user's folders, it
// keeps only the newest.
// If maxSize is not 0, it then removes the least recently used entries until the cache
// fits. It keeps entries that a process uses.
// Every uncached build ends with a Trim to the cache's Max.
// With dryRun, Trim removes nothing.
func (c *Cache) Trim(ctx context.Context, maxSize int64, dryRun bool) (Trimmed, error) {
	t := &trimmer{cache: c, dryRun: dryRun, Trimmed: Trimmed{Max: maxSize}}
	// Two concurrent trims would remove twice as much as necessary.
	lock := flock.New(c.lockFile("trim"))
	defer lock.Close()
	if _, err := lock.TryLockContext(ctx, 50*time.Millisecond); err != nil {
		return t.Trimmed, message.Errorf("trimming the cache: locking: %w", err)
	}
	kinds := []Kind{KindWorkspace, KindBuild}
	if maxSize > 0 {
		kinds = append(kinds, KindGoCache, KindAnswers)
	}
	entries, err := c.Entries(kinds...)
	if err != nil {
		return t.Trimmed, err
	}
	for _, e := range entries {
		t.Left += e.Size
	}
	// The newest come first.
	slices.SortStableFunc(entries, func(a, b Entry) int { return b.LastUsed.Compare(a.LastUsed) })
	entries = slices.DeleteFunc(entries, func(e Entry) bool { return e.Kind == KindGoCache })
	if entries, err = t.removeUnneeded(entries); err == nil && maxSize > 0 {
		err = t.trimToSize(entries)
	}
	return t.Trimmed, err
}

type trimmer struct {
	Trimmed
	cache  *Cache
	dryRun bool
}

// removeUnneeded removes entries that are not needed, even if the cache is small
// enough. It returns the entries that stay. entries must be sorted newest first.
func (t *trimmer) removeUnneeded(entries []Entry) (left []Entry, err error) {
	seen := map[string]int{}
	for _, e := range entries {
		kept := true
		switch of := fmt.Sprint(e.Kind, e.Program, e.Version, e.Complete); {
		case e.Program == "": // not a build or workspace with a valid name
		case e.Complete && IsLocal(e.Version):
			of := fmt.Sprint(e.Kind, e.Program)
			seen[of]++
			kept = seen[of] <= maxLocal
		case !e.Complete:
			// Keep the log of the last failed build for the user.
			if _, err := os.Stat(filepath.Join(e.Dir, failedFile)); err != nil {
				kept = false
			} else {
				seen[of]++
				kept = seen[of] == 1
			}
		case e.Edited || len(e.More) > 0:
			if _, err := os.Stat(filepath.Join(e.Dir, droppedFile)); err == nil {
				kept = false
			} else {
				seen[of]++
				kept = seen[of] <= maxEdited
			}
		}
		if !kept {
			if kept, err = t.remove(e); err != nil {
				return nil, err
			}
		}
		if kept {
			left = append(left, e)
		}
	}
	return left, nil
}

// trimToSize removes the least recently used entries until the rest fits. entries must be
// sorted newest first.
func (t *trimmer) trimToSize(entries []Entry) error {
	lock := flock.New(t.cache.lockFile(goCacheLock))
	defer lock.Close()
	idle, err := lock.TryLock() // false if builds are running
	if err != nil {
		return message.Errorf("trimming Go's build cache: locking: %w", err)
	}
	files, err := t.goFiles()
	if err != nil {
		return err
	}
	// While another build runs, the files of Go's build cache must stay.
	// later is their size: the other build trims the cache at its end.
	var later int64
	for t.Left-later > t.Max && (len(entries) > 0 || len(files) > 0) {
		if n := len(entries) - 1; len(files) == 0 || n >= 0 && entries[n].LastUsed.Before(files[len(files)-1].used) {
			if _, err := t.remove(entries[n]); err != nil {
				return err
			}
			entries = entries[:n]
			continue
		}
		last := files[len(files)-1]
		files = files[:len(files)-1]
		if !idle {
			later += last.size
			continue
		}
		if !t.dryRun {
			if err := ignoreNotExist(os.Remove(last.path)); err != nil {
				return message.Errorf("trimming Go's build cache: %w", err)
			}
		}
		t.GoCache += last.size
		t.Left -= last.size
	}
	return nil
}

// remove removes an entry, unless it is in use or was used since it was listed.
func (t *trimmer) remove(e Entry) (kept bool, err error) {
	now, err := readEntry(e.Kind, e.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		t.Left -= e.Size
		return false, nil
	}
	if err != nil || now.LastUsed.After(e.LastUsed) {
		return true, err
	}
	if t.dryRun {
		if e.InUse() {
			return true, nil
		}
	} else if err := t.cache.Remove(e); errors.As(err, new(*inUseError)) {
		return true, nil
	} else if err != nil {
		return true, err
	}
	t.Entries = append(t.Entries, e)
	t.Left -= e.Size
	return false, nil
}

// A goFile is a file of Go's build cache.
type goFile struct {
	path string
	size int64
	used time.Time
}

// goFiles lists the files of Go's build cache, the most recently used first.
// The go command updates the modification times of files that it uses, because it
// removes old files itself. Files that no running build uses may be removed.
func (t *trimmer) goFiles() (files []goFile, err error) {
	err = filepath.WalkDir(t.cache.goCache(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || len(filepath.Base(filepath.Dir(path))) != len("00") {
			return ignoreNotExist(err)
		}
		info, err := d.Info()
		if err == nil {
			files = append(files, goFile{path, info.Size(), info.ModTime()})
		}
		return ignoreNotExist(err)
	})
	slices.SortFunc(files, func(a, b goFile) int { return b.used.Compare(a.used) })
	return files, ignoreNotExist(err)
}

// droppedFile marks a build with edits for removal after its use.
const droppedFile = "apitrace.dropped"

// DropEdited removes a program's builds with an edit of a file, and builds that did
// not compile.
// If a build is in use, the first Trim after its use removes it, unless Build returns
// it again.
func (c *Cache) DropEdited(program, version, file string) error {
	entries, err := c.Entries(KindBuild)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(e.Dir, failedFile)); err == nil && e.Program == program && e.Version == version {
			if err := c.Remove(e); err != nil && !errors.As(err, new(*inUseError)) {
				return err
			}
			continue
		}
		// Builds of an older apitrace have no Edits.
		if e.Edited && e.Program == program && e.Version == version && (len(e.Edits) == 0 || slices.Contains(e.Edits, file)) {
			err := c.Remove(e)
			if errors.As(err, new(*inUseError)) {
				err = os.WriteFile(filepath.Join(e.Dir, droppedFile), nil, 0o600)
			}
			if err = ignoreNotExist(err); err != nil {
				return err
			}
		}
	}
	return nil
}

// trim trims the cache to its maximum size and reports the removed entries.
func (b *build) trim(ctx context.Context) {
	t, err := b.cache.Trim(ctx, b.cache.Max, false)
	if err != nil {
		b.progress.notef("the cache was not trimmed: %v", err)
		return
	}
	if len(t.Entries) > 0 || t.GoCache > 0 {
		var names []string
		for _, e := range t.Entries {
			names = append(names, string(e.Kind)+" "+e.Name)
		}
		removed := message.List(names)
		switch {
		case t.GoCache > 0 && len(names) > 0:
			removed = message.Of("%s, and the oldest files of Go's build cache", removed)
		case t.GoCache > 0:
			removed = message.Of("the oldest files of Go's build cache")
		}
		b.progress.notef("removed from the cache (%s): %s", FormatBytes(t.Freed()), removed)
	}
	if t.Max > 0 && t.Left > t.Max {
		b.progress.notef("the cache takes %s, more than the limit of %s (%s): the rest is in use", FormatBytes(t.Left), FormatBytes(t.Max), MaxEnv)
	}
}
