package source

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace"
)

// A Tree is one program's source: a vendor folder.
type Tree struct {
	// Program and Version are the program and version: "kube-apiserver", "v1.37.1".
	Program, Version string
	// Dir is the folder. A package's files are in Dir/<import path>.
	Dir string
}

func (t *Tree) String() string { return t.Program + " " + t.Version }

// Search returns the full names of the tree's functions that a query means; see
// trace.FindFunctions. It does not check that a literal exists; Function does.
func (t *Tree) Search(query string) ([]string, error) {
	declared, rest := funcname.SplitLiteral(query)
	if name := funcname.Last(declared); name == "init" || initFunction(declared) {
		return t.searchInit(query)
	}
	names, err := t.declared(declared)
	if err != nil {
		return nil, fmt.Errorf("search of %s: %w", t, err)
	}
	found := trace.FindFunctions(declared, names)
	for i := range found {
		found[i] += rest
	}
	return found, nil
}

// initFunction reports whether a name ends in the name of an init function, which has
// a number: "init.0".
func initFunction(name string) bool {
	_, err := strconv.Atoi(funcname.Last(name))
	return err == nil
}

// searchInit finds functions named init. Every package may have some, so the query
// must have the package's full import path.
func (t *Tree) searchInit(query string) ([]string, error) {
	if _, err := os.Stat(filepath.Join(t.Dir, filepath.FromSlash(funcname.Package(query)))); err != nil {
		return nil, nil
	}
	return []string{query}, nil
}

// SearchTypes returns the full names of the tree's types that a query means, like
// trace.FindFunctions for functions.
func (t *Tree) SearchTypes(query string) ([]string, error) {
	names, err := t.declaredBy(query, typesIn)
	if err != nil {
		return nil, fmt.Errorf("search of %s: %w", t, err)
	}
	return trace.FindFunctions(query, names), nil
}

// declared lists the declared functions with the query's last part as their own name, in
// packages that the query may mean.
func (t *Tree) declared(query string) ([]string, error) { return t.declaredBy(query, declaredIn) }

// declaredBy calls read for each file in packages that the query may mean, with the
// query's last part. It lists the names that read returns, with their packages.
func (t *Tree) declaredBy(query string, read func(file string, name []byte) ([]string, error)) ([]string, error) {
	within := ""
	if strings.Contains(query, "/") {
		within = funcname.Package(query)
	}
	called := []byte(funcname.Last(strings.TrimSuffix(trace.MarkTypeParameters(query), funcname.GenericMark)))
	var names []string
	err := filepath.WalkDir(t.Dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		rel, err := filepath.Rel(t.Dir, file)
		if err != nil {
			return err
		}
		pkg := path.Dir(filepath.ToSlash(rel))
		if within != "" && !funcname.HasEnd(pkg, within) {
			return nil
		}
		found, err := read(file, called)
		for _, name := range found {
			names = append(names, pkg+"."+name)
		}
		return err
	})
	return names, err
}

// declaredIn lists a file's functions with this name. It does not parse most files
// without such a function.
func declaredIn(file string, name []byte) ([]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(data, append(bytes.Clone(name), '(')) && !bytes.Contains(data, append(bytes.Clone(name), '[')) {
		return nil, nil
	}
	syntax, err := parser.ParseFile(token.NewFileSet(), file, data, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, decl := range syntax.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Name.Name == string(name) && f.Body != nil {
			names = append(names, receiver(f)+f.Name.Name+typeParameters(f))
		}
	}
	return names, nil
}

// typesIn lists a file's type with this name, if any.
func typesIn(file string, name []byte) ([]string, error) {
	data, err := os.ReadFile(file)
	if err != nil || len(name) == 0 || !bytes.Contains(data, name) || !bytes.Contains(data, []byte("type")) {
		return nil, err
	}
	syntax, err := parser.ParseFile(token.NewFileSet(), file, data, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, decl := range syntax.Decls {
		decl, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range decl.Specs {
			if t, ok := spec.(*ast.TypeSpec); ok && t.Name.Name == string(name) {
				names = append(names, t.Name.Name)
			}
		}
	}
	return names, nil
}

// receiver returns a method's receiver as names of calls have it: "(*store).".
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return ""
	}
	pointer, generic := false, ""
	typ := f.Recv.List[0].Type
	for {
		switch t := typ.(type) {
		case *ast.ParenExpr:
			typ = t.X
		case *ast.StarExpr:
			typ, pointer = t.X, true
		case *ast.IndexExpr:
			typ, generic = t.X, "[...]"
		case *ast.IndexListExpr:
			typ, generic = t.X, "[...]"
		case *ast.Ident:
			if pointer {
				return "(*" + t.Name + generic + ")."
			}
			return t.Name + generic + "."
		default:
			return ""
		}
	}
}

func typeParameters(f *ast.FuncDecl) string {
	if f.Type.TypeParams != nil {
		return "[...]"
	}
	return ""
}
