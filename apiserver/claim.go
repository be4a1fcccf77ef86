package apiserver

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/kubeapitrace/apitrace/internal/program"
)

// ErrClaimed says that another process keeps a server of the same kind, or is starting it.
var ErrClaimed = errors.New("another process keeps such a server")

// A Claim is the right to keep servers of one kind running. It ends with the process that has it.
type Claim struct{ lock *flock.Flock }

// claimFile is a lock, which is not removed: another process may be opening it.
func claimFile(c *program.Cache, version, buildKey string) string {
	return filepath.Join(ServedDir(c), version+"_"+buildKey+".claim")
}

// ClaimServer claims the servers of a version and a build key with its variant, before
// anything is built. It returns ErrClaimed if another process has the claim.
func ClaimServer(c *program.Cache, version, buildKey string) (*Claim, error) {
	if err := os.MkdirAll(ServedDir(c), 0o700); err != nil {
		return nil, fmt.Errorf("claiming the server: %w", err)
	}
	lock := flock.New(claimFile(c, version, buildKey))
	for range 10 { // Starting holds it for a moment
		locked, err := lock.TryLock()
		if err != nil {
			return nil, fmt.Errorf("claiming the server: %w", err)
		}
		if locked {
			return &Claim{lock}, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil, ErrClaimed
}

// Close gives the claim back.
func (c *Claim) Close() error { return c.lock.Close() }

// Starting tells whether another process is starting, or stopping, a server of a version and a
// build key, which may end in AnyVariant: it has the claim, and has not published the server.
func Starting(c *program.Cache, version, buildKey string) bool {
	if servers, err := published(c, version, buildKey); err != nil || len(servers) > 0 {
		return false
	}
	files, _ := filepath.Glob(claimFile(c, version, buildKey))
	for _, file := range files {
		lock := flock.New(file, flock.SetFlag(os.O_RDONLY))
		locked, err := lock.TryRLock()
		_ = lock.Close()
		if err == nil && !locked {
			return true
		}
	}
	return false
}
