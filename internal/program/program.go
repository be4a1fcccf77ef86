// Package program turns a released Go program into a binary that apitrace can
// run, and runs it: version, workspace, vendor tree, overlay, build, child
// process. It is what kube-apiserver and etcd have in common; packages apiserver
// and storage add what each needs.
//
// The way of a build:
//
//	resolve    the module of the wanted version, with its checksum
//	workspace  a generated main module: go.mod, upstream's own main.go, a leash
//	tidy       go mod tidy
//	vendor     go mod vendor: the pristine source, for the rewriter and for people
//	generate   source that upstream's build makes, and its old modules lack
//	rewrite    changed copies of vendored files, if the build is instrumented
//	compile    go build -mod=vendor -overlay
//	link
//
// Workspaces and builds live in a [Cache]. Each is completed by a manifest that
// is written last; without one, or when the files are not those of the manifest,
// it is made again.
package program

import (
	"cmp"
	"context"
	"errors"
	"path"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// mainModule is the path of the generated main module. It is apitrace's own, so
// that the probe has its real import path in the traced program.
const mainModule = "github.com/kubeapitrace/apitrace"

// A Program describes what to build: one released program at one version.
type Program struct {
	// Name is the name of the program and of its binary: "kube-apiserver".
	Name string
	// Module and Version are those of the module that holds the program:
	// "k8s.io/kubernetes", "v1.37.1".
	Module, Version string
	// Released is the name of the release, if it is not Version: modules do not know the
	// releases of every repository.
	Released string
	// Main is the path within the module of the one file of upstream's package
	// main. The workspace gets a copy of it. With a slash at its end it is the folder of a package main that has
	// several files or imports internal packages of its module: that is built where the vendor tree has it.
	Main string
	// LocalReplace gives the released version of a module that upstream's go.mod
	// replaces by a folder of its own repository, which no module contains. A
	// module for which it says false, and every one if it is nil, is required in
	// the version that upstream's go.mod asks for.
	LocalReplace func(modulePath, localDir string) (version string, ok bool)
	// Replace gives what takes the place of a module that upstream's go.mod replaces by a
	// version that is not available or not usable any more, by its path there. A Version of "" means upstream's.
	// Of a module for which LocalReplace gives a version, only the Version counts.
	Replace map[string]module.Version
	// Generate lists what makes source that upstream's released module lacks.
	Generate []Generator
	// Stamp gives the variables to set at link time, in order, as
	// "import/path.name=value". May be nil.
	Stamp func(Upstream) []string
	// Space is the number of bytes that a build with an empty cache needs below the cache root.
	Space int64
}

// A Rewrite changes the source of a build.
type Rewrite struct {
	// Key identifies everything that decides the result: rules, rewriter, probe.
	// It is part of the key of the build.
	Key string
	// Edits names the edited files that the build includes. The cache keeps only the newest of such
	// builds, because each attempt makes one.
	Edits []string
	// Cover lists the packages whose statements count how often they run, as "go build -cover" does it. A build
	// with such counters is not a traced one. Its overlay is what Run makes.
	Cover []string
	// Run writes changed copies of files of the workspace below out.
	Run func(ctx context.Context, workspace, out string) (Rewritten, error)
}

// A Rewritten is what a Rewrite has made.
type Rewritten struct {
	// Overlay says which file of the workspace each copy replaces (key: absolute path in the
	// workspace, where a file need not exist yet).
	Overlay map[string]string
	// Summary is for people: "4,747 functions in 816 files".
	Summary string
	// Missing tells of each rule that the source had nothing for.
	Missing []message.Message
}

// Options set how to build.
type Options struct {
	// Cache is where everything is kept. Required.
	Cache *Cache
	// Rewrite makes the build an instrumented one; nil means a plain build.
	Rewrite *Rewrite
	// Progress receives the progress of the build; nil discards it.
	Progress Progress
}

// A Binary is a built program.
type Binary struct {
	// Path is the executable.
	Path string
	// Workspace is the folder with the source it was built from; what a rewriter
	// changed is not changed there. The folder may have been cleaned away since.
	Workspace string
	// Key identifies the build by its content: source, rewriting, toolchain, flags.
	Key string
	// Upstream is what was built.
	Upstream Upstream
	// Summary is the summary of the Rewrite; "" for a plain build.
	Summary string
	// Edited names the edited files that the build includes.
	Edited []string
	// Cached is set when the binary was there before.
	Cached bool

	release func()
}

// Release allows other processes to remove the binary from the cache before this process ends. A running
// server still keeps it there.
func (b *Binary) Release() {
	if b != nil && b.release != nil {
		b.release()
	}
}

// Release is the name of the program's release: "v3.4.3".
func (p Program) Release() string { return cmp.Or(p.Released, p.Version) }

// MainFolder is the import path of a package main that is built in the vendor tree; "" stands for the copy in the workspace.
func (p Program) MainFolder() string {
	if !strings.HasSuffix(p.Main, "/") {
		return ""
	}
	return path.Join(p.Module, p.Main)
}

// mainPackage is the import path of package main as the go command prints it.
func (p Program) mainPackage() string { return cmp.Or(p.MainFolder(), mainModule) }

// target names package main to the go command in the workspace.
func (p Program) target() string { return cmp.Or(p.MainFolder(), ".") }

// tools are the packages main that the vendor tree must have: generators, and that of the program itself if it is built there.
func (p Program) tools() []string {
	var tools []string
	for _, g := range p.Generate {
		tools = append(tools, g.Tool)
	}
	if main := p.MainFolder(); main != "" {
		tools = append(tools, main)
	}
	return tools
}

func (p Program) String() string { return p.Name + " " + p.Release() }

// newModFile begins the go.mod of a workspace with upstream's Go version and godebug settings.
func newModFile(theirs *modfile.File) (*modfile.File, error) {
	ours := new(modfile.File)
	edits := []error{ours.AddModuleStmt(mainModule)}
	if theirs.Go != nil {
		edits = append(edits, ours.AddGoStmt(theirs.Go.Version))
	}
	for _, g := range theirs.Godebug {
		edits = append(edits, ours.AddGodebug(g.Key, g.Value))
	}
	return ours, errors.Join(edits...)
}

// goMod writes the go.mod of the workspace: upstream's Go version, godebug
// settings and replacements, and nothing raised above what upstream requires.
func (p Program) goMod(up Upstream) ([]byte, error) {
	if up.Local != nil {
		return []byte(up.Local.GoMod), nil
	}
	theirs, err := up.ModFile()
	if err != nil {
		return nil, err
	}
	ours, err := newModFile(theirs)
	edits := []error{err}
	edits = append(edits, ours.AddRequire(p.Module, p.Version))
	for _, r := range theirs.Replace {
		if r.New.Version != "" {
			by := p.Replace[r.New.Path]
			edits = append(edits, ours.AddReplace(r.Old.Path, r.Old.Version, cmp.Or(by.Path, r.New.Path), cmp.Or(by.Version, r.New.Version)))
			continue
		}
		if version, ok := p.localReplace(r.Old.Path, r.New.Path); ok {
			version = cmp.Or(p.Replace[r.Old.Path].Version, version)
			edits = append(edits, ours.AddReplace(r.Old.Path, r.Old.Version, r.Old.Path, version))
		}
	}
	for _, err := range edits {
		if err != nil {
			return nil, message.Errorf("go.mod for %s: %w", p, err)
		}
	}
	ours.Cleanup()
	return ours.Format()
}

func (p Program) localReplace(modulePath, localDir string) (string, bool) {
	if p.LocalReplace == nil {
		return "", false
	}
	return p.LocalReplace(modulePath, path.Clean(localDir))
}

func (p Program) stamp(up Upstream) []string {
	if p.Stamp == nil {
		return nil
	}
	return p.Stamp(up)
}
