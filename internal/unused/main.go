// Command unused lists exported names that no other package of the module uses, and fails if there are any but those
// in the file allowed.txt next to it, or if that file has a name that is used.
//
// Packages and tests count as users, except those of the package that declares the name. A name that is part of
// the declaration of a used one is used, and so are a method with which its type satisfies an interface, and
// a constant of a used type or that is declared together with a used one. A struct type with a json tag is used, too.
// The command does not look at fields, at methods of types that are not exported, and at instrument/probe, whose calls
// the rewriter inserts.
package main

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// allowed has a line for each name that stays although nobody uses it: the name, a space, the reason.
//
//go:embed allowed.txt
var allowed string

func main() {
	names, err := unused(".", "./...")
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	reasons := map[string]bool{}
	for line := range strings.Lines(allowed) {
		if name, reason, _ := strings.Cut(strings.TrimSpace(line), " "); name != "" && reason != "" {
			reasons[name] = true
		}
	}
	wrong := 0
	for _, name := range names {
		if !reasons[name.key] {
			wrong++
			fmt.Printf("%s: %s is exported, and no other package uses it\n", name.at, name.key)
		}
		delete(reasons, name.key)
	}
	for name := range reasons {
		wrong++
		fmt.Printf("internal/unused/allowed.txt: %s is used, or there is no such name: remove the line\n", name)
	}
	if wrong > 0 {
		os.Exit(1)
	}
}

// An exported is an exported name of the module.
type exported struct {
	key    string
	at     token.Position
	object types.Object
	// group is the declaration of a constant, with others.
	group *ast.GenDecl
}

// unused loads the packages below a folder and lists the names.
func unused(dir string, patterns ...string) ([]exported, error) {
	loaded, err := packages.Load(&packages.Config{
		Mode:  packages.NeedName | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps | packages.NeedModule,
		Dir:   dir,
		Tests: true,
	}, patterns...)
	if err != nil {
		return nil, err
	}
	if packages.PrintErrors(loaded) > 0 {
		return nil, fmt.Errorf("the packages do not compile")
	}
	all, used := map[string]exported{}, map[string]bool{}
	var interfaces []*types.Interface
	packages.Visit(loaded, nil, func(p *packages.Package) { interfaces = append(interfaces, interfacesOf(p.Types)...) })
	for _, p := range loaded {
		for _, object := range p.TypesInfo.Uses {
			if key := keyOf(object); key != "" && pathOf(object.Pkg()) != pathOf(p.Types) {
				used[key] = true
			}
		}
		if p.ID == p.PkgPath && p.Name != "main" && !strings.HasSuffix(p.PkgPath, "instrument/probe") { // not the variant for a test
			declared(p, all)
		}
	}
	spread(all, used)
	var names []exported
	for key, e := range all {
		if !used[key] && !isDocument(e.object) && !satisfies(e.object, interfaces) {
			names = append(names, e)
		}
	}
	slices.SortFunc(names, func(a, b exported) int { return strings.Compare(a.key, b.key) })
	return names, nil
}

// isDocument reports whether an object is a struct type with a json tag: programs outside of the module read what it
// becomes, and the description of the REST API names it.
func isDocument(object types.Object) bool {
	if _, ok := object.(*types.TypeName); !ok {
		return false
	}
	s, ok := object.Type().Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range s.NumFields() {
		if _, ok := reflect.StructTag(s.Tag(i)).Lookup("json"); ok {
			return true
		}
	}
	return false
}

// pathOf is the path of a package without what tells its test from it.
func pathOf(p *types.Package) string {
	if p == nil {
		return ""
	}
	return strings.TrimSuffix(p.Path(), "_test")
}

// keyOf names a function, type, variable, constant or method of a package, the same in all variants of the package;
// "" for anything else.
func keyOf(object types.Object) string {
	if object.Pkg() == nil || !object.Exported() {
		return ""
	}
	if f, ok := object.(*types.Func); ok {
		f = f.Origin()
		if receiver := f.Signature().Recv(); receiver != nil {
			t := receiver.Type()
			if pointer, ok := t.(*types.Pointer); ok {
				t = pointer.Elem()
			}
			named, ok := t.(*types.Named)
			if !ok || !named.Obj().Exported() {
				return ""
			}
			return pathOf(object.Pkg()) + "." + named.Obj().Name() + "." + f.Name()
		}
	}
	if object.Parent() != object.Pkg().Scope() {
		return ""
	}
	return pathOf(object.Pkg()) + "." + object.Name()
}

// declared adds the exported names that a package declares.
func declared(p *packages.Package, all map[string]exported) {
	groups := map[types.Object]*ast.GenDecl{}
	for _, file := range p.Syntax {
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
				for _, spec := range g.Specs {
					for _, name := range spec.(*ast.ValueSpec).Names {
						groups[p.TypesInfo.Defs[name]] = g
					}
				}
			}
		}
	}
	add := func(object types.Object) {
		if key := keyOf(object); key != "" {
			all[key] = exported{key, p.Fset.Position(object.Pos()), object, groups[object]}
		}
	}
	for _, name := range p.Types.Scope().Names() {
		object := p.Types.Scope().Lookup(name)
		add(object)
		named, ok := object.Type().(*types.Named)
		if _, isType := object.(*types.TypeName); !ok || !isType || types.IsInterface(named) {
			continue
		}
		for method := range named.Methods() {
			add(method)
		}
	}
}

// spread marks what the declarations of used names name, and the other constants of a declaration.
func spread(all map[string]exported, used map[string]bool) {
	groups := map[*ast.GenDecl]bool{}
	var mark func(types.Type, map[types.Type]bool)
	todo := []string{}
	use := func(object types.Object) {
		if key := keyOf(object); key != "" && !used[key] {
			used[key] = true
			todo = append(todo, key)
		}
	}
	mark = func(t types.Type, seen map[types.Type]bool) {
		if seen[t] {
			return
		}
		seen[t] = true
		switch t := t.(type) {
		case *types.Named:
			use(t.Obj())
			for argument := range t.TypeArgs().Types() {
				mark(argument, seen)
			}
		case *types.Alias:
			use(t.Obj())
			mark(t.Rhs(), seen)
		case *types.Signature:
			mark(t.Params(), seen)
			mark(t.Results(), seen)
		case *types.Tuple:
			for v := range t.Variables() {
				mark(v.Type(), seen)
			}
		case *types.Struct:
			for field := range t.Fields() {
				if field.Exported() {
					mark(field.Type(), seen)
				}
			}
		case *types.Interface:
			for method := range t.Methods() {
				mark(method.Type(), seen)
			}
		case *types.Map:
			mark(t.Key(), seen)
			mark(t.Elem(), seen)
		case interface{ Elem() types.Type }:
			mark(t.Elem(), seen)
		}
	}
	for key := range used {
		todo = append(todo, key)
	}
	for len(todo) > 0 {
		e, ok := all[todo[0]]
		todo = todo[1:]
		if !ok {
			continue
		}
		if e.group != nil {
			groups[e.group] = true
		}
		seen := map[types.Type]bool{}
		if _, isType := e.object.(*types.TypeName); isType {
			mark(e.object.Type().Underlying(), seen)
		} else {
			mark(e.object.Type(), seen)
		}
	}
	for key, e := range all {
		if _, isConstant := e.object.(*types.Const); !isConstant {
			continue
		}
		named, ok := e.object.Type().(*types.Named)
		if groups[e.group] || ok && used[keyOf(named.Obj())] {
			used[key] = true
		}
	}
}

// interfacesOf lists the interfaces with methods that a package declares.
func interfacesOf(p *types.Package) []*types.Interface {
	var all []*types.Interface
	for _, name := range p.Scope().Names() {
		named, ok := p.Scope().Lookup(name).Type().(*types.Named)
		if !ok || named.TypeParams().Len() > 0 {
			continue
		}
		if i, ok := named.Underlying().(*types.Interface); ok && i.NumMethods() > 0 {
			all = append(all, i)
		}
	}
	return all
}

// satisfies tells whether a type needs the method for an interface. What package errors looks for by method alone is
// one, too.
func satisfies(object types.Object, interfaces []*types.Interface) bool {
	f, ok := object.(*types.Func)
	if !ok || f.Signature().Recv() == nil {
		return false
	}
	if slices.Contains([]string{"Error", "Is", "As", "Unwrap"}, f.Name()) {
		return true
	}
	receiver := f.Signature().Recv().Type()
	for _, i := range interfaces {
		for method := range i.Methods() {
			if method.Name() == f.Name() && (types.Implements(receiver, i) || types.Implements(types.NewPointer(receiver), i)) {
				return true
			}
		}
	}
	return false
}
