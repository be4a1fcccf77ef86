// Package program builds a released Go program and runs it as a child process. It resolves the
// version, makes the workspace with the vendor tree, rewrites source through an overlay, and
// compiles. It also keeps the cache of these results. The packages apiserver and storage add the
// parts that only kube-apiserver or only etcd needs; those parts don't belong here.
//
// A build has these steps:
//
//	resolve    the module of the wanted version, with its checksum
//	workspace  a generated main module: go.mod, upstream's own main.go, a leash
//	tidy       go mod tidy
//	vendor     go mod vendor: the pristine source, for the rewriter and for people
//	generate   source that upstream's build generates and its old modules lack
//	rewrite    changed copies of vendored files, if the build is instrumented
//	compile    go build -mod=vendor -overlay
//	link
//
// Workspaces and builds are kept in a [Cache]. The manifest of an entry is written last and
// completes it. An entry without a manifest, or with files that don't match its manifest, is
// made again.
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
	// Name is also the binary's name: "kube-apiserver".
	Name string
	// Module is the module that holds the program: "k8s.io/kubernetes". Version is the version
	// of that module: "v1.37.1".
	Module, Version string
	// Released is the name of the release, if it is not Version. Some repositories
	// release other versions than their modules.
	Released string
	// Main is the path of upstream's func main within the module. It is the only file of
	// package main, which the workspace gets a copy of. If Main ends with a slash, it is
	// a folder. Its package main has several files or imports internal packages of its
	// module, and is built in the vendor tree.
	Main string
	// LocalReplace returns the released version of a module that upstream's go.mod
	// replaces by a folder of its own repository, which no module contains. If it is nil
	// or returns false, the version that upstream's go.mod requires is used.
	LocalReplace func(modulePath, localDir string) (version string, ok bool)
	// Replace substitutes modules that upstream's go.mod replaces by a version that is no
	// longer available or usable. The key is the path of the replacement in upstream's
	// go.mod. An empty Version means upstream's. For a module with a version from
	// LocalReplace, the key is the module's path, and only the Version is used.
	Replace map[string]module.Version
	// Generate lists generators of source that upstream's module lacks.
	Generate []Generator
	// Stamp gives the variables to set at link time, in order, as
	// "import/path.name=value". May be nil.
	Stamp func(Upstream) []string
	// Space is the number of bytes that a build with an empty cache needs there.
	Space int64
}

// A Rewrite changes the source of a build.
type Rewrite struct {
	// Key identifies the rules, the rewriter and the probe. It is part of the build's
	// key.
	Key string
	// Edits names the edited files in the build. Each attempt at an edit makes such a
	// build, so the cache keeps only the newest ones.
	Edits []string
	// More names the packages that the user had rewritten beyond the rules. The cache
	// keeps only the newest such builds too.
	More []string
	// Cover lists the packages with statement counters, as of "go build -cover". A build
	// with counters is not traced, but has Run's overlay.
	Cover []string
	// Run writes changed copies of workspace files below out.
	Run func(ctx context.Context, workspace, out string) (Rewritten, error)
}

// A Rewritten is the result of a Rewrite.
type Rewritten struct {
	// Overlay maps a file of the workspace to its replacement. The key is an absolute
	// path in the workspace, where no file needs to exist yet.
	Overlay map[string]string
	// Summary is for people: "4,747 functions in 816 files".
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
	// Workspace is the folder with the source of the build, before rewriting. It may be
	// gone.
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

// Release allows other processes to remove the binary from the cache before this process
// ends. A server that runs it still keeps it there.
func (b *Binary) Release() {
	if b != nil && b.release != nil {
		b.release()
	}
}

// Release is the name of the program's release: "v3.4.3".
func (p Program) Release() string { return cmp.Or(p.Released, p.Version) }

// MainFolder returns the import path of a package main built in the vendor tree, or ""
// for a copy in the workspace.
func (p Program) MainFolder() string {
	if !strings.HasSuffix(p.Main, "/") {
		return ""
	}
	return path.Join(p.Module, p.Main)
}

// mainPackage returns package main as the go command prints it.
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

// newModFile begins a workspace's go.mod with upstream's Go version and godebug settings.
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
// replacements, and no version above upstream's requirement.
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
