package program

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"
)

// Builds and child processes write debug messages to log/slog: where a build comes from
// and why, and the start and end of each process. The environment is not logged, because
// it may hold credentials.

// logLookup logs whether a build is in the cache, or why not (err).
func (b *build) logLookup(ctx context.Context, err error) {
	what := "taking a build from the cache"
	args := []any{"program", b.program, "folder", b.dir, "go", b.toolchain.Version, "rewrite", b.rewriteKey()}
	if err != nil {
		what, args = "no build in the cache", append(args, "why", b.missing(err))
	}
	slog.DebugContext(ctx, what, args...)
}

// missing explains why the build is not in the cache, from the program's other builds
// there.
func (b *build) missing(err error) string {
	if !errors.Is(err, errNoEntry) {
		return fmt.Sprintf("the build is damaged: %v", err)
	}
	dirs, globErr := filepath.Glob(b.cache.entryDir(KindBuild, b.program, "????????????"))
	if globErr != nil {
		return globErr.Error()
	}
	builds, rewrites := 0, 0
	for _, dir := range dirs {
		m, err := readManifest(dir)
		if err != nil {
			continue
		}
		builds++
		if m.Rewrite == b.rewriteKey() {
			rewrites++
		}
	}
	switch {
	case builds == 0:
		return "no build of this version is complete"
	case rewrites == 0:
		return fmt.Sprintf("the guide, the rewriter, the probe, the edits or the choice of tracing differ from those of %d builds of this version", builds)
	}
	return fmt.Sprintf("the Go toolchain, the flags or the dependencies differ from those of %d builds of this version", rewrites)
}

// logCommand logs a command's start; ended logs its end.
func (c Command) logCommand(ctx context.Context) (ended func(error)) {
	began := time.Now()
	slog.DebugContext(ctx, "running a command", "purpose", c.Purpose, "folder", c.Dir, "command", c.Args)
	return func(err error) {
		slog.DebugContext(ctx, "the command has ended", "purpose", c.Purpose, "took", time.Since(began), "error", err)
	}
}

// logStart logs a child's start; ready logs that it is ready, or why not.
func (c *Child) logStart(ctx context.Context) (ready func(error)) {
	began := time.Now()
	slog.DebugContext(ctx, "started a child process", "name", c.server.Name, "process", c.cmd.Process.Pid, "path", c.server.Path, "flags", c.server.Args)
	return func(err error) {
		what := "the child process is ready"
		if err != nil {
			what = "the child process is not ready"
		}
		slog.DebugContext(ctx, what, "name", c.server.Name, "process", c.cmd.Process.Pid, "took", time.Since(began), "error", err)
	}
}

// logEnd logs how a child ended.
func (c *Child) logEnd() {
	slog.Debug("a child process has ended", "name", c.server.Name, "process", c.cmd.Process.Pid, "state", c.cmd.ProcessState)
}
