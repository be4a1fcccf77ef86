package calls

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A loader type-checks packages of a vendor tree or, if that lacks them, of the Go
// installation. It checks function bodies only in traced packages and in packages
// with feature gates.
type loader struct {
	fset   *token.FileSet
	target build.Context
	vendor string
	// bodies has the import paths of the traced packages.
	bodies map[string]bool
	loaded map[string]*loadedPackage // by folder
}

type loadedPackage struct {
	path  string
	types *types.Package
	info  *types.Info // nil if bodies were left out
	files []*ast.File
}

func newLoader(vendor string) *loader {
	target := build.Default
	target.CgoEnabled = false
	return &loader{fset: token.NewFileSet(), target: target, vendor: vendor, bodies: map[string]bool{}, loaded: map[string]*loadedPackage{}}
}

func (l *loader) traced() []string { return slices.Sorted(maps.Keys(l.bodies)) }

// load type-checks the package with an import path. from is the folder of the file that
// imports it. Source that does not compile with this Go is not an error; the type
// information lacks unresolved names.
func (l *loader) load(path, from string) (*loadedPackage, error) {
	dir, err := l.find(path, from)
	if err != nil {
		return nil, err
	}
	if known := l.loaded[dir]; known != nil {
		return known, nil
	}
	p := &loadedPackage{path: path}
	l.loaded[dir] = p // valid source has no import cycle, but a broken tree must not hang
	if p.files, err = l.parse(dir); err != nil {
		return nil, err
	}
	if l.isRead(path) {
		p.info = &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
			Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{},
		}
	}
	config := types.Config{
		Importer: importerFrom{l}, IgnoreFuncBodies: !l.isRead(path), FakeImportC: true,
		Sizes: types.SizesFor("gc", runtime.GOARCH), Error: func(error) {},
	}
	p.types, _ = config.Check(path, l.fset, p.files, p.info)
	return p, nil
}

// isRead reports whether a package's function bodies are checked.
func (l *loader) isRead(path string) bool { return l.bodies[path] || holdsGates(path) }

// find returns the folder of a package. The Go installation has a vendor folder of
// its own.
func (l *loader) find(path, from string) (string, error) {
	std := filepath.Join(runtimeRoot(), "src")
	folders := []string{l.vendor, std}
	if strings.HasPrefix(from, std) {
		folders = []string{std, filepath.Join(std, "vendor")}
	}
	for _, folder := range folders {
		dir := filepath.Join(folder, filepath.FromSlash(path))
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir, nil
		}
	}
	return "", fmt.Errorf("package %q is neither in %s nor in the Go installation", path, l.vendor)
}

func runtimeRoot() string { return build.Default.GOROOT }

func (l *loader) parse(dir string) ([]*ast.File, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		if match, err := l.target.MatchFile(dir, e.Name()); err != nil || !match {
			continue
		}
		file, err := parser.ParseFile(l.fset, filepath.Join(dir, e.Name()), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"C"` }) {
			files = append(files, file)
		}
	}
	return files, nil
}

// importerFrom makes a loader a types.ImporterFrom.
type importerFrom struct{ *loader }

func (i importerFrom) Import(path string) (*types.Package, error) {
	return i.ImportFrom(path, i.vendor, 0)
}

func (i importerFrom) ImportFrom(path, dir string, _ types.ImportMode) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	p, err := i.load(path, dir)
	if err != nil {
		return nil, err
	}
	if p.types == nil {
		return nil, fmt.Errorf("package %q imports itself", path)
	}
	return p.types, nil
}
