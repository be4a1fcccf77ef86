package trace

import (
	"os"

	"github.com/gofrs/flock"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// errBeingWritten reports that another process is writing to the file.
var errBeingWritten = message.NewError("another apitrace is writing to it: wait until it has ended, or name another file")

// CheckWritable returns errBeingWritten if another process is writing a recording
// to the file.
func CheckWritable(path string) error {
	lock, err := lockFile(path)
	if err != nil {
		return err
	}
	return lock.Close()
}

// lockFile makes this process a file's only writer, until the lock is closed or the
// process ends. There is no lock for a file that does not exist or is not regular, such as
// /dev/stdout, or on a file system without locks. Such a file may have several writers.
func lockFile(path string) (*flock.Flock, error) {
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return lock, nil
	}
	if locked, err := lock.TryLock(); err == nil && !locked {
		return nil, message.Errorf("%q: %w", path, errBeingWritten)
	}
	return lock, nil
}
