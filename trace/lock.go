package trace

import (
	"os"

	"github.com/gofrs/flock"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// errBeingWritten reports that another process is writing a recording to the file.
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

// lockFile makes this process the only writer of a file, until the lock is closed or the
// process ends. A file that does not exist, and a file that is not regular, such as
// /dev/stdout, are not locked and may have several writers. On file systems without locks,
// there is no lock either.
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
