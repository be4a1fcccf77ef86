package program

import (
	"context"
	"path/filepath"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// SourceTree returns the folder with the pristine source of a program and of all
// that it depends on: the vendor tree of its workspace. The workspace is made if it
// is not there, which takes the network but no building.
//
// The tree is for reading. It is not compared with its checksums, as a build would:
// that takes longer than all that readers do with it.
func SourceTree(ctx context.Context, p Program, o Options) (string, error) {
	tell := newReporter(o.Progress, p)
	tell.stage(StageResolve, 0)
	b, err := newBuild(ctx, p, o, tell)
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
	unlock, err := o.Cache.lock(ctx, p, tell)
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
	tell.stage(StageDone, 0)
	return vendor, nil
}

// ErrNoSource reports that the source of a program is not in the cache.
var ErrNoSource = message.NewError("its source is not in the cache")

// CachedSource returns the same as SourceTree if the source is in the cache, else ErrNoSource. It
// needs no network and no Go toolchain.
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
