package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// buildFormat is part of every build's key. Raise it when the way of building changes.
const buildFormat = "build 1"

const (
	overlayFile = "overlay.json"
	overlayDir  = "overlay"
	logFile     = "build.log"
)

// A build is one program on its way to a binary.
type build struct {
	program   Program
	cache     *Cache
	rewrite   *Rewrite
	tell      *reporter
	toolchain Toolchain
	// noGo says why there is no toolchain; then the build can only be found in the cache.
	noGo     error
	upstream Upstream

	goMod        []byte
	workspaceKey string
	key          string
	workspace    string
	dir          string
}

// Build makes the binary of a program, or finds it in the cache. Two processes
// that want the same program wait for each other.
func Build(ctx context.Context, p Program, o Options) (*Binary, error) {
	tell := newReporter(o.Progress, p)
	tell.stage(StageResolve, 0)
	b, err := newBuild(ctx, p, o, tell)
	if err != nil {
		return nil, err
	}
	if b.key == "" {
		return nil, b.needsGo()
	}
	m, err := b.checkBinary()
	cached := err == nil
	if !cached {
		if b.noGo != nil {
			return nil, fmt.Errorf("the build %s is damaged: %w; %w", b.dir, err, b.needsGo())
		}
		if !errors.Is(err, errNoEntry) {
			tell.note("the build %s is damaged (%v); making it again", b.dir, err)
		}
		if m, cached, err = b.run(ctx); err != nil {
			return nil, err
		}
	}
	tell.stage(StageDone, 0)
	touch(b.dir)
	return &Binary{
		Path: filepath.Join(b.dir, p.Name), Workspace: b.workspace, Key: b.key,
		Upstream: b.upstream, Summary: m.Summary, Cached: cached,
	}, nil
}

// Key gives the key of the binary that Build would make, without making or
// looking at it. The module of the version has to be resolved for that.
func Key(ctx context.Context, p Program, o Options) (string, error) {
	b, err := newBuild(ctx, p, o, newReporter(o.Progress, p))
	if err != nil {
		return "", err
	}
	if b.key == "" {
		return "", b.needsGo()
	}
	return b.key, nil
}

// newBuild decides what has to be built, without building anything. Without a toolchain, the key is
// that of a build in the cache, "" if none will do.
func newBuild(ctx context.Context, p Program, o Options, tell *reporter) (*build, error) {
	up, err := Resolve(ctx, o.Cache, p.Module, p.Version)
	if err != nil {
		return nil, err
	}
	toolchain, noGo := FindToolchain(ctx)
	if errors.As(noGo, new(*TempDirError)) || ctx.Err() != nil {
		return nil, noGo
	}
	if noGo == nil {
		noGo = checkGoVersion(p, toolchain, up)
	}
	goMod, err := p.goMod(up)
	if err != nil {
		return nil, err
	}
	b := &build{
		program: p, cache: o.Cache, rewrite: o.Rewrite, tell: tell,
		toolchain: toolchain, noGo: noGo, upstream: up, goMod: goMod,
	}
	b.workspaceKey = p.workspaceKey(up, goMod)
	b.workspace = o.Cache.entryDir(KindWorkspace, p, b.workspaceKey)
	if b.noGo != nil {
		return b, b.adopt()
	}
	b.setKey(b.buildKey())
	return b, nil
}

func (b *build) setKey(key string) {
	b.key, b.dir = key, b.cache.entryDir(KindBuild, b.program, key)
}

func checkGoVersion(p Program, t Toolchain, up Upstream) error {
	f, err := up.ModFile()
	if err != nil {
		return err
	}
	if f.Go != nil && !t.fits(f.Go.Version) {
		return fmt.Errorf("%s asks for Go %s or newer, and %s is %s: install a newer Go from https://go.dev/dl, or choose an older version", p, f.Go.Version, t.Go, t.Version)
	}
	return nil
}

// buildKey identifies a binary by all that decides its content.
func (b *build) buildKey() string {
	parts := []string{buildFormat, b.workspaceKey, b.toolchain.Version, b.toolchain.OS, b.toolchain.Arch, b.rewriteKey()}
	return hash([]byte(strings.Join(append(parts, b.buildFlags()...), "\x00")))
}

func (b *build) rewriteKey() string {
	if b.rewrite == nil {
		return ""
	}
	return b.rewrite.Key
}

// checkBinary looks for the finished build and verifies the binary; what else is
// in the entry was only needed to make it.
func (b *build) checkBinary() (manifest, error) {
	return check(b.dir, b.key, func(file string) bool { return file == b.program.Name })
}

// run builds, once no other process does. It says whether that was needed.
func (b *build) run(ctx context.Context) (m manifest, cached bool, err error) {
	unlock, err := b.cache.lock(ctx, b.program, b.tell)
	if err != nil {
		return m, false, err
	}
	defer unlock()
	defer setUsed(b.cache.GoCache())
	// The process that we waited for may have built just this.
	if m, err := b.checkBinary(); err == nil {
		return m, true, nil
	}
	if err := checkSpace(b.cache, b.program); err != nil {
		return m, false, err
	}
	if err := b.ensureWorkspace(ctx); err != nil {
		return m, false, err
	}
	m, err = b.make(ctx)
	var compile *CompileError
	if err != nil && !errors.As(err, &compile) { // whose log and overlay people want to look at
		err = errors.Join(err, removeEntry(b.dir))
	}
	return m, false, err
}

// make fills the build's folder and completes it.
func (b *build) make(ctx context.Context) (manifest, error) {
	m := manifest{Program: b.program.Name, Version: b.program.Version, Key: b.key, Rewrite: b.rewriteKey(), Edited: b.rewrite != nil && b.rewrite.Edited}
	if err := removeEntry(b.dir); err != nil {
		return m, fmt.Errorf("making room for the build: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(b.dir, overlayDir), 0o700); err != nil {
		return m, fmt.Errorf("making room for the build: %w", err)
	}
	var err error
	if m.Summary, err = b.makeOverlay(ctx); err != nil {
		return m, err
	}
	if err := b.compile(ctx); err != nil {
		return m, err
	}
	if err := seal(b.dir, m); err != nil {
		return m, err
	}
	return m, b.removeOldEdited()
}

// keptEdited is how many builds with edits stay in the cache: going back to the edit
// before takes no build then, and no server that another terminal just built is taken
// away from it.
const keptEdited = 3

// removeOldEdited removes builds of the same program with edits that nobody wants any
// more, if this is another one.
func (b *build) removeOldEdited() error {
	if b.rewrite == nil || !b.rewrite.Edited {
		return nil
	}
	dirs, err := filepath.Glob(b.cache.entryDir(KindBuild, b.program, "????????????"))
	if err != nil {
		return err
	}
	var edited []manifest
	of := map[string]string{}
	for _, dir := range dirs {
		if m, err := readManifest(dir); err == nil && m.Edited {
			edited, of[m.Key] = append(edited, m), dir
		}
	}
	slices.SortFunc(edited, func(a, b manifest) int { return b.lastUsed.Compare(a.lastUsed) })
	for _, m := range edited[min(keptEdited, len(edited)):] {
		if err := removeEntry(of[m.Key]); err != nil {
			return fmt.Errorf("removing an old build with edits: %w", err)
		}
	}
	return nil
}

// makeOverlay runs the rewriter, if there is one.
func (b *build) makeOverlay(ctx context.Context) (summary string, err error) {
	if b.rewrite == nil {
		return "", nil
	}
	b.tell.stage(StageRewrite, 0)
	replace, summary, err := b.rewrite.Run(ctx, b.workspace, filepath.Join(b.dir, overlayDir))
	if err != nil {
		return "", fmt.Errorf("rewriting %s: %w", b.program, err)
	}
	b.tell.item(summary)
	// The format is that of "go build -overlay".
	overlay := struct{ Replace map[string]string }{replace}
	return summary, writeJSON(filepath.Join(b.dir, overlayFile), overlay)
}
