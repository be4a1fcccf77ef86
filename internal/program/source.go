package program

import (
	"context"
	"path/filepath"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// SourceTree returns the folder with the unchanged source of a program and its
// dependencies: the vendor folder of its workspace. If there is no workspace,
// SourceTree makes it, which needs the network but builds nothing.
//
// The source is only for reading. SourceTree does not verify the checksums of an
// existing workspace, because that would take longer than the reading.
func SourceTree(ctx context.Context, p Program, o Options) (string, error) {
	progress := newReporter(o.Progress, p)
	progress.stage(StageResolve, 0)
	b, err := newBuild(ctx, p, o, progress)
	if err != nil {
		return "", err
	}
	vendor := filepath.Join(b.workspace, "vendor")
	if _, err := check(b.workspace, b.workspaceKey, func(string) bool { return false }); err == nil {
		touch(b.workspace)
		return vendor, nil
	}
	if b.noGo != nil {
		return "", message.Errorf("the source of %s is not in the cache %s, and Go must fetch it: %w", p, o.Cache.Root, b.noGo)
	}
	unlock, err := o.Cache.lock(ctx, p, progress)
	if err != nil {
		return "", err
	}
	defer unlock()
	if err := checkSpace(o.Cache, p); err != nil {
		return "", err
	}
	if err := b.ensureWorkspace(ctx); err != nil {
		return "", err
	}
	progress.stage(StageDone, 0)
	return vendor, nil
}

// ErrNoSource reports that a program's source is not in the cache.
var ErrNoSource = message.NewError("its source is not in the cache")

// CachedSource returns the folder of SourceTree if it is in the cache, and ErrNoSource
// otherwise. It needs neither network nor Go.
func CachedSource(c *Cache, p Program) (dir string, up Upstream, err error) {
	if up, err = c.recordedUpstream(p.Module, p.Version); err != nil {
		return "", up, message.Errorf("%s: %w", p, ErrNoSource)
	}
	goMod, err := p.goMod(up)
	if err != nil {
		return "", up, err
	}
	key := p.workspaceKey(up, goMod)
	workspace := c.entryDir(KindWorkspace, p, key)
	if _, err := check(workspace, key, func(string) bool { return false }); err != nil {
		return "", up, message.Errorf("%s: %w", p, ErrNoSource)
	}
	return filepath.Join(workspace, "vendor"), up, nil
}
