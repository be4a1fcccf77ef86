package witness

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/traced"
)

// A source has the functions of the traced packages of a program.
type source struct {
	program, version, vendor string
	packages                 []string
	// functions has the functions of a file. The key is the import path, a slash and
	// the file's name. A function comes before its literals.
	functions map[string][]function
}

// A function is a function, a method or a function literal with a body.
type function struct {
	// name is the name in traces.
	name string
	// place is the file, and the line of the word "func".
	place      string
	begin, end position
}

type position struct{ line, column int }

func (p position) before(q position) bool {
	return p.line < q.line || p.line == q.line && p.column < q.column
}

func readSource(t *testing.T, guide *instrument.Guide, from *traced.Source) *source {
	t.Helper()
	s := &source{program: from.Program, version: from.Version, vendor: from.Dir, functions: map[string][]function{}}
	s.findPackages(t, guide.Programs[from.Program])
	for _, pkg := range s.packages {
		s.readPackage(t, pkg)
	}
	return s
}

// findPackages lists the packages of the program that the guide traces, without packages
// that have no files.
func (s *source) findPackages(t *testing.T, guide *instrument.ProgramGuide) {
	t.Helper()
	for _, entry := range guide.Packages {
		if !entry.Has(s.version) {
			continue
		}
		top := filepath.Join(s.vendor, filepath.FromSlash(entry.Path))
		err := filepath.WalkDir(top, func(dir string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(s.vendor, dir)
			if err != nil {
				return err
			}
			pkg := filepath.ToSlash(rel)
			if slices.Contains(entry.Except, pkg) || !entry.Recursive && pkg != entry.Path {
				return filepath.SkipDir
			}
			if len(filesOf(t, dir)) > 0 {
				s.packages = append(s.packages, pkg)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(s.packages)
	s.packages = slices.Compact(s.packages)
}

// filesOf lists the files that are compiled into the program.
func filesOf(t *testing.T, dir string) []string {
	t.Helper()
	target := build.Default
	target.CgoEnabled = false
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		ok, err := target.MatchFile(dir, e.Name())
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			files = append(files, e.Name())
		}
	}
	return files
}

// readPackage finds the functions of a package. The rewriter gives their names, in the
// same order. All other facts are read here.
func (s *source) readPackage(t *testing.T, pkg string) {
	t.Helper()
	named, err := instrument.FunctionsIn(s.vendor, pkg)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string][]instrument.Function{}
	for _, f := range named {
		names[f.File] = append(names[f.File], f)
	}
	for _, base := range filesOf(t, filepath.Join(s.vendor, filepath.FromSlash(pkg))) {
		file := path.Join(pkg, base)
		found := bodiesIn(t, filepath.Join(s.vendor, filepath.FromSlash(file)), file)
		if len(found) != len(names[file]) {
			t.Fatalf("%s: found %d functions, but the rewriter has %d names", file, len(found), len(names[file]))
		}
		for i, name := range names[file] {
			if place := fmt.Sprintf("%s:%d", name.File, name.Line); place != found[i].place {
				t.Fatalf("%s: function %d is at %s, but the rewriter has %s at %s", file, i+1, found[i].place, name.Name, place)
			}
			found[i].name = name.Name
		}
		s.functions[file] = found
	}
}

// bodiesIn lists the functions with a body in a file.
func bodiesIn(t *testing.T, path, file string) []function {
	t.Helper()
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	at := func(pos token.Pos) position {
		p := fset.PositionFor(pos, false)
		return position{p.Line, p.Column}
	}
	var found []function
	ast.Inspect(parsed, func(n ast.Node) bool {
		var typ *ast.FuncType
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body == nil || n.Name.Name == "_" {
				return false
			}
			typ, body = n.Type, n.Body
		case *ast.FuncLit:
			typ, body = n.Type, n.Body
		default:
			return true
		}
		found = append(found, function{place: fmt.Sprintf("%s:%d", file, at(typ.Func).line), begin: at(body.Lbrace), end: at(body.Rbrace)})
		return true
	})
	return found
}

// at returns the innermost function with a body that contains a position. It returns
// false if there is none.
func (s *source) at(file string, p position) (function, bool) {
	for _, f := range slices.Backward(s.functions[file]) {
		if !p.before(f.begin) && !f.end.before(p) {
			return f, true
		}
	}
	return function{}, false
}
