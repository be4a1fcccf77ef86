// Package program builds a released Go program and runs it as a child process.
// It resolves the version, makes the workspace with the vendor tree, rewrites source
// through an overlay, and compiles. It also keeps the cache of these results.
// Code for kube-apiserver or etcd alone belongs in the packages apiserver and storage.
//
// A build has these steps:
//
//	resolve    the module of the wanted version, with its checksum
//	workspace  a generated main module: go.mod, upstream's own main.go, a leash
//	tidy       go mod tidy
//	vendor     go mod vendor: the unchanged source, for the rewriter and for people
//	generate   source that upstream's build generates and its old modules lack
//	rewrite    changed copies of vendored files, if the build is instrumented
//	compile    go build -mod=vendor -overlay
//	link
//
// Workspaces and builds are kept in a [Cache]. The manifest completes an entry.
// An entry without a manifest, or with files that don't match its manifest, is made
// again.
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

// mainModule is the path of the generated main module. It is apitrace's own, so the probe
// keeps its import path in the traced program.
const mainModule = "github.com/kubeapitrace/apitrace"

// A Program is one program at one version to build.
type Program struct {
	// Name is also the binary's name, such as "kube-apiserver".
	Name string
	// Module is the path of the module with the program, such as "k8s.io/kubernetes".
	// Version is the version of the module, such as "v1.37.1".
	Module, Version string
	// Released is the name of the release, if it is not Version. Some repositories
	// release other versions than their modules.
	Released string
	// Main is the path of package main in the module.
	// Usually it is the only file of the package, and the workspace gets a copy.
	// If Main ends with a slash, it is a folder. The package then has several files or
	// imports internal packages of its module, and is built in the vendor tree.
	Main string
	// LocalReplace returns the released version of a module that upstream's go.mod
	// replaces by a folder of its own repository. If LocalReplace is nil or returns
	// false, the workspace uses the version that upstream's go.mod requires.
	LocalReplace func(modulePath, localDir string) (version string, ok bool)
	// Replace changes replacements in upstream's go.mod that are no longer available
	// or usable. The key is the path of upstream's replacement. An empty Path or
	// Version means upstream's.
	// For a module with a version from LocalReplace, the key is the module's path, and
	// only the Version is used.
	Replace map[string]module.Version
	// Generate lists generators of source that upstream's module lacks.
	Generate []Generator
	// Changes lists what the workspace changes in upstream's source.
	Changes []Change
	// Stamp gives the variables to set at link time, in order, as
	// "import/path.name=value". May be nil.
	Stamp func(Upstream) []string
	// Space is the number of bytes that a build needs in an empty cache.
	Space int64
}

// A Rewrite changes the source of a build.
type Rewrite struct {
	// Key identifies the rules, the rewriter and the probe. It is part of the build's
	// key.
	Key string
	// Edits names the edited files in the build. Each change of an edit makes another
	// build, so the cache keeps only the newest builds with Edits.
	Edits []string
	// More names the packages that are rewritten only because the user named them.
	// The cache keeps only the newest builds with More, too.
	More []string
	// Cover lists the packages with the statement counters of "go build -cover".
	// A build with counters does not count as traced, but has the overlay of Run.
	Cover []string
	// Run writes changed copies of workspace files below out.
	Run func(ctx context.Context, workspace, out string) (Rewritten, error)
}

// A Rewritten is the result of a Rewrite.
type Rewritten struct {
	// Overlay maps the absolute path of a file in the workspace to the path of its
	// replacement. The file itself need not exist.
	Overlay map[string]string
	// Summary is for people, such as "4,747 functions in 816 files".
	Summary string
	// Missing has a message for each rule without a match.
	Missing []message.Message
}

// Options set how to build.
type Options struct {
	// Cache holds everything that the build makes. Required.
	Cache *Cache
	// Rewrite makes the build an instrumented one; nil means plain.
	Rewrite *Rewrite
	// Debuggable keeps a debugger's data (DWARF) in the binary.
	Debuggable bool
	// Progress receives the build's progress; nil discards it.
	Progress Progress
}

// A Binary is a built program.
type Binary struct {
	// Path is the executable.
	Path string
	// Workspace is the folder with the source of the build, before rewriting. The
	// cache may have removed it.
	Workspace string
	// Key identifies source, rewriting, toolchain and flags.
	Key string
	// Upstream is the module version of the program.
	Upstream Upstream
	// Summary is the Rewrite's summary; "" for a plain build.
	Summary string
	// Edited names the edited files that the build includes.
	Edited []string
	// More has the packages of Rewrite.More.
	More []string
	// Cached is set if the cache had the binary.
	Cached bool

	release func()
}

// Release allows other processes to remove the binary from the cache before this
// process ends. While a server runs the binary, it stays in the cache.
func (b *Binary) Release() {
	if b != nil && b.release != nil {
		b.release()
	}
}

// Release returns the name of the program's release, such as "v3.4.3".
func (p Program) Release() string { return cmp.Or(p.Released, p.Version) }

// MainFolder returns the import path of package main if it is built in the vendor
// tree, and "" if the workspace has a copy of its file.
func (p Program) MainFolder() string {
	if !strings.HasSuffix(p.Main, "/") {
		return ""
	}
	return path.Join(p.Module, p.Main)
}

// mainPackage returns the import path that the go command prints for package main.
func (p Program) mainPackage() string { return cmp.Or(p.MainFolder(), mainModule) }

// target names package main for the go command in the workspace.
func (p Program) target() string { return cmp.Or(p.MainFolder(), ".") }

// tools returns the packages main that the vendor tree must have: the generators, and the
// program if it is built there.
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

// newModFile returns a go.mod with upstream's Go version and godebug settings.
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

// goMod returns the workspace's go.mod: upstream's Go version, godebug settings and
// replacements. It requires only upstream's module, so that dependencies get the
// versions that upstream requires.
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
