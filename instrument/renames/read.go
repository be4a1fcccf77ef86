// Package renames finds functions and types that were renamed, moved, split or
// removed from one release to the next.
// It compares their texts and callers.
// It parses the sources, but does not type-check them, because dependencies of the
// oldest releases are not available.
// Package lineage defines the types of the results.
package renames

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"hash/fnv"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/trace/lineage"
)

// A Source holds a release's functions and types.
type Source struct {
	Release string
	// Unread are the modules that were not available.
	Unread       []string
	declarations map[key]*declaration
	// callers has the callers of each name.
	// See called for the form of names.
	callers map[string]map[string]bool
	// methods counts the methods with a name, over all types.
	methods map[string]int
	// count counts the functions and types with a name, over all packages.
	count map[string]int
}

type key struct {
	kind lineage.Kind
	name string
}

// A declaration is a function or a type.
type declaration struct {
	key
	file, signature string
	tokens          int
	hash            uint64 // of the text without comments
	shingles        map[uint64]bool
	calls           map[string]bool
	embeds          []string // full names of the types that a struct embeds
}

// Read reads the packages below a folder. A package's path there is its import path.
// Read skips tests, generated code, and files for systems other than Linux.
// unread are modules without source; see Source.Unread.
func Read(release, dir string, unread ...string) (*Source, error) {
	s := &Source{Release: release, Unread: unread, declarations: map[key]*declaration{}, callers: map[string]map[string]bool{}, methods: map[string]int{}, count: map[string]int{}}
	target := build.Default
	target.GOOS, target.GOARCH, target.CgoEnabled = "linux", "amd64", true
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), "_") || d.Name() == "testdata" {
				return filepath.SkipDir
			}
			return nil
		}
		if !isRead(name) {
			return nil
		}
		if match, err := target.MatchFile(filepath.Dir(name), d.Name()); err != nil || !match {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		return s.readFile(name, path.Dir(filepath.ToSlash(rel)))
	})
	if err != nil {
		return nil, fmt.Errorf("reading the names of %s: %w", release, err)
	}
	for _, t := range s.declarations {
		s.count[withoutPackage(t.name)]++
		for called := range t.calls {
			if s.callers[called] == nil {
				s.callers[called] = map[string]bool{}
			}
			s.callers[called][t.name] = true
		}
	}
	return s, nil
}

// isRead reports whether Read reads a file: hand-written Go, not a test.
func isRead(name string) bool {
	base := path.Base(filepath.ToSlash(name))
	return strings.HasSuffix(base, ".go") && !strings.HasSuffix(base, "_test.go") && !strings.HasSuffix(base, ".pb.go") && !strings.HasPrefix(base, "zz_generated") &&
		!strings.HasPrefix(base, "types_swagger_doc")
}

func (s *Source) readFile(name, pkg string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, name, data, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	imports := map[string]string{}
	for _, i := range syntax.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			continue
		}
		local := path.Base(p)
		if i.Name != nil {
			local = i.Name.Name
		}
		imports[local] = p
	}
	f := &fileReader{s, pkg, path.Base(filepath.ToSlash(name)), imports, func(n ast.Node) []byte {
		return data[fset.Position(n.Pos()).Offset:fset.Position(n.End()).Offset]
	}}
	for _, decl := range syntax.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			f.function(decl)
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok {
					f.typ(t)
				}
			}
		}
	}
	return nil
}

type fileReader struct {
	*Source
	pkg, file string
	imports   map[string]string
	text      func(ast.Node) []byte
}

func (f *fileReader) function(decl *ast.FuncDecl) {
	declared := decl.Name.Name
	if decl.Body == nil || declared == "_" || declared == "init" && decl.Recv == nil {
		return
	}
	name := f.pkg + "." + instrument.DeclaredName(decl)
	self := ""
	if decl.Recv != nil {
		f.methods[declared]++
		if names := decl.Recv.List[0].Names; len(names) > 0 {
			self = names[0].Name
		}
	}
	signature := oneLine(f.text(decl.Type.Params))
	if decl.Type.Results != nil {
		signature += " " + oneLine(f.text(decl.Type.Results))
	}
	t := &declaration{key: key{lineage.Function, name}, file: f.file, signature: signature, calls: map[string]bool{}}
	t.setText(f.text(decl.Body), self)
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			for _, c := range f.called(call.Fun) {
				t.calls[c] = true
			}
		}
		return true
	})
	f.declarations[t.key] = t
}

// called returns the names that a call may mean: a function's full name, or a dot and
// a method's name.
func (f *fileReader) called(fun ast.Expr) []string {
	switch fun := fun.(type) {
	case *ast.Ident:
		return []string{f.pkg + "." + fun.Name}
	case *ast.SelectorExpr:
		if x, ok := fun.X.(*ast.Ident); ok && f.imports[x.Name] != "" {
			return []string{f.imports[x.Name] + "." + fun.Sel.Name}
		}
		return []string{"." + fun.Sel.Name}
	case *ast.IndexExpr:
		return f.called(fun.X)
	case *ast.ParenExpr:
		return f.called(fun.X)
	}
	return nil
}

func (f *fileReader) typ(spec *ast.TypeSpec) {
	if spec.Name.Name == "_" {
		return
	}
	t := &declaration{key: key{lineage.Type, f.pkg + "." + spec.Name.Name}, file: f.file}
	var lines []string
	members := func(fields *ast.FieldList, methods bool) {
		for _, field := range fields.List {
			typ := oneLine(f.text(field.Type))
			if len(field.Names) == 0 {
				lines = append(lines, typ)
				t.embeds = append(t.embeds, f.full(field.Type)...)
			}
			for _, n := range field.Names {
				if methods {
					lines = append(lines, n.Name+strings.TrimPrefix(typ, "func"))
				} else {
					lines = append(lines, n.Name+" "+typ)
				}
			}
		}
	}
	switch d := spec.Type.(type) {
	case *ast.StructType:
		lines = append(lines, "struct")
		members(d.Fields, false)
	case *ast.InterfaceType:
		lines = append(lines, "interface")
		members(d.Methods, true)
	default:
		lines = append(lines, oneLine(f.text(spec.Type)))
	}
	// Leave out the fields of an API object: upstream's reference lists them.
	if strings.Contains(f.pkg, "/pkg/apis/") {
		lines = lines[:1]
	}
	t.signature = strings.Join(lines, "\n")
	t.setText(f.text(spec.Type), "")
	f.declarations[t.key] = t
}

// full returns the full name of the type that a struct embeds, or nothing.
func (f *fileReader) full(typ ast.Expr) []string {
	switch typ := typ.(type) {
	case *ast.StarExpr:
		return f.full(typ.X)
	case *ast.Ident:
		return []string{f.pkg + "." + typ.Name}
	case *ast.SelectorExpr:
		if x, ok := typ.X.(*ast.Ident); ok && f.imports[x.Name] != "" {
			return []string{f.imports[x.Name] + "." + typ.Sel.Name}
		}
	}
	return nil
}

// oneLine returns code on one line.
func oneLine(code []byte) string { return strings.Join(strings.Fields(string(code)), " ") }

func hashOf(words ...string) uint64 {
	h := fnv.New64a()
	for _, w := range words {
		h.Write([]byte(w))
		h.Write([]byte{0})
	}
	return h.Sum64()
}
