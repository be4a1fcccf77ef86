package program

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// A ReleasedModule selects files of a module for ReleasedSource.
type ReleasedModule struct {
	Path, Version string
	// Optional is set if the module need not exist.
	Optional bool
	// Place maps a file's path in the module to its path in the folder of the source.
	// It returns "" for a file to leave out.
	Place func(file string) string
}

// ReleasedSource returns a folder with files from modules of a release, for reading and
// not for building. The folder is in a workspace of the cache, with the name and version
// of p. If the cache lacks this workspace, ReleasedSource fetches the modules.
func ReleasedSource(ctx context.Context, p Program, o Options, modules []ReleasedModule) (string, error) {
	progress := newReporter(o.Progress, p)
	var ids []string
	for _, m := range modules {
		ids = append(ids, m.Path+"@"+m.Version)
	}
	key := hash([]byte("released source 1\n" + strings.Join(ids, "\n")))
	dir := o.Cache.entryDir(KindWorkspace, p, key)
	vendor := filepath.Join(dir, "vendor")
	if _, err := check(dir, key, func(string) bool { return false }); err == nil {
		touch(dir)
		return vendor, nil
	}
	toolchain, err := FindToolchain(ctx)
	if err != nil {
		return "", message.Errorf("the source of %s is not in the cache %s, and Go must fetch it: %w", p, o.Cache.Root, err)
	}
	unlock, err := o.Cache.lock(ctx, p, progress)
	if err != nil {
		return "", err
	}
	defer unlock()
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	progress.stage(StageDownload, 0)
	for _, m := range modules {
		_, from, err := toolchain.download(ctx, o.Cache, m.Path, m.Version)
		if missing := new(DownloadError); m.Optional && errors.As(err, &missing) && missing.Unknown() {
			continue
		}
		if err == nil {
			err = m.copy(from, vendor)
		}
		if err != nil {
			return "", message.Errorf("the source of %s: %w", p, err)
		}
	}
	if err := seal(dir, manifest{Program: p.Name, Version: p.Version, Key: key}); err != nil {
		return "", err
	}
	progress.stage(StageDone, 0)
	return vendor, nil
}

// copy copies the files that Place does not leave out.
func (m ReleasedModule) copy(from, to string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		place := m.Place(filepath.ToSlash(rel))
		if place == "" {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, filepath.FromSlash(path.Clean(place)))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o644)
	})
}
