package scenarios

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// lockRetry is how often a run that waits for another looks again.
const lockRetry = 20 * time.Millisecond

// A lock keeps other runs away from the server. Its file also carries from run to
// run what is known about the server's token cache.
type lock struct {
	file         *flock.Flock // nil: nobody else plays against the server
	learnerToken *tokenCache
}

func takeLock(ctx context.Context, name string, waiting func()) (*lock, error) {
	if name == "" {
		return &lock{learnerToken: &tokenCache{}}, nil
	}
	file := flock.New(name, flock.SetPermissions(0o600))
	taken, err := file.TryLock()
	if err == nil && !taken {
		if waiting != nil {
			waiting()
		}
		_, err = file.TryLockContext(ctx, lockRetry)
	}
	if err != nil {
		return nil, fmt.Errorf("waiting for other runs against the server (lock file %q): %w", name, err)
	}
	return &lock{file: file, learnerToken: readTokenCache(name)}, nil
}

// readTokenCache reads what the last run knew. A file that cannot be understood
// is that of a first run: nothing is known.
func readTokenCache(name string) *tokenCache {
	text, err := os.ReadFile(name)
	if err != nil {
		return &tokenCache{}
	}
	born, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(string(text)))
	if err != nil {
		return &tokenCache{}
	}
	return &tokenCache{born: born}
}

func (l *lock) release() error {
	if l.file == nil {
		return nil
	}
	text := l.learnerToken.born.Format(time.RFC3339Nano) + "\n"
	err := os.WriteFile(l.file.Path(), []byte(text), 0o600)
	return errors.Join(err, l.file.Unlock())
}
