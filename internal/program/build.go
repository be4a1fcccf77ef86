package program

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// buildFormat is part of every build's key. Raise it when the steps of a build change.
const buildFormat = "build 1"

const (
	overlayFile = "overlay.json"
	overlayDir  = "overlay"
	logFile     = "build.log"
	// failedFile marks a build that did not compile, unlike an interrupted one.
	failedFile = "apitrace.failed"
)

// A build holds the state of one program's build.
type build struct {
	program Program
	cache   *Cache
	rewrite *Rewrite
	// debuggable is Options.Debuggable.
	debuggable bool
	progress   *reporter
	toolchain  Toolchain
	// noGo is the reason why there is no toolchain, or nil. Without a toolchain, the
	// build must be in the cache.
	noGo     error
	upstream Upstream
	// release becomes the release function of the Binary.
	release func()

	goMod        []byte
	workspaceKey string
	key          string
	workspace    string
	dir          string
}

// Build makes the binary of a program, or finds it in the cache. It waits for another
// process that builds the same program.
func Build(ctx context.Context, p Program, o Options) (*Binary, error) {
	progress := newReporter(o.Progress, p)
	progress.stage(StageResolve, 0)
	b, err := newBuild(ctx, p, o, progress)
	if err != nil {
		return nil, err
	}
	if b.key == "" {
		return nil, b.needsGo()
	}
	m, err := b.checkBinary()
	b.logLookup(ctx, err)
	cached := err == nil
	defer func() {
		if err != nil {
			b.release()
		}
	}()
	if !cached {
		if b.noGo != nil {
			return nil, message.Errorf("the build %s is damaged: %w; %w", b.dir, err, b.needsGo())
		}
		m, cached, err = b.run(ctx)
		if ctx.Err() == nil {
			b.trim(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
	if n := m.Missing; cached && n > 0 {
		progress.notef("%s", message.Plural(n, "it lacks %d thing that the guide names", "it lacks %d things that the guide names", n))
	}
	progress.stage(StageDone, 0)
	touch(b.dir)
	_ = os.Remove(filepath.Join(b.dir, droppedFile)) // the build is needed again
	return &Binary{
		Path: filepath.Join(b.dir, p.Name), Workspace: b.workspace, Key: b.key,
		Upstream: b.upstream, Summary: m.Summary, Edited: b.edits(), More: b.extraPackages(), Cached: cached, release: b.release,
	}, nil
}

// failed reports whether the last build with this key did not compile.
// Its folder is unfinished, but not damaged.
func (b *build) failed() bool {
	_, err := os.Stat(filepath.Join(b.dir, failedFile))
	return err == nil
}

// Key returns the key of the binary that Build would make. It resolves the version, but
// neither makes nor reads the binary.
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

// newBuild collects the inputs of a build and builds nothing.
// Without a toolchain, it takes the key of a suitable build in the cache, or "".
func newBuild(ctx context.Context, p Program, o Options, progress *reporter) (*build, error) {
	up, err := Resolve(ctx, o.Cache, p.Module, p.Version)
	if err != nil {
		return nil, err
	}
	toolchain, noGo := FindToolchain(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if errors.As(noGo, new(*tempDirError)) {
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
		program: p, cache: o.Cache, rewrite: o.Rewrite, debuggable: o.Debuggable, progress: progress,
		toolchain: toolchain, noGo: noGo, upstream: up, goMod: goMod, release: func() {},
	}
	b.workspaceKey = p.workspaceKey(up, goMod)
	b.workspace = o.Cache.entryDir(KindWorkspace, p, b.workspaceKey)
	if b.noGo != nil {
		return b, b.useCachedToolchain()
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
		return message.Errorf("%s needs Go %s or newer, and %s is %s: install a newer Go from https://go.dev/dl, or choose an older release", p, f.Go.Version, t.Go, t.Version)
	}
	return nil
}

// buildKey hashes all inputs of the binary.
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

// checkBinary looks for the finished build and verifies its binary, but not its
// overlay. A valid build stays in the cache until b.release is called.
func (b *build) checkBinary() (m manifest, err error) {
	release, ok := useEntry(b.dir)
	if !ok {
		return m, errNoEntry
	}
	if m, err = b.verify(); err != nil {
		release()
		return m, err
	}
	b.release = release
	return m, nil
}

func (b *build) verify() (manifest, error) {
	return check(b.dir, b.key, func(file string) bool { return file == b.program.Name })
}

// run waits for other processes that build the program, then builds it. cached reports
// whether another process made the build meanwhile.
func (b *build) run(ctx context.Context) (m manifest, cached bool, err error) {
	unlock, err := b.cache.lock(ctx, b.program, b.progress)
	if err != nil {
		return m, false, err
	}
	defer unlock()
	defer setUsed(b.cache.goCache())
	m, err = b.checkBinary() // another process may have made this build
	if err == nil {
		return m, true, nil
	}
	if !errors.Is(err, errNoEntry) && !b.failed() {
		b.progress.notef("the build %s is damaged (%v); making it again", b.dir, err)
	}
	if err := checkSpace(b.cache, b.program); err != nil {
		return m, false, err
	}
	if err := b.ensureWorkspace(ctx); err != nil {
		return m, false, err
	}
	if m, err = b.make(ctx); err == nil {
		b.release, _ = useEntry(b.dir) // until unlock, no other process can remove the build
	}
	var compile *CompileError
	switch {
	case errors.As(err, &compile): // keep the log and the overlay for the user
		err = errors.Join(err, writeFile(filepath.Join(b.dir, failedFile), nil))
	case err != nil:
		err = errors.Join(err, removeEntry(b.dir))
	}
	return m, false, err
}

func (b *build) make(ctx context.Context) (manifest, error) {
	m := manifest{Program: b.program.Name, Version: b.program.Version, Key: b.key, Rewrite: b.rewriteKey(), Edited: b.isEdited(), Edits: b.edits(), More: b.extraPackages(), Cover: b.hasCounters()}
	if err := removeEntry(b.dir); err != nil {
		return m, message.Errorf("preparing the folder of the build: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(b.dir, overlayDir), 0o700); err != nil {
		return m, message.Errorf("preparing the folder of the build: %w", err)
	}
	rewritten, err := b.makeOverlay(ctx)
	if err != nil {
		return m, err
	}
	m.Summary, m.Missing = rewritten.Summary, len(rewritten.Missing)
	for _, missing := range rewritten.Missing {
		b.progress.notef("%s", missing)
	}
	if err := b.compile(ctx); err != nil {
		return m, err
	}
	return m, seal(b.dir, m)
}

// isEdited reports whether the build includes the user's edits.
func (b *build) isEdited() bool { return b.rewrite != nil && len(b.rewrite.Edits) > 0 }

// hasCounters reports whether the build has statement counters.
func (b *build) hasCounters() bool { return b.rewrite != nil && len(b.rewrite.Cover) > 0 }

// edits names the user's edits that the build includes.
func (b *build) edits() []string {
	if !b.isEdited() {
		return nil
	}
	return b.rewrite.Edits
}

// extraPackages names the packages that are rewritten only because the user named them.
func (b *build) extraPackages() []string {
	if b.rewrite == nil {
		return nil
	}
	return b.rewrite.More
}

// makeOverlay runs the rewriter, if the build has one.
func (b *build) makeOverlay(ctx context.Context) (Rewritten, error) {
	if b.rewrite == nil {
		return Rewritten{}, nil
	}
	b.progress.stage(StageRewrite, 0)
	rewritten, err := b.rewrite.Run(ctx, b.workspace, filepath.Join(b.dir, overlayDir))
	if err != nil {
		return rewritten, message.Errorf("rewriting %s: %w", b.program, err)
	}
	b.progress.item(rewritten.Summary)
	// go build -overlay expects this format.
	overlay := struct{ Replace map[string]string }{rewritten.Overlay}
	return rewritten, writeJSON(filepath.Join(b.dir, overlayFile), overlay)
}
