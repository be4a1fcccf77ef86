package program

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// FreeSpace returns how many bytes this user can still write to the disk of dir.
func FreeSpace(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, message.Errorf("free space of %s: %w", dir, err)
	}
	// The fields' types differ between Linux and macOS.
	return int64(st.Bavail) * int64(st.Bsize), nil
}

// A SpaceError reports that the disk is too full for a build.
type SpaceError struct {
	Program    Program
	Dir        string // the cache
	Free, Need int64  // in bytes
}

func (e *SpaceError) Error() string { return e.message().String() }

// Localize returns the error in the printer's language.
func (e *SpaceError) Localize(p message.Printer) string { return e.message().Localize(p) }

func (e *SpaceError) message() message.Message {
	return message.Of("not enough disk space to build %s: %s has %s free, about %s are needed; make room, remove old builds with %q, or set %s to a folder on a larger disk",
		e.Program, e.Dir, FormatBytes(e.Free), FormatBytes(e.Need), "apitrace cache clean", CacheEnv)
}

func checkSpace(c *Cache, p Program) error {
	free, err := FreeSpace(c.Root)
	if err != nil {
		return err
	}
	if free < p.Space {
		return &SpaceError{Program: p, Dir: c.Root, Free: free, Need: p.Space}
	}
	return nil
}

// sizeText matches a number of bytes with an optional unit.
var sizeText = regexp.MustCompile(`^(\d+(?:\.\d+)?) ?([kKMGT]?)(i?)B?$`)

// ParseBytes parses a number of bytes: "500MB", "1.5 GB", "8GiB" or "8G" for 8 GB.
func ParseBytes(s string) (int64, error) {
	m := sizeText.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil || m[3] != "" && m[2] == "" {
		return 0, message.Errorf("%q is not a size: expected a number with a unit, such as 10GB or 500MB", s)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0, message.Errorf("%q is not a size: %w", s, err)
	}
	base := 1000.0
	if m[3] != "" {
		base = 1024
	}
	for range strings.Index(" kMGT", strings.Replace(m[2], "K", "k", 1)) {
		n *= base
	}
	if n >= 1<<62 {
		return 0, message.Errorf("%q is more than any disk has", s)
	}
	return int64(n), nil
}

// FormatBytes formats a number of bytes: "512 B", "1.2 kB", "36 MB", "2.1 GB".
func FormatBytes(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	f := float64(n)
	for _, unit := range []string{"kB", "MB", "GB", "TB"} {
		f /= 1000
		switch {
		case f < 9.95:
			return fmt.Sprintf("%.1f %s", f, unit)
		case f < 999.5:
			return fmt.Sprintf("%.0f %s", f, unit)
		}
	}
	return fmt.Sprintf("%.0f PB", f/1000)
}
