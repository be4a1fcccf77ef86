package program

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// A Cache is a folder of data that can be generated again: workspaces, builds, Go's
// build cache, answers, and records of resolved modules.
type Cache struct {
	// Root is the absolute path of the folder.
	Root string
	// Max is the maximum size in bytes; 0 means no limit. See Trim.
	Max int64
}

// CacheEnv is the environment variable with the cache folder.
const CacheEnv = "APITRACE_CACHE"

// MaxEnv is the environment variable with the maximum size of the cache, such as "10GB".
const MaxEnv = "APITRACE_CACHE_MAX"

// OpenCache opens the cache at root and creates it if needed. If root is empty, it uses
// $APITRACE_CACHE, or else "apitrace" in the user's cache folder. $APITRACE_CACHE_MAX
// sets its maximum size.
func OpenCache(root string) (*Cache, error) {
	if root == "" {
		root = os.Getenv(CacheEnv)
	}
	if root == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return nil, message.Errorf("finding a folder for the cache: %w; set %s to a folder", err, CacheEnv)
		}
		root = filepath.Join(base, "apitrace")
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, message.Errorf("resolving the path of the cache folder: %w", err)
	}
	var maxSize int64
	if bound := os.Getenv(MaxEnv); bound != "" {
		if maxSize, err = ParseBytes(bound); err != nil {
			return nil, message.Errorf("%s: %w", MaxEnv, err)
		}
	}
	for _, dir := range []string{root, filepath.Join(root, "locks"), filepath.Join(root, "modules")} {
		// Private, because the cache also has the tokens of running servers.
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, message.Errorf("creating the cache folder: %w; set %s to a folder that can be written", err, CacheEnv)
		}
	}
	// Root must not contain links. The go command uses the real path of its working
	// directory, and would ignore an overlay with other names of the workspace files.
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, message.Errorf("resolving the path of the cache folder: %w", err)
	}
	return &Cache{Root: root, Max: maxSize}, nil
}

func (c *Cache) goCache() string { return filepath.Join(c.Root, "gocache") }

// A Kind is a kind of cache entry.
type Kind string

// The kinds of entries.
const (
	// KindWorkspace is a generated module with its vendor tree.
	KindWorkspace Kind = "workspace"
	// KindBuild is a binary with its overlay.
	KindBuild Kind = "build"
	// KindGoCache is Go's build cache, which only makes builds faster.
	KindGoCache Kind = "gocache"
	// KindAnswers holds results of long computations; see Answers.
	KindAnswers Kind = "answers"
)

// An Entry is one workspace, one build, Go's build cache, or all answers.
type Entry struct {
	Kind Kind
	// Name is unique within the kind.
	Name string
	// Program and Version are empty for KindGoCache and KindAnswers.
	Program, Version string
	// Key is the Binary's key, or "" unless the entry is a complete build.
	Key string
	// Instrumented is set for an instrumented build.
	Instrumented bool
	// Edited is set if the build includes the user's edits.
	// Edits lists the edited files by their paths below the vendor folder. Builds of
	// an older apitrace have no Edits.
	Edited bool
	Edits  []string
	// More lists the packages that are rewritten only because the user named them.
	More []string
	Dir  string
	// Size counts the bytes of all files in Dir. For a complete build or workspace,
	// the files were counted when the entry was first listed.
	Size     int64
	LastUsed time.Time
	// Complete is false after an interrupted build.
	Complete bool
}

// Entries lists the entries of the given kinds, or of all kinds if none is given, sorted
// by kind and name. Listing KindGoCache takes seconds, because it has many files.
func (c *Cache) Entries(kinds ...Kind) ([]Entry, error) {
	if len(kinds) == 0 {
		kinds = Kinds
	}
	var entries []Entry
	for _, kind := range []Kind{KindWorkspace, KindBuild} {
		if !slices.Contains(kinds, kind) {
			continue
		}
		dirs, err := os.ReadDir(c.kindDir(kind))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, message.Errorf("listing the cache: %w", err)
		}
		for _, d := range dirs {
			e, err := readEntry(kind, filepath.Join(c.kindDir(kind), d.Name()))
			if err != nil {
				return nil, message.Errorf("listing the cache: %w", err)
			}
			entries = append(entries, e)
		}
	}
	if slices.Contains(kinds, KindGoCache) {
		goCache, err := c.goCacheEntry()
		if err != nil {
			return nil, message.Errorf("listing the cache: %w", err)
		}
		entries = append(entries, goCache...)
	}
	if slices.Contains(kinds, KindAnswers) {
		answers, err := c.answersEntry()
		if err != nil {
			return nil, message.Errorf("listing the cache: %w", err)
		}
		entries = append(entries, answers...)
	}
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(kindOrder(a.Kind), kindOrder(b.Kind)), cmp.Compare(a.Name, b.Name))
	})
	return entries, nil
}

// Kinds lists all kinds of entries in listing order.
var Kinds = []Kind{KindWorkspace, KindBuild, KindGoCache, KindAnswers}

func kindOrder(k Kind) int { return slices.Index(Kinds, k) }

// kindDir returns the folder for entries of a kind. The folder may be a link into
// another cache. The result contains no links, like Root.
func (c *Cache) kindDir(k Kind) string {
	dir := filepath.Join(c.Root, string(k)+"s")
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

func (c *Cache) goCacheEntry() ([]Entry, error) {
	info, err := os.Stat(c.goCache())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	size, err := diskUsage(c.goCache())
	if err != nil {
		return nil, err
	}
	return []Entry{{Kind: KindGoCache, Name: "gocache", Dir: c.goCache(), Size: size, LastUsed: info.ModTime(), Complete: true}}, nil
}

func readEntry(kind Kind, dir string) (Entry, error) {
	e := Entry{Kind: kind, Name: filepath.Base(dir), Dir: dir}
	e.Program, e.Version, _ = splitEntryName(e.Name)
	m, err := readManifest(dir)
	if err == nil {
		e.Instrumented, e.Complete, e.LastUsed = m.Rewrite != "" && !m.Cover, true, m.lastUsed
		e.Edited, e.Edits, e.More = m.Edited, m.Edits, m.More
		if kind == KindBuild {
			e.Key = m.Key
		}
		e.Size, err = sealedSize(dir, m)
		return e, err
	}
	if e.Size, err = diskUsage(dir); err != nil {
		return e, err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return e, err
	}
	e.LastUsed = info.ModTime()
	return e, nil
}

// entryDir returns the folder of an entry. Its name has the program and the version.
func (c *Cache) entryDir(kind Kind, p Program, key string) string {
	return filepath.Join(c.kindDir(kind), p.Name+"_"+p.Version+"_"+key[:12])
}

func splitEntryName(name string) (program, version string, ok bool) {
	parts := strings.Split(name, "_")
	if len(parts) != 3 {
		return "", "", false
	}
	return parts[0], parts[1], true
}

// diskUsage sums the sizes of all files below dir. It ignores files that vanish.
func diskUsage(dir string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return ignoreNotExist(err)
		}
		info, err := d.Info()
		if err == nil {
			sum += info.Size()
		}
		return ignoreNotExist(err)
	})
	return sum, err
}

func ignoreNotExist(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// verify compares all files of an entry with the checksums from its creation. A build
// verifies only the files that it uses.
func (c *Cache) verify(e Entry) error {
	if e.Kind == KindGoCache || e.Kind == KindAnswers {
		return nil // the go command, and Answers, verify the files that they use
	}
	m, err := readManifest(e.Dir)
	if err == nil {
		_, err = check(e.Dir, m.Key, everyFile)
	} else if errors.Is(err, fs.ErrNotExist) {
		err = errNeverFinished
	}
	if err != nil {
		return message.Errorf("the %s %s is damaged: %w; the next build that needs it makes it again", e.Kind, e.Name, err)
	}
	return nil
}

// InUse reports whether a process runs the entry's program, or is about to.
func (e Entry) InUse() bool {
	if e.Kind != KindBuild {
		return false
	}
	if _, err := os.Stat(filepath.Join(e.Dir, useFile)); err != nil {
		return false
	}
	release, free, err := lockForRemoval(e.Dir)
	if free {
		release()
	}
	return err == nil && !free
}

// Remove deletes an entry. It returns an [inUseError] if a process uses or builds it.
func (c *Cache) Remove(e Entry) error {
	name := programLock(e.Program, e.Version)
	switch e.Kind {
	case KindGoCache:
		name = goCacheLock
	case KindAnswers:
		name = string(KindAnswers)
	}
	l := flock.New(c.lockFile(name))
	locked, err := l.TryLock()
	if err != nil {
		return message.Errorf("removing %s from the cache: locking: %w", e.Name, err)
	}
	if !locked {
		return &inUseError{Entry: e, Building: true}
	}
	defer l.Close()
	if e.Kind == KindBuild {
		release, free, err := lockForRemoval(e.Dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return message.Errorf("removing %s from the cache: %w", e.Name, err)
		}
		if err == nil && !free {
			return &inUseError{Entry: e}
		}
		if free {
			defer release()
		}
	}
	if err := removeEntry(e.Dir); err != nil {
		return message.Errorf("removing %s from the cache: %w", e.Name, err)
	}
	return nil
}

// goCacheLock names the lock that every build shares.
const goCacheLock = "gocache"

func programLock(program, version string) string { return program + "_" + version }

func (c *Cache) lockFile(name string) string {
	return filepath.Join(c.Root, "locks", name+".lock")
}

// lock waits until no other process builds the program, and reports a note if it waits.
func (c *Cache) lock(ctx context.Context, p Program, progress *reporter) (unlock func(), err error) {
	shared := flock.New(c.lockFile(goCacheLock))
	own := flock.New(c.lockFile(programLock(p.Name, p.Version)))
	unlock = func() {
		own.Close()
		shared.Close()
	}
	const retry = 100 * time.Millisecond
	if _, err := shared.TryRLockContext(ctx, retry); err != nil {
		return nil, message.Errorf("locking the cache: %w", err)
	}
	locked, err := own.TryLock()
	if err == nil && !locked {
		progress.notef("waiting for another apitrace that is building %s (it holds %s)", p, own.Path())
		_, err = own.TryLockContext(ctx, retry)
	}
	if err != nil {
		unlock()
		return nil, message.Errorf("locking the cache: %w", err)
	}
	return unlock, nil
}
