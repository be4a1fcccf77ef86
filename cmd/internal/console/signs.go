package console

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/kubeapitrace/apitrace/internal/program"
)

// SeenSigns reports whether an earlier command has explained the signs of trees in this
// session of a terminal. If not, it notes that this command explains them. Without a
// terminal, it returns false.
func (s *Streams) SeenSigns() bool { return s.Width > 0 && seenSigns() }

// seenSigns compares the session with the one in a file. The file has the last session
// only: with two terminals in use, the signs are explained again.
var seenSigns = sync.OnceValue(func() bool {
	cache, err := program.OpenCache("")
	if err != nil {
		return false
	}
	session, err := unix.Getsid(0)
	if err != nil {
		return false
	}
	file, now := filepath.Join(cache.Root, "explained-signs"), strconv.Itoa(session)
	if before, err := os.ReadFile(file); err == nil && string(before) == now {
		return true
	}
	_ = os.WriteFile(file, []byte(now), 0o600) // an error means that the signs are explained again
	return false
})
