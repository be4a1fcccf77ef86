package source

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// A Type is a declared type with its source.
type Type struct {
	// Name is the full name.
	Name string
	// Declaration is the declaration's source, from its comment on. Its Line is the
	// line of the name.
	Declaration *Function
	Interface   bool
	// Methods are the methods declared on the type or its pointer, in the order of
	// their files and lines. An interface also has the methods of embedded
	// interfaces in the tree.
	Methods []Method
}

// A Method is a method of a type.
type Method struct {
	// Name is the full name. A method of an interface is named after the interface
	// that declares it.
	Name string
	// Signature has the parameters and results: "(ctx context.Context) error".
	Signature string
	// File and Line are the place, as in Function.
	File string
	Line int
}

// A Types reads types of a tree, each package once. It does not check types: it
// resolves a package's name only by a file's imports. It is not safe for
// concurrent use.
type Types struct {
	tree     *Tree
	packages map[string]map[string]*declaredType
}

// Types returns a reader of the tree's types.
func (t *Tree) Types() *Types {
	return &Types{tree: t, packages: map[string]map[string]*declaredType{}}
}

// A declaredType is a type in its package's syntax.
type declaredType struct {
	name    string
	spec    *ast.TypeSpec
	within  *ast.GenDecl
	from    *typeFile
	methods []Method
}

// A typeFile is a file with types or methods.
type typeFile struct {
	*file
	// name is the import path, a slash and the file's name. path is on this machine.
	name, path string
	imports    map[string]string
}

func (f *typeFile) line(pos token.Pos) int { return f.fset.PositionFor(pos, false).Line }

// Type returns the type with this full name. If there is none, the error is a
// *trace.UnknownFunctionError.
func (r *Types) Type(name string) (*Type, error) {
	d, err := r.find(name)
	if err != nil {
		return nil, err
	}
	if d == nil {
		return nil, &trace.UnknownFunctionError{Query: name, Where: message.Of("%s", r.tree)}
	}
	t := &Type{Name: name, Methods: d.methods, Declaration: d.source()}
	if _, t.Interface = d.spec.Type.(*ast.InterfaceType); t.Interface {
		t.Methods, err = r.methodsOf(d, map[string]bool{})
	}
	return t, err
}

// source returns the text of a declaration.
func (d *declaredType) source() *Function {
	first, last := d.from.line(d.spec.Pos()), d.from.line(d.spec.End())
	doc := d.spec.Doc
	if !d.within.Lparen.IsValid() {
		first = d.from.line(d.within.Pos())
		doc = d.within.Doc
	}
	if doc != nil {
		first = d.from.line(doc.Pos())
	}
	return &Function{
		Name: d.name, File: d.from.name, Path: d.from.path, Line: d.from.line(d.spec.Name.Pos()), First: first, Last: last,
		Text: string(bytes.Join(d.from.lines[first-1:last], nil)),
	}
}

// methodsOf returns the methods of an interface and its embedded interfaces. seen
// holds the interfaces that were read.
func (r *Types) methodsOf(d *declaredType, seen map[string]bool) ([]Method, error) {
	seen[d.name] = true
	var all []Method
	for _, field := range d.spec.Type.(*ast.InterfaceType).Methods.List {
		for _, name := range field.Names {
			all = append(all, Method{d.name + "." + name.Name, signature(field.Type), d.from.name, d.from.line(name.Pos())})
		}
		if len(field.Names) > 0 {
			continue
		}
		typeName, _ := d.typeName(field.Type)
		embedded, err := r.find(typeName)
		if err != nil {
			return nil, err
		}
		if embedded == nil || seen[typeName] {
			continue
		}
		if _, ok := embedded.spec.Type.(*ast.InterfaceType); !ok {
			continue
		}
		more, err := r.methodsOf(embedded, seen)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// Through returns the chain of embedded types that promotes a method to a struct type, by
// full names, outermost first; the last type declares the method. A "*" precedes a type
// embedded by pointer. The chain is empty if the type declares the method itself, or if
// the tree does not tell where the method comes from.
func (r *Types) Through(typ, method string) ([]string, error) {
	type way struct {
		*declaredType
		through []string
	}
	d, err := r.find(typ)
	if err != nil || d == nil {
		return nil, err
	}
	level := []way{{declaredType: d}}
	seen := map[string]bool{typ: true}
	for len(level) > 0 {
		var next []way
		var found [][]string
		for _, w := range level {
			if has, err := r.declares(w.declaredType, method); err != nil {
				return nil, err
			} else if has {
				found = append(found, w.through)
				continue
			}
			for _, marked := range w.embeds() {
				typeName := strings.TrimPrefix(marked, "*")
				embedded, err := r.find(typeName)
				if err != nil {
					return nil, err
				}
				if embedded != nil && !seen[typeName] {
					seen[typeName] = true
					next = append(next, way{embedded, append(slices.Clone(w.through), marked)})
				}
			}
		}
		if len(found) > 0 {
			if len(found) > 1 {
				return nil, nil // ambiguous: Go compiles no call of the method
			}
			return found[0], nil
		}
		level = next
	}
	return nil, nil
}

// Lacks reports whether a type has no method with this name, declared or by
// embedding. It returns false if the tree lacks the type, or one of its embedded
// types.
func (r *Types) Lacks(typ, method string) (bool, error) {
	return r.lacks(typ, method, map[string]bool{})
}

func (r *Types) lacks(typ, method string, seen map[string]bool) (bool, error) {
	seen[typ] = true
	d, err := r.find(typ)
	if err != nil || d == nil {
		return false, err
	}
	if has, err := r.declares(d, method); err != nil || has {
		return false, err
	}
	var fields *ast.FieldList
	switch t := d.spec.Type.(type) {
	case *ast.StructType:
		fields = t.Fields
	case *ast.InterfaceType:
		fields = t.Methods
	case *ast.Ident, *ast.SelectorExpr:
		return false, nil // it has the methods of that type, if that type is an interface
	default:
		return true, nil
	}
	for _, field := range fields.List {
		embedded, _ := d.typeName(field.Type)
		if len(field.Names) > 0 || seen[embedded] {
			continue
		}
		if lacks, err := r.lacks(embedded, method, seen); err != nil || !lacks {
			return false, err
		}
	}
	return true, nil
}

// declares reports whether a type declares a method. An interface also declares the
// methods of its embedded interfaces.
func (r *Types) declares(d *declaredType, method string) (bool, error) {
	methods := d.methods
	if _, ok := d.spec.Type.(*ast.InterfaceType); ok {
		var err error
		if methods, err = r.methodsOf(d, map[string]bool{}); err != nil {
			return false, err
		}
	}
	return slices.ContainsFunc(methods, func(m Method) bool { return funcname.Last(m.Name) == method }), nil
}

// embeds returns the full names of the types that a struct embeds, with a "*" before
// a pointer.
func (d *declaredType) embeds() []string {
	s, ok := d.spec.Type.(*ast.StructType)
	if !ok {
		return nil
	}
	var all []string
	for _, field := range s.Fields.List {
		if len(field.Names) > 0 {
			continue
		}
		switch typeName, pointer := d.typeName(field.Type); {
		case typeName == "":
		case pointer:
			all = append(all, "*"+typeName)
		default:
			all = append(all, typeName)
		}
	}
	return all
}

// typeName returns the full name of a type in a declaration, and whether x is a pointer
// to the type. The name is "" for a type without a name.
func (d *declaredType) typeName(x ast.Expr) (name string, pointer bool) {
	switch x := x.(type) {
	case *ast.StarExpr:
		name, _ = d.typeName(x.X)
		return name, true
	case *ast.IndexExpr:
		return d.typeName(x.X)
	case *ast.IndexListExpr:
		return d.typeName(x.X)
	case *ast.ParenExpr:
		return d.typeName(x.X)
	case *ast.Ident:
		return funcname.Package(d.name) + "." + x.Name, false
	case *ast.SelectorExpr:
		if pkg, ok := x.X.(*ast.Ident); ok && d.from.imports[pkg.Name] != "" {
			return d.from.imports[pkg.Name] + "." + x.Sel.Name, false
		}
	}
	return "", false
}

// find returns a type's declaration, or nil. For an alias, it returns the declaration of
// the aliased type, if the tree has that type.
func (r *Types) find(name string) (*declaredType, error) {
	for range 8 { // limits chains of aliases
		if name == "" {
			return nil, nil
		}
		pkg := funcname.Package(name)
		declared, err := r.readPackage(pkg)
		if err != nil {
			return nil, err
		}
		d := declared[strings.TrimPrefix(name, pkg+".")]
		if d == nil || !d.spec.Assign.IsValid() {
			return d, nil
		}
		of, _ := d.typeName(d.spec.Type)
		if at, err := r.readPackage(funcname.Package(of)); of == "" || err != nil || at[strings.TrimPrefix(of, funcname.Package(of)+".")] == nil {
			return d, err // the tree does not have the aliased type
		}
		name = of
	}
	return nil, nil
}

// readPackage reads a package's types, as compiled for Linux on amd64. A package
// that the tree lacks has none.
func (r *Types) readPackage(pkg string) (map[string]*declaredType, error) {
	if known, ok := r.packages[pkg]; ok {
		return known, nil
	}
	all := map[string]*declaredType{}
	r.packages[pkg] = all
	dir := filepath.Join(r.tree.Dir, filepath.FromSlash(pkg))
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || pkg == "" {
		return all, nil
	}
	if err != nil {
		return nil, fmt.Errorf("types of %s: %w", pkg, err)
	}
	target := build.Default
	target.GOOS, target.GOARCH, target.CgoEnabled = "linux", "amd64", true
	var functions []*ast.FuncDecl
	var in []*typeFile
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		if match, err := target.MatchFile(dir, e.Name()); err != nil || !match {
			continue
		}
		f, err := readTypeFile(filepath.Join(dir, e.Name()), path.Join(pkg, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("types of %s: %w", pkg, err)
		}
		for _, decl := range f.syntax.Decls {
			switch decl := decl.(type) {
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					if t, ok := spec.(*ast.TypeSpec); ok {
						all[t.Name.Name] = &declaredType{name: pkg + "." + t.Name.Name, spec: t, within: decl, from: f}
					}
				}
			case *ast.FuncDecl:
				functions, in = append(functions, decl), append(in, f)
			}
		}
	}
	for i, decl := range functions {
		name := receiver(decl)
		if d := all[strings.TrimSuffix(strings.Trim(name, "(*)."), funcname.GenericMark)]; name != "" && d != nil {
			d.methods = append(d.methods, Method{pkg + "." + name + decl.Name.Name, signature(decl.Type), in[i].name, in[i].line(decl.Type.Func)})
		}
	}
	return all, nil
}

func readTypeFile(where, name string) (*typeFile, error) {
	parsed, err := parse(where)
	if err != nil {
		return nil, err
	}
	f := &typeFile{parsed, name, where, map[string]string{}}
	for _, i := range parsed.syntax.Imports {
		imported, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			continue
		}
		local := path.Base(imported)
		if i.Name != nil {
			f.imports[i.Name.Name] = imported
			continue
		}
		f.imports[local] = imported
		if above := path.Base(path.Dir(imported)); majorVersion.MatchString(local) && f.imports[above] == "" {
			f.imports[above] = imported
		}
	}
	return f, nil
}

// majorVersion matches the last element of an import path that may not be the package's
// name. In "k8s.io/klog/v2" it is not, in "k8s.io/api/core/v1" it is.
var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// signature returns a function type's parameters and results.
func signature(typ ast.Expr) string { return strings.TrimPrefix(types.ExprString(typ), "func") }
