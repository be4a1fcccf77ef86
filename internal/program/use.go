package program

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// useFile is the file in an entry that is locked: shared by the processes that use the entry, for
// itself by one that removes it. It goes with the entry, and is not one of its sums.
const useFile = "apitrace.use"

// useEntry keeps others from removing an entry until release is called or this process ends. It says
// false if there is no such entry, or another process is removing it. A cache that cannot be written
// needs no such care.
func useEntry(dir string) (release func(), ok bool) {
	for range 10 { // somebody may look for a moment whether it is in use
		lock, locked, err := lockUse(dir, (*flock.Flock).TryRLock)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, false
		}
		if err != nil {
			return func() {}, true
		}
		if locked {
			return sync.OnceFunc(func() { lock.Close() }), true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return nil, false
}

// takeEntry locks an entry for its removal. It says false if a process uses it.
func takeEntry(dir string) (release func(), ok bool, err error) {
	lock, locked, err := lockUse(dir, (*flock.Flock).TryLock)
	if err != nil || !locked {
		return nil, false, err
	}
	return func() { lock.Close() }, true, nil
}

// isEntry tells whether a folder is a complete entry of a cache.
func isEntry(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, manifestFile))
	return err == nil
}

// lockUse locks the file of an entry that is still the entry's once it is locked.
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

// LockInPlace returns nil if the file or folder that is locked is the one that others find at its path:
// between opening and locking another process may have removed it. Then it is fs.ErrNotExist.
func LockInPlace(lock *flock.Flock) error {
	ours, err := lock.Stat()
	if err != nil {
		return err
	}
	there, err := os.Lstat(lock.Path())
	if err == nil && !os.SameFile(ours, there) {
		err = fs.ErrNotExist // another one took its place
	}
	return err
}

// An inUseError says that an entry of the cache cannot be removed now.
type inUseError struct {
	Entry Entry
	// Building is set when a build of the program goes on, else a process runs the program.
	Building bool
}

func (e *inUseError) Error() string {
	if e.Building {
		return fmt.Sprintf("removing %s from the cache: another apitrace is using it in a build; wait for that to end", e.Entry.Name)
	}
	return fmt.Sprintf("removing %s from the cache: a server runs it; stop the server first (\"apitrace serve --stop\" stops those of \"apitrace serve\")", e.Entry.Name)
}
