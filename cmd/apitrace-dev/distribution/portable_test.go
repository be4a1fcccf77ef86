package distribution

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// TestEveryPlatformHasATwin checks the names that files for all platforms use. A package
// that declares such a name on one platform must declare it on every platform of a
// release: a file for one system needs a twin for the others. The test compares names
// only; TestSlowTypesOnMacOS checks types.
func TestEveryPlatformHasATwin(t *testing.T) {
	checked := 0
	for _, folder := range goFolders(t) {
		declared, files := map[string][]platform{}, map[string]int{} // platforms by declared name, and number of platforms by file
		for _, p := range released {
			for _, path := range filesOn(t, filepath.Join(root, folder), p) {
				files[path]++
				for _, name := range declarations(parse(t, path)) {
					checked++
					if !slices.Contains(declared[name], p) {
						declared[name] = append(declared[name], p)
					}
				}
			}
		}
		for path, on := range files {
			if on < len(released) {
				continue
			}
			for name := range used(parse(t, path)) {
				if on := declared[name]; on != nil && len(on) < len(released) {
					t.Errorf("%s uses %s, which exists only on %v: declare it in a file for the other platforms, too", path, name, on)
				}
			}
		}
	}
	if checked < 10_000 {
		t.Errorf("%d declarations found, expected at least 10,000 in the whole module", checked)
	}
}

// filesOn returns the paths of the Go files in a folder, with tests, that are built on a
// platform.
func filesOn(t *testing.T, folder string, p platform) (paths []string) {
	t.Helper()
	context := build.Default
	context.GOOS, context.GOARCH, context.CgoEnabled = p.OS, p.Arch, false
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if match, err := context.MatchFile(folder, e.Name()); err == nil && match && strings.HasSuffix(e.Name(), ".go") {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	return paths
}

// used returns the names in a file that may refer to declarations of its package. A name
// that may be a method begins with a dot.
func used(f *ast.File) map[string]bool {
	names, selected := map[string]bool{}, map[*ast.Ident]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			selected[n.Sel] = true
			names["."+n.Sel.Name] = true
		case *ast.FuncDecl:
			selected[n.Name] = true
		case *ast.Ident:
			if !selected[n] {
				names[n.Name] = true
			}
		}
		return true
	})
	return names
}

func parse(t *testing.T, path string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// declarations returns the names that a file declares for its package. The name of a
// method begins with a dot.
func declarations(f *ast.File) (names []string) {
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			name := decl.Name.Name
			if decl.Recv != nil {
				name = "." + name
			}
			names = append(names, name)
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, spec.Name.Name)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}

// linuxOnly are folders that only Linux has.
var linuxOnly = []string{"/proc", "/sys"}

// worksWithout are the files that use a folder of linuxOnly, but also work without it. The
// text says what the code does without the folder.
var worksWithout = map[string]string{
	"e2e/commands/jaeger_test.go":    "does not check the memory of a process",
	"e2e/load/bench_test.go":         "says that the load of the machine is unknown",
	"instrument/probe/clock.go":      "uses the system's clock instead of the processor's counter",
	"internal/program/answers.go":    "uses the path of the executable instead of /proc/self/exe",
	"internal/program/child_test.go": "takes a zombie for a running process",
	"session/session_test.go":        "takes a zombie for a running process",
}

// TestLinuxFoldersStayOnLinux checks that only files for Linux name /proc or /sys.
// Tests may name them, if they are skipped on systems without these folders.
func TestLinuxFoldersStayOnLinux(t *testing.T) {
	found := map[string]bool{}
	for _, folder := range goFolders(t) {
		files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			names, skips := linuxFolders(parse(t, path))
			name := filepath.ToSlash(filepath.Join(folder, filepath.Base(path)))
			if len(names) == 0 || strings.HasSuffix(name, "_linux.go") || name == "cmd/apitrace-dev/distribution/portable_test.go" {
				continue
			}
			found[name] = true
			if isTest := strings.HasSuffix(name, "_test.go"); (!isTest || !skips) && worksWithout[name] == "" {
				t.Errorf("%s names %q, which macOS lacks: use a function with a twin for each system, or skip the test", name, names)
			}
		}
	}
	for name := range worksWithout {
		if !found[name] {
			t.Errorf("%s does not name a folder of linuxOnly: remove the file from worksWithout", name)
		}
	}
}

// linuxFolders returns the string literals in a file that begin with a folder of
// linuxOnly. skips reports whether the file skips tests.
func linuxFolders(f *ast.File) (names []string, skips bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			skips = skips || n.Sel.Name == "Skip" || n.Sel.Name == "Skipf"
		case *ast.BasicLit:
			text, err := strconv.Unquote(n.Value)
			if err == nil && slices.ContainsFunc(linuxOnly, func(folder string) bool { return text == folder || strings.HasPrefix(text, folder+"/") }) {
				names = append(names, text)
			}
		}
		return true
	})
	return names, skips
}

// goFolders lists the folders of the module with Go code, except testdata folders.
func goFolders(t *testing.T) (folders []string) {
	t.Helper()
	list := exec.Command("go", "list", "-f", "{{.Dir}}", "./...")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for dir := range strings.FieldsSeq(string(out)) {
		folder, err := filepath.Rel(top, dir)
		if err != nil {
			t.Fatal(err)
		}
		folders = append(folders, folder)
	}
	return folders
}

// TestSlowTypesOnMacOS checks the types of all packages and tests for macOS: all names of
// the system's packages that they use must exist there. It reads the sources, because the
// tests of another system cannot be linked here.
func TestSlowTypesOnMacOS(t *testing.T) {
	testenv.Slow(t)
	var others []string
	for _, name := range []string{"GOMODCACHE", "GOROOT"} {
		folder, err := goEnv(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		others = append(others, folder)
	}
	loaded, err := packages.Load(&packages.Config{
		Mode:  packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesSizes,
		Dir:   root,
		Tests: true,
		Env:   append(os.Environ(), "GOOS=darwin", "GOARCH=arm64", "CGO_ENABLED=0", "GOFLAGS="),
		// For packages outside of the module, declarations without function bodies
		// suffice.
		ParseFile: func(set *token.FileSet, name string, text []byte) (*ast.File, error) {
			f, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
			if f != nil && slices.ContainsFunc(others, func(folder string) bool { return strings.HasPrefix(name, folder) }) {
				for _, decl := range f.Decls {
					if f, ok := decl.(*ast.FuncDecl); ok && f.Name.Name != "init" {
						f.Body = nil
					}
				}
			}
			return f, err
		},
	}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	if len(loaded) < 100 {
		t.Errorf("%d packages loaded, expected all of the module and their tests", len(loaded))
	}
	for _, p := range loaded {
		for _, err := range p.Errors {
			t.Error(err)
		}
	}
}
