package apiserver

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// ErrClaimed reports that another process keeps a server of the same version and build
// key running, or is starting or stopping one.
var ErrClaimed = message.NewError("another process runs, starts or stops a server of this version and build")

// A Claim is the right to keep servers of one version and build key running. It ends with
// its process.
type Claim struct{ lock *flock.Flock }

// claimExt is the extension of a claim's file.
// The claiming process locks the file and writes its process id into it.
const claimExt = ".claim"

func claimFile(c *program.Cache, version, buildKey string) string {
	return filepath.Join(ServedDir(c), version+"_"+buildKey+claimExt)
}

// ClaimServer claims the servers of a version and a build key. The build key must end in
// the variant, if there is one.
// Call ClaimServer before the build.
// It returns ErrClaimed if another process has the claim.
func ClaimServer(c *program.Cache, version, buildKey string) (*Claim, error) {
	if err := os.MkdirAll(ServedDir(c), 0o700); err != nil {
		return nil, message.Errorf("claiming the server: %w", err)
	}
	// Try again: another process may lock the file for a moment to look at it, or
	// remove the file of a process that has ended.
	for range 10 {
		lock := flock.New(claimFile(c, version, buildKey))
		locked, err := lock.TryLock()
		if err == nil && locked && program.LockInPlace(lock) == nil {
			claim := &Claim{lock}
			if err = os.WriteFile(lock.Path(), []byte(strconv.Itoa(os.Getpid())), 0o600); err == nil {
				return claim, nil
			}
		}
		if err = errors.Join(err, lock.Close()); err != nil {
			return nil, message.Errorf("claiming the server: %w", err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil, ErrClaimed
}

// Close gives up the claim.
func (c *Claim) Close() error { return errors.Join(os.Remove(c.lock.Path()), c.lock.Close()) }

// A Starter is a process that has a claim, but no running server: it is starting its
// server, or stopping it. Starting may include a build.
type Starter struct {
	// K8sVersion is the version of the server.
	K8sVersion string
	// Owner is the id of the process.
	Owner int
	file  string
}

// Alive reports whether the process still has its claim.
func (s Starter) Alive() bool { return claimant(s.file) == s.Owner }

// Starters lists the processes that are starting or stopping a server.
// It removes the claims of killed processes.
func Starters(c *program.Cache) ([]Starter, error) {
	files, err := filepath.Glob(claimFile(c, "*", "*"))
	if err != nil {
		return nil, message.Errorf("looking for servers that are being started: %w", err)
	}
	var starters []Starter
	for _, file := range files {
		if owner := claimant(file); owner != 0 {
			version, _, _ := strings.Cut(filepath.Base(file), "_")
			starters = append(starters, Starter{version, owner, file})
		}
	}
	servers, err := Served(c) // after the claims: a server that was starting may be running now
	starters = slices.DeleteFunc(starters, func(starter Starter) bool {
		return slices.ContainsFunc(servers, func(s *Server) bool { return s.Owner == starter.Owner })
	})
	return starters, err
}

// claimant returns the id of the process that has a claim, or 0. It removes the claim of
// a killed process.
func claimant(file string) int {
	lock := flock.New(file, flock.SetFlag(os.O_RDONLY))
	defer lock.Close()
	locked, err := lock.TryLock()
	if err == nil && locked {
		if program.LockInPlace(lock) == nil {
			_ = os.Remove(file) // the process was killed
		}
		return 0
	}
	data, _ := os.ReadFile(file)
	owner, _ := strconv.Atoi(string(data)) // 0: the process has just got the claim
	return owner
}

// Starting reports whether a process is starting or stopping a server with this version
// and build key. Such a process has the claim, but its server is not published
// (Server.Publish).
// The key may end in AnyVariant.
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
