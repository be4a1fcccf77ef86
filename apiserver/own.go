package apiserver

import (
	"context"
	"errors"
	"go/build"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	modpath "golang.org/x/mod/module"

	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/traced"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// libraryModule is the library that API servers are built on.
const libraryModule = "k8s.io/apiserver"

// OwnRecipe returns how to build an API server of the user's own.
// The versions of its dependencies come from its go.mod.
// The packages of the server's module are traced whole. The library's packages are traced
// as the guide says for that version of the library.
// OwnRecipe reads the server's source, so it may fetch the server's module.
func OwnRecipe(ctx context.Context, own serverconfig.Own, o BuildOptions) (*traced.Recipe, error) {
	options, err := o.traced(ctx)
	if err != nil {
		return nil, err
	}
	find := ownRelease
	if own.IsFolder() {
		find = ownFolder
	}
	found, goMod, err := find(ctx, own, options)
	if err != nil {
		return nil, err
	}
	return o.recipe(ctx, ownServer(found, goMod), options)
}

// ownServer returns a server of the user's own as a program that apitrace traces.
func ownServer(found program.Program, goMod []byte) traced.Program {
	p, known := traced.Find(Programs(), found.Name) // only the sample server is known
	if !known {
		p = traced.Program{
			Name: found.Name, Edits: found.Name + ownEdits + found.Version,
			Adapt:   func(guide *instrument.Guide) *instrument.Guide { return ownGuide(guide, found) },
			Rewrite: func(o instrument.Options) (*instrument.Result, []message.Message, error) { return rewriteOwn(o, found) },
		}
	}
	p.ForVersion = func(string, func() (program.Upstream, error)) (program.Program, error) { return found, nil }
	p.GuideVersion = func(program.Program) (string, error) { return libraryVersion(found, goMod) }
	p.Explain = func(r *traced.Recipe, err error) error {
		up, _ := program.CopyRecord(r.Cache, r.Program)
		if e, _ := inFolder(err, up); e != nil {
			return e
		}
		return err
	}
	return p
}

// ownRelease finds the server in a released module.
func ownRelease(ctx context.Context, own serverconfig.Own, o traced.Options) (p program.Program, goMod []byte, err error) {
	name, version, _ := strings.Cut(own.Server, "@")
	if version == "" {
		version = "latest"
	}
	if err := modpath.CheckPath(name); err != nil {
		return p, nil, message.UsageErrorf("--server %q: expected a module with its version, such as %q, or a folder, such as %q: %w", own.Server, "sigs.k8s.io/metrics-server@v0.9.0", "./mine", err)
	}
	up, dir, err := program.Download(ctx, o.Cache, name, version)
	if err != nil {
		return p, nil, err
	}
	p, err = ownProgram(own, o.Version, name, up.Version, dir)
	p.Version = up.Version
	return p, []byte(up.GoMod), err
}

// ownFolder finds the server in a folder, and copies its source to the cache.
func ownFolder(ctx context.Context, own serverconfig.Own, o traced.Options) (p program.Program, goMod []byte, err error) {
	dir, err := filepath.Abs(own.Server)
	if err != nil {
		return p, nil, err
	}
	if goMod, err = os.ReadFile(filepath.Join(dir, "go.mod")); err != nil {
		return p, nil, noModule(own, err)
	}
	name := modfile.ModulePath(goMod)
	if p, err = ownProgram(own, o.Version, name, "", dir); err != nil {
		return p, nil, err
	}
	const unreleased = "v0.0.0"
	// Without Local.State, CopySource reads the folder each time.
	up, err := program.CopySource(ctx, p, program.Local{Dir: dir, Name: own.Server, Release: unreleased, Like: unreleased, Commit: "0", Dirty: true, Time: time.Unix(0, 0)}, program.Options{Cache: o.Cache, Progress: o.Progress})
	p.Version, p.Released = up.Version, own.Server
	return p, goMod, err
}

// noModule returns the error for a server's folder without a readable go.mod.
func noModule(o serverconfig.Own, err error) error {
	return message.UsageErrorf("--server %q: expected the folder of a module, with its go.mod: %w", o.Server, err)
}

// ownProgram returns the program in a module, without its version. dir holds the module's
// source. version is the module's version, or "" for a folder.
func ownProgram(own serverconfig.Own, k8s, modulePath, version, dir string) (p program.Program, err error) {
	folder := path.Clean(filepath.ToSlash(own.Main))
	if own.Main == "" {
		found, err := mainFolders(dir)
		if err != nil {
			return p, err
		}
		switch len(found) {
		case 0:
			return p, message.UsageErrorf("module %s has no package main", modulePath)
		case 1:
			folder = found[0]
		default:
			return p, message.UsageErrorf("module %s has several packages main: choose the API server with --main, one of %s", modulePath, message.List(found))
		}
	}
	pkg, err := build.ImportDir(filepath.Join(dir, filepath.FromSlash(folder)), 0)
	if err != nil || pkg.Name != "main" || len(pkg.GoFiles) == 0 {
		found, err := mainFolders(dir)
		if err != nil || len(found) == 0 {
			return p, message.UsageErrorf("--main %q: expected the folder of a package main in module %s", own.Main, modulePath)
		}
		return p, message.UsageErrorf("--main %q: expected the folder of a package main in module %s, one of %s", own.Main, modulePath, message.List(found))
	}
	main := path.Join(folder, pkg.GoFiles[0])
	internal := func(imported string) bool {
		return strings.Contains(imported+"/", "/internal/") && strings.HasPrefix(imported, modulePath+"/")
	}
	if len(pkg.GoFiles) > 1 || len(pkg.CgoFiles)+len(pkg.EmbedPatterns) > 0 || slices.ContainsFunc(pkg.Imports, internal) {
		main = folder + "/" // a copy of one file would lack the other files, and could not import internal packages
	}
	p = program.Program{Name: ownName(k8s, modulePath, version, folder), Module: modulePath, Main: main, Space: 3e9}
	return p, nil
}

// ownName returns a program's name in traces: the last element of the path of its package
// main.
// If one of Programs has this name, the program gets the prefix "own-".
// Only the sample server of release k8s keeps its name, as in the traces of scenarios.
func ownName(k8s, modulePath, version, folder string) string {
	if folder == "." {
		folder, _, _ = modpath.SplitPathVersion(modulePath)
	}
	name := path.Base(folder)
	sample := modulePath == sampleserver.Module && version == stagingVersion(k8s)
	if _, known := traced.Find(Programs(), name); known && !sample {
		name = "own-" + name
	}
	return name
}

// IsSampleServer reports whether a server is the sample server of a release, which
// scenarios run behind the aggregator.
// release has the form that ParseVersion returns.
func IsSampleServer(own serverconfig.Own, release string) bool {
	return own.Server == sampleserver.Module+"@"+stagingVersion(release) && path.Clean(own.Main) == "."
}

// mainFolders lists the folders of packages main in a module's source.
// It skips folders of other modules, and folders such as vendor, test and hack.
// If the top folder is a package main, or a folder below cmd is one, mainFolders leaves
// out all other folders, such as folders of generators.
func mainFolders(dir string) (folders []string, err error) {
	err = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		name := d.Name()
		if rel != "." {
			if _, err := os.Stat(filepath.Join(file, "go.mod")); err == nil || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || slices.Contains([]string{"vendor", "testdata", "test", "hack", "tools"}, name) {
				return fs.SkipDir
			}
		}
		if pkg, err := build.ImportDir(file, 0); err == nil && pkg.Name == "main" {
			folders = append(folders, filepath.ToSlash(rel))
		}
		return nil
	})
	if preferred := slices.DeleteFunc(slices.Clone(folders), func(f string) bool { return f != "." && !strings.HasPrefix(f, "cmd/") }); len(preferred) > 0 {
		folders = preferred
	}
	return folders, err
}

// libraryVersion returns the release of Kubernetes with the server's version of the
// library: "v1.36.2" for k8s.io/apiserver v0.36.2.
func libraryVersion(p program.Program, goMod []byte) (string, error) {
	file, err := modfile.Parse("go.mod", goMod, nil)
	if err != nil {
		return "", message.Errorf("reading the go.mod of %s: %w", p.Module, err)
	}
	version := ""
	for _, r := range file.Require {
		if r.Mod.Path == libraryModule {
			version = r.Mod.Version
		}
	}
	for _, r := range file.Replace {
		if r.Old.Path == libraryModule && (r.Old.Version == "" || r.Old.Version == version) && r.New.Version != "" {
			version = r.New.Version
		}
	}
	minor, ok := strings.CutPrefix(version, "v0.")
	if !ok {
		return "", message.Errorf("%s is not built on the library of API servers: its go.mod requires no version v0.X of %s", p.Module, libraryModule)
	}
	release, err := ParseVersion("v1." + minor)
	if err != nil {
		return "", message.Errorf("%s is built on %s %s: %w", p.Module, libraryModule, version, err)
	}
	return release, nil
}

// ownGuide returns a copy of the guide with an entry for a server that the guide lacks.
// The library is traced as in the sample server.
// The packages of the server's module are traced whole.
func ownGuide(guide *instrument.Guide, p program.Program) *instrument.Guide {
	own := *guide.Programs[sampleserver.Name]
	if p.Module != sampleserver.Module {
		own.Packages = slices.DeleteFunc(slices.Clone(own.Packages), func(known instrument.Packages) bool {
			return strings.HasPrefix(known.Path, sampleserver.Module+"/")
		})
		own.Packages = append(own.Packages, instrument.Packages{Path: p.Module, Recursive: true})
	}
	adapted := *guide
	adapted.Programs = maps.Clone(guide.Programs)
	adapted.Programs[p.Name] = &own
	return &adapted
}

// rewriteOwn rewrites the source of a server. It leaves out packages of the guide that the
// server's vendor folder lacks, and package main if the folder has it.
func rewriteOwn(o instrument.Options, p program.Program) (*instrument.Result, []message.Message, error) {
	lacks := func(importPath string) bool {
		_, err := os.Stat(filepath.Join(o.Vendor, filepath.FromSlash(importPath)))
		return errors.Is(err, fs.ErrNotExist)
	}
	prog := *o.Guide.Programs[o.Program]
	prog.Packages = slices.DeleteFunc(slices.Clone(prog.Packages), func(p instrument.Packages) bool { return lacks(p.Path) })
	if main := p.MainFolder(); main != "" {
		var err error
		if prog.Packages, err = withoutMain(prog.Packages, o.Vendor, p.Module, main); err != nil {
			return nil, nil, err
		}
	}
	prog.Roots = slices.DeleteFunc(slices.Clone(prog.Roots), func(r instrument.Root) bool { return lacks(funcname.Package(r.Function)) })
	prog.Exits = slices.DeleteFunc(slices.Clone(prog.Exits), func(e instrument.Exit) bool { return lacks(funcname.Package(e.Function)) })
	prog.Tail = slices.DeleteFunc(slices.Clone(prog.Tail), func(s instrument.Stage) bool { return lacks(funcname.Package(s.Function)) })
	guide := *o.Guide
	guide.Programs = maps.Clone(guide.Programs)
	guide.Programs[o.Program] = &prog
	o.Guide = &guide
	return traced.RewriteTolerantly(o)
}

// withoutMain replaces the entry of a whole module by one entry for each of its packages
// except main, the import path of package main.
// At run time, the names of functions in package main begin with "main.", not with the
// import path.
func withoutMain(packages []instrument.Packages, vendor, module, main string) ([]instrument.Packages, error) {
	packages = slices.DeleteFunc(slices.Clone(packages), func(p instrument.Packages) bool { return p.Path == module })
	err := filepath.WalkDir(filepath.Join(vendor, filepath.FromSlash(module)), func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(vendor, file)
		if err != nil {
			return err
		}
		if importPath := filepath.ToSlash(rel); importPath != main {
			entries, err := os.ReadDir(file)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !e.IsDir() && strings.HasSuffix(e.Name(), ".go") }) {
				packages = append(packages, instrument.Packages{Path: importPath})
			}
		}
		return nil
	})
	return packages, err
}
