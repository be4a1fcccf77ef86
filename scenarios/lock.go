package scenarios

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// lockRetry is the interval between a waiting run's attempts to take the lock.
const lockRetry = 20 * time.Millisecond

// A lock keeps other runs away from the server. Its file also passes the state of the
// server's token cache on to the next run.
type lock struct {
	file    *flock.Flock // nil if there are no other players
	learner *tokenCache
}

func takeLock(ctx context.Context, name string, waiting func()) (*lock, error) {
	if name == "" {
		return &lock{learner: &tokenCache{}}, nil
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
		return nil, message.Errorf("waiting for other runs against the server (lock file %q): %w", name, err)
	}
	return &lock{file: file, learner: readTokenCache(name)}, nil
}

// readTokenCache reads the state from the last run. The state is empty if the file cannot
// be read or parsed.
func readTokenCache(name string) *tokenCache {
	text, err := os.ReadFile(name)
	if err != nil {
		return &tokenCache{}
	}
	known := &tokenCache{}
	for _, line := range strings.Fields(string(text)) {
		born, err := time.Parse(time.RFC3339Nano, line)
		if err != nil {
			return &tokenCache{}
		}
		known.born = append(known.born, born)
	}
	return known
}

func (l *lock) release() error {
	if l.file == nil {
		return nil
	}
	var text strings.Builder
	for _, born := range l.learner.born {
		text.WriteString(born.Format(time.RFC3339Nano) + "\n")
	}
	err := os.WriteFile(l.file.Path(), []byte(text.String()), 0o600)
	return errors.Join(err, l.file.Unlock())
}
