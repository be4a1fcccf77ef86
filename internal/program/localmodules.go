package program

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// localModules has the modules of a folder's program, by module path.
type localModules map[string]*localModuleUse

type localModuleUse struct {
	localModule
	// version is the module's version in the workspace.
	version  string
	packages []string
}

// modulesOf returns the modules of packages.
// The folder's modules have the same versions as in a build of l.Like, so that the
// compiler gets equal input for equal source.
func modulesOf(p Program, l Local, packages []localPackage) localModules {
	modules := localModules{}
	for _, pkg := range packages {
		m := modules[pkg.Module.Path]
		if m == nil {
			m = &localModuleUse{localModule: *pkg.Module, version: pkg.Module.Version}
			modules[pkg.Module.Path] = m
		}
		m.packages = append(m.packages, pkg.ImportPath)
	}
	required := map[string]bool{} // the requirements of the folder's other modules
	for path, m := range modules {
		if m.local() && path != p.Module {
			for _, other := range m.requires() {
				required[other] = true
			}
		}
	}
	for path, m := range modules {
		if !m.local() {
			continue
		}
		// In a build of a release, upstream's go.mod requires v0.0.0 of the other
		// modules. The other modules require each other's released versions.
		m.version = "v0.0.0"
		if released, ok := p.localReplace(path, m.folder(l.Dir)); path == p.Module {
			m.version = l.Like
		} else if ok && required[path] {
			m.version = released
		}
	}
	return modules
}

// requires lists the paths of the modules that a module's go.mod requires. It returns
// nil if the go.mod cannot be read.
func (m *localModuleUse) requires() []string {
	file := m.GoMod
	if m.Replace != nil && m.Replace.GoMod != "" {
		file = m.Replace.GoMod
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	f, err := modfile.ParseLax(file, data, nil)
	if err != nil {
		return nil // the go command reports the error
	}
	var all []string
	for _, r := range f.Require {
		all = append(all, r.Mod.Path)
	}
	return all
}

// folder returns a local module's folder relative to top, with slashes.
func (m *localModule) folder(top string) string {
	dir := m.Dir
	if m.Replace != nil {
		dir = m.Replace.Path
	}
	if filepath.IsAbs(dir) {
		if rel, err := filepath.Rel(top, dir); err == nil {
			dir = rel
		}
	}
	return filepath.ToSlash(filepath.Clean(dir))
}

// folders maps the paths of local modules to their folders relative to top.
func (m localModules) folders(top string) map[string]string {
	all := map[string]string{}
	for path, module := range m {
		if module.local() {
			all[path] = module.folder(top)
		}
	}
	return all
}

// goMod returns the workspace's go.mod, which requires every module.
func (m localModules) goMod(up Upstream) ([]byte, error) {
	theirs, err := up.ModFile()
	if err != nil {
		return nil, err
	}
	ours, err := newModFile(theirs)
	edits := []error{err}
	for _, path := range slices.Sorted(maps.Keys(m)) {
		edits = append(edits, ours.AddRequire(path, m[path].version))
	}
	if err := errors.Join(edits...); err != nil {
		return nil, message.Errorf("go.mod for %s: %w", up.Module, err)
	}
	ours.Cleanup()
	return ours.Format()
}

// list returns the vendor/modules.txt of the workspace.
func (m localModules) list() []byte {
	var out bytes.Buffer
	for _, path := range slices.Sorted(maps.Keys(m)) {
		goVersion := m[path].GoVersion
		if r := m[path].Replace; r != nil && r.GoVersion != "" {
			goVersion = r.GoVersion
		}
		fmt.Fprintf(&out, "# %s %s\n## explicit", path, m[path].version)
		if goVersion != "" {
			fmt.Fprintf(&out, "; go %s", goVersion)
		}
		fmt.Fprintln(&out)
		slices.Sort(m[path].packages)
		for _, pkg := range m[path].packages {
			fmt.Fprintln(&out, pkg)
		}
	}
	return out.Bytes()
}

// A goWork is a Go workspace.
type goWork struct {
	// file is the path of the go.work. data is its content.
	file string
	data []byte
}

func (w *goWork) dir() string { return filepath.Dir(w.file) }

// findWorkspace returns the Go workspace of the module in a folder, or nil.
// Its go.work is in that folder, or in the nearest folder above that has one.
// A go.work above must use the module, and does not count with GOWORK=off.
func findWorkspace(dir string) (*goWork, error) {
	file := filepath.Join(dir, "go.work")
	data, err := os.ReadFile(file)
	if err == nil {
		return &goWork{file, data}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if os.Getenv("GOWORK") == "off" {
		return nil, nil
	}
	for top := filepath.Dir(dir); ; top = filepath.Dir(top) {
		w := &goWork{file: filepath.Join(top, "go.work")}
		if w.data, err = os.ReadFile(w.file); err == nil {
			folders, err := w.folders()
			if err != nil || !slices.Contains(folders, filepath.ToSlash(filepath.Clean(dir))) {
				return nil, err
			}
			return w, nil
		}
		if top == filepath.Dir(top) {
			return nil, nil
		}
	}
}

// folders returns the absolute paths of the modules' folders, with slashes.
func (w *goWork) folders() ([]string, error) {
	file, err := modfile.ParseWork(w.file, w.data, nil)
	if err != nil {
		return nil, err
	}
	var folders []string
	for _, use := range file.Use {
		folders = append(folders, absolute(w.dir(), use.Path))
	}
	return folders, nil
}

// WorkspaceFolders lists the module folders of the Go workspace that the module in
// dir belongs to. It returns nil if the module belongs to no workspace.
func WorkspaceFolders(dir string) ([]string, error) {
	w, err := findWorkspace(dir)
	if err != nil || w == nil {
		return nil, err
	}
	return w.folders()
}

// copyWork copies the go.work of dir and its go.work.sum to another folder, and returns
// the path of the copy. The copy uses the same modules. data is the text of the go.work.
func copyWork(dir, to string, data []byte) (string, error) {
	file, err := modfile.ParseWork(filepath.Join(dir, "go.work"), data, nil)
	if err != nil {
		return "", err
	}
	var folders []string
	for _, use := range file.Use {
		folders = append(folders, use.Path)
	}
	var edits []error
	for _, folder := range folders {
		edits = append(edits, file.DropUse(folder), file.AddUse(absolute(dir, folder), ""))
	}
	for _, r := range slices.Clone(file.Replace) {
		if r.New.Version == "" {
			edits = append(edits, file.AddReplace(r.Old.Path, r.Old.Version, absolute(dir, r.New.Path), ""))
		}
	}
	if err := errors.Join(edits...); err != nil {
		return "", err
	}
	file.Cleanup()
	sums, err := os.ReadFile(filepath.Join(dir, "go.work.sum"))
	if err == nil {
		err = os.WriteFile(filepath.Join(to, "go.work.sum"), sums, 0o600)
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	work := filepath.Join(to, "go.work")
	return work, errors.Join(err, os.WriteFile(work, modfile.Format(file.Syntax), 0o600))
}

func absolute(dir, folder string) string {
	if filepath.IsAbs(folder) {
		return folder
	}
	return filepath.ToSlash(filepath.Join(dir, strings.TrimPrefix(folder, "./")))
}
