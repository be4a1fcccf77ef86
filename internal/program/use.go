package program

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// useFile is an entry's lock file. Processes that use the entry share the lock.
// A process that removes the entry holds the lock exclusively.
const useFile = "apitrace.use"

// inUse refers to the locks of useEntry.
// Without it, the garbage collector would close the file of a lock when the program
// drops its Binary, and so unlock the entry.
var inUse sync.Map

// useEntry prevents the removal of an entry until release is called or this process
// ends. It returns false if the entry does not exist or is being removed.
// In a read-only cache, it locks nothing and returns true.
func useEntry(dir string) (release func(), ok bool) {
	for range 10 { // another process may hold the lock briefly to check whether the entry is in use
		lock, locked, err := lockUse(dir, (*flock.Flock).TryRLock)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, false
		}
		if err != nil {
			return func() {}, true
		}
		if locked {
			inUse.Store(lock, true)
			return sync.OnceFunc(func() { inUse.Delete(lock); lock.Close() }), true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return nil, false
}

// lockForRemoval locks an entry for removal. It returns false if the entry is in use.
func lockForRemoval(dir string) (release func(), ok bool, err error) {
	lock, locked, err := lockUse(dir, (*flock.Flock).TryLock)
	if err != nil || !locked {
		return nil, false, err
	}
	return func() { lock.Close() }, true, nil
}

// isEntry reports whether a folder is a complete entry.
func isEntry(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, manifestFile))
	return err == nil
}

// lockUse locks an entry's useFile with try. It returns an error if another process
// removed the file meanwhile.
func lockUse(dir string, try func(*flock.Flock) (bool, error)) (lock *flock.Flock, locked bool, err error) {
	lock = flock.New(filepath.Join(dir, useFile))
	locked, err = try(lock)
	if err != nil || !locked {
		return nil, false, errors.Join(err, lock.Close())
	}
	if err := LockInPlace(lock); err != nil {
		return nil, false, errors.Join(err, lock.Close())
	}
	return lock, true, nil
}

// LockInPlace returns nil if the locked file or folder is still at its path.
// If another process removed it between opening and locking, it returns fs.ErrNotExist.
func LockInPlace(lock *flock.Flock) error {
	ours, err := lock.Stat()
	if err != nil {
		return err
	}
	there, err := os.Lstat(lock.Path())
	if err == nil && !os.SameFile(ours, there) {
		err = fs.ErrNotExist // the path now has another file
	}
	return err
}

// An inUseError reports that a cache entry cannot be removed now.
type inUseError struct {
	Entry Entry
	// Building is set if a process is building the program. Otherwise a process runs it.
	Building bool
}

func (e *inUseError) Error() string { return e.Localize(message.Printer{}) }

// Localize returns the error in the printer's language.
func (e *inUseError) Localize(p message.Printer) string {
	if e.Building {
		return p.Sprintf("removing %s from the cache: another apitrace is using it in a build; wait until the build has finished", e.Entry.Name)
	}
	return p.Sprintf("removing %s from the cache: a server runs it; stop the server first (\"apitrace serve --stop\" stops the servers that \"apitrace serve\" started)", e.Entry.Name)
}
