package program

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// leash is added to upstream's package main.
// It must compile with the oldest Go version of any supported upstream go.mod.
//
//go:embed leash.go.txt
var leash []byte

// leashFile is the name of the file with the leash.
const leashFile = "apitrace_leash.go"

// workspaceFormat is part of every workspace's key. Raise it when the content of
// workspaces changes.
const workspaceFormat = "workspace 1"

func (p Program) workspaceKey(up Upstream, goMod []byte) string {
	parts := []string{workspaceFormat, p.Module, p.Version, up.Sum, p.Main, string(goMod), string(leash)}
	for _, g := range p.Generate {
		parts = append(parts, fmt.Sprintf("generate %q", g))
	}
	for _, c := range p.Changes {
		parts = append(parts, fmt.Sprintf("change %q", c))
	}
	return hash([]byte(strings.Join(parts, "\x00")))
}

// ensureWorkspace ensures that the workspace exists and is unchanged. The caller must
// hold the program's lock.
func (b *build) ensureWorkspace(ctx context.Context) error {
	_, err := check(b.workspace, b.workspaceKey, everyFile)
	if err == nil {
		touch(b.workspace)
		return nil
	}
	if b.upstream.Local != nil {
		return errors.Join(errNotCopied(b.program.Version), removeEntry(b.workspace))
	}
	if !errors.Is(err, errNoEntry) {
		b.progress.notef("the workspace %s is damaged (%v); making it again", b.workspace, err)
	}
	if err := removeEntry(b.workspace); err != nil {
		return message.Errorf("preparing the folder of the workspace: %w", err)
	}
	if err := b.makeWorkspace(ctx); err != nil {
		return errors.Join(message.Errorf("workspace of %s: %w", b.program, err), removeEntry(b.workspace))
	}
	return seal(b.workspace, manifest{Program: b.program.Name, Version: b.program.Version, Key: b.workspaceKey})
}

func everyFile(string) bool { return true }

func (b *build) makeWorkspace(ctx context.Context) error {
	b.progress.stage(StageDownload, 0)
	_, source, err := b.toolchain.download(ctx, b.cache, b.program.Module, b.program.Version)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(b.workspace, 0o700); err != nil {
		return err
	}
	if err := b.writeMain(source); err != nil {
		return err
	}
	for _, cmd := range b.workspaceCommands() {
		b.progress.stage(cmd.Stage, 0)
		if err := cmd.run(ctx, b.progress.item); err != nil {
			return err
		}
	}
	if err := errors.Join(b.checkVersions(), b.makeChanges()); err != nil {
		return err
	}
	if main := b.program.MainFolder(); main != "" {
		if err := writeFile(filepath.Join(b.workspace, filepath.FromSlash(leashIn(main))), leash); err != nil {
			return err
		}
	}
	return b.generate(ctx)
}

// leashIn returns the leash's path in the workspace, for a vendored package main.
func leashIn(main string) string { return path.Join("vendor", main, leashFile) }

// writeMain writes go.mod, package main with the leash, and toolsFile, as far as the
// program needs them. source is the folder of upstream's module.
func (b *build) writeMain(source string) error {
	type file struct {
		name string
		data []byte
	}
	files := []file{{"go.mod", b.goMod}}
	if b.program.MainFolder() == "" {
		main, err := os.ReadFile(filepath.Join(source, filepath.FromSlash(b.program.Main)))
		if err != nil {
			return message.Errorf("upstream's func main is not at the expected place: %w", err)
		}
		files = append(files, file{"main.go", main}, file{leashFile, leash})
	}
	if tools := b.program.tools(); len(tools) > 0 {
		files = append(files, file{toolsFile, toolsSource(tools)})
	}
	for _, f := range files {
		if err := writeFile(filepath.Join(b.workspace, f.name), f.data); err != nil {
			return err
		}
	}
	return nil
}

// checkVersions returns an error if a module has another version than in upstream's
// go.mod. The program would then not be upstream's.
func (b *build) checkVersions() error {
	data, err := os.ReadFile(filepath.Join(b.workspace, "go.mod"))
	if err != nil {
		return err
	}
	ours, err := modfile.Parse(filepath.Join(b.workspace, "go.mod"), data, nil)
	if err != nil {
		return err
	}
	theirs, err := b.upstream.ModFile()
	if err != nil {
		return err
	}
	want := map[string]string{}
	for _, r := range theirs.Require {
		want[r.Mod.Path] = r.Mod.Version
	}
	for _, r := range theirs.Replace {
		// The required version of a replaced module has no effect.
		delete(want, r.Old.Path)
	}
	for _, r := range ours.Require {
		if v, ok := want[r.Mod.Path]; ok && v != r.Mod.Version {
			return message.Errorf("the go command chose %s %s, upstream's go.mod says %s: the program would not be upstream's", r.Mod.Path, r.Mod.Version, v)
		}
	}
	return nil
}

// workspaceCommands returns the commands that complete a workspace.
func (b *build) workspaceCommands() []Command {
	mod := func(stage Stage, purpose message.Message, verb string) Command {
		return Command{
			Stage: stage, Purpose: purpose, Dir: b.workspace, Args: []string{b.toolchain.Go, "mod", verb},
			Env: b.toolchain.fetchEnv(b.cache), Set: assignments(b.toolchain.fetchSettings(b.cache)),
		}
	}
	return []Command{
		mod(StageTidy, message.Of("find the versions of all dependencies"), "tidy"),
		mod(StageVendor, message.Of("copy their source"), "vendor"),
	}
}
