package program

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
)

func (b *build) buildFlags() []string {
	flags := []string{
		"-mod=vendor",
		// The binary then contains no paths of this machine, so Go's build cache
		// serves all workspaces with the same source.
		"-trimpath",
		// The cache folder may be inside an unrelated repository.
		"-buildvcs=false",
	}
	var link []string
	if !b.debuggable {
		// Debug data takes a fifth of the build time and a third of the binary.
		flags = append(flags, "-gcflags=all=-dwarf=false")
		link = append(link, "-w")
	}
	if b.hasCounters() {
		// Only atomic counters can be cleared at run time.
		flags = append(flags, "-cover", "-covermode=atomic", "-coverpkg="+strings.Join(b.rewrite.Cover, ","))
	}
	for _, v := range b.program.stamp(b.upstream) {
		link = append(link, fmt.Sprintf("-X '%s'", v))
	}
	if len(link) > 0 {
		flags = append(flags, "-ldflags="+strings.Join(link, " "))
	}
	return flags
}

// overlayFlag returns the go command's flag for the rewritten files, if there are any.
func (b *build) overlayFlag() []string {
	if b.rewrite == nil {
		return nil
	}
	return []string{"-overlay=" + filepath.Join(b.dir, overlayFile)}
}

func (b *build) goCommand(purpose message.Message, args ...string) Command {
	return Command{
		Stage: StageCompile, Purpose: purpose, Dir: b.workspace, Args: append([]string{b.toolchain.Go}, args...),
		Env: b.toolchain.buildEnv(b.cache), Set: assignments(b.toolchain.buildSettings(b.cache)), Inherit: buildInherited,
	}
}

// listCommand returns the command that lists the program's packages, and whether each
// must be compiled with the build's flags.
func (b *build) listCommand() Command {
	args := append([]string{"list", "-deps", "-f", "{{.ImportPath}} {{.Stale}}"}, b.buildFlags()...)
	args = append(args, b.overlayFlag()...)
	return b.goCommand(message.Of("count the packages"), append(args, b.program.target())...)
}

func (b *build) buildCommand() Command {
	args := append([]string{"build", "-v"}, b.buildFlags()...)
	args = append(args, b.overlayFlag()...)
	return b.goCommand(message.Of("compile and link"), append(args, "-o", filepath.Join(b.dir, b.program.Name), b.program.target())...)
}

// compile runs go build, reports its progress, and writes its output to a log file.
// If go build fails, compile returns a CompileError.
func (b *build) compile(ctx context.Context) error {
	b.progress.stage(StageCompile, 0)
	// A killed go command leaves its temporary files behind, so they go to a RunDir.
	tmp, err := NewRunDir()
	if err != nil {
		return err
	}
	defer tmp.Close()
	log, err := os.OpenFile(filepath.Join(b.dir, logFile), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return message.Errorf("build log: %w", err)
	}
	defer log.Close()
	packages, stale, err := b.packages(ctx, log)
	if err != nil {
		return err
	}
	slog.DebugContext(ctx, "compiling", "program", b.program, "packages", len(packages), "stale", stale, "log", log.Name())
	if b.progress.stage(StageCompile, stale); stale <= 1 {
		// At most the small package main must be compiled. The rest is linking.
		b.progress.stage(StageLink, 0)
	}
	var complaints []string
	command := b.buildCommand()
	command.Env = append(command.Env, "GOTMPDIR="+tmp.Path)
	err = command.start(ctx, log, func(line string) {
		fmt.Fprintln(log, line)
		if !packages[line] {
			complaints = append(complaints, line)
			return
		}
		b.progress.step(line)
		if line == b.program.mainPackage() {
			// The small package main comes after all other packages.
			b.progress.stage(StageLink, 0)
		}
	})
	if err != nil && ctx.Err() == nil {
		return &CompileError{Program: b.program, Complaints: complaints, Log: log.Name(), Err: err}
	}
	return err
}

// packages returns the import paths of the program's packages, and how many must be
// compiled. If the go command cannot parse a file, it returns a CompileError.
func (b *build) packages(ctx context.Context, log io.Writer) (all map[string]bool, stale int, err error) {
	var stdout bytes.Buffer
	var complaints []string
	err = b.listCommand().start(ctx, &stdout, func(line string) {
		fmt.Fprintln(log, line)
		complaints = append(complaints, line)
	})
	if ctx.Err() != nil {
		return nil, 0, ctx.Err()
	}
	if err != nil {
		return nil, 0, &CompileError{Program: b.program, Complaints: complaints, Log: filepath.Join(b.dir, logFile), Err: err}
	}
	all = map[string]bool{}
	for line := range strings.Lines(stdout.String()) {
		pkg, isStale, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[pkg] = true
		if isStale == "true" {
			stale++
		}
	}
	return all, stale, nil
}

// A CompileError reports that go build failed.
type CompileError struct {
	Program Program
	// Complaints has the lines of the go command's output, without names of packages.
	Complaints []string
	// Log is the file that holds the whole output.
	Log string
	Err error
}

// shownComplaints is the number of output lines in the error message.
const shownComplaints = 12

func (e *CompileError) Error() string { return e.message().String() }

// Localize returns the error in the printer's language.
func (e *CompileError) Localize(p message.Printer) string { return e.message().Localize(p) }

func (e *CompileError) message() message.Message {
	shown := e.Complaints[:min(shownComplaints, len(e.Complaints))]
	lines := strings.Join(shown, "\n\t")
	if n := len(e.Complaints) - len(shown); n > 0 {
		return message.Of("go build of %s: %v\n\t%s\n\t… and %d more lines\nthe whole log is %s", e.Program, e.Err, lines, n, e.Log)
	}
	return message.Of("go build of %s: %v\n\t%s\nthe whole log is %s", e.Program, e.Err, lines, e.Log)
}

func (e *CompileError) Unwrap() error { return e.Err }
