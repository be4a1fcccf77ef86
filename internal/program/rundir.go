package program

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/gofrs/flock"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// A RunDir is the private folder of one run of servers, clients or the compiler. It holds
// data, keys, credentials, sockets and logs. Its owner locks it and removes it with
// Close. If the owner was killed, the guard or the next SweepRunDirs removes it.
type RunDir struct {
	Path string
	lock *flock.Flock
	// release withdraws the guard's duty to remove the folder.
	release func()
}

// maxSocketPath is the longest path of a unix socket. With the terminating zero, macOS
// allows 104 bytes, Linux 108.
const maxSocketPath = 103

// longestPart is the longest path of a socket below most run directories.
const longestPart = "/sample-apiserver/probe.sock"

// NewRunDir makes a run directory, after SweepRunDirs.
func NewRunDir() (*RunDir, error) { return NewRunDirFor(longestPart) }

// NewRunDirFor is NewRunDir for programs whose sockets have longer paths. longest is the
// longest such path below the folder.
func NewRunDirFor(longest string) (*RunDir, error) {
	SweepRunDirs()
	base, err := runBase(longest)
	if err != nil {
		return nil, err
	}
	for range 10 {
		dir := filepath.Join(base, runDirPrefix()+strconv.FormatUint(uint64(rand.Uint32()), 10))
		// This process can be killed at any moment, so the guard must know the folder
		// before it exists.
		release := guardDir(dir)
		err := os.Mkdir(dir, 0o700)
		if err == nil {
			if lock, ok := lockDir(dir); ok {
				return &RunDir{Path: dir, lock: lock, release: release}, nil
			}
			// Another process removed the folder before this process locked it.
		}
		release()
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, message.Errorf("creating a folder for the servers to run in: %w", err)
		}
	}
	return nil, message.Errorf("creating a folder for the servers to run in: another process keeps removing it from %s", base)
}

// Part makes the folder for all files of one server.
func (r *RunDir) Part(name string) (string, error) {
	dir := filepath.Join(r.Path, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", message.Errorf("creating a folder for %s to run in: %w", name, err)
	}
	return dir, nil
}

// Close removes the folder with all its content.
func (r *RunDir) Close() error {
	err := os.RemoveAll(r.Path)
	r.release()
	return errors.Join(err, r.lock.Close())
}

// SweepRunDirs removes this user's run directories without a running owner, and
// returns their paths. If it cannot remove a folder, the next call tries again.
func SweepRunDirs() []string {
	var swept []string
	for _, base := range runBases() {
		dirs, _ := filepath.Glob(filepath.Join(base, runDirPrefix()+"*"))
		for _, dir := range dirs {
			if !isOwnDir(dir) {
				continue
			}
			if lock, ok := lockDir(dir); ok {
				if os.RemoveAll(dir) == nil {
					swept = append(swept, dir)
				}
				lock.Close()
			}
		}
	}
	return swept
}

// RunDirAlive reports whether a run directory exists and its owner still runs.
func RunDirAlive(dir string) bool {
	if !isOwnDir(dir) {
		return false
	}
	lock, ok := lockDir(dir)
	if ok {
		lock.Close()
		return false
	}
	_, err := os.Stat(dir)
	return err == nil
}

// lockDir locks the folder itself, so no lock file is left. It returns false if another
// process holds the lock or removed the folder.
func lockDir(dir string) (*flock.Flock, bool) {
	lock := flock.New(dir, flock.SetFlag(os.O_RDONLY))
	locked, err := lock.TryLock()
	if err != nil || !locked {
		lock.Close()
		return nil, false
	}
	if LockInPlace(lock) != nil {
		lock.Close()
		return nil, false
	}
	return lock, true
}

func runDirPrefix() string { return "apitrace-" + strconv.Itoa(os.Getuid()) + "-" }

// runBase returns the folder for run directories: the usual temporary folder, unless its
// path is too long for the longest path of a socket below a run directory.
func runBase(longest string) (string, error) {
	room := maxSocketPath - len("/"+runDirPrefix()+"1234567890"+longest)
	for _, base := range runBases() {
		if len(base) > room {
			continue
		}
		if info, err := os.Stat(base); err == nil && info.IsDir() {
			return base, nil
		}
	}
	return "", message.Errorf("finding a folder to run the servers in: tried %q, expected an existing folder with a path of at most %d bytes (the limit of unix sockets); set TMPDIR to such a folder", runBases(), room)
}

func runBases() []string {
	bases := []string{os.TempDir()}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		bases = append(bases, dir)
	}
	return slices.Compact(append(bases, "/tmp"))
}
