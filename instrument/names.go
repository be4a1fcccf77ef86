package instrument

import (
	"go/ast"
	"path"
	"strconv"
)

// packageNames holds the names that a package declares at its top level, by kind.
type packageNames struct {
	funcs, types, values map[string]bool
	generated            int // counts the functions that the rewriter adds
}

func newPackageNames(files []*sourceFile) *packageNames {
	p := &packageNames{funcs: map[string]bool{}, types: map[string]bool{}, values: map[string]bool{}}
	for _, f := range files {
		for _, decl := range f.ast.Decls {
			p.add(decl)
		}
	}
	return p
}

func (p *packageNames) add(decl ast.Decl) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Recv == nil {
			p.funcs[decl.Name.Name] = true
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				p.types[spec.Name.Name] = true
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					p.values[name.Name] = true
				}
			}
		}
	}
}

// declares reports whether a name has a meaning at the top level of the file.
func (p *packageNames) declares(name string, file *ast.File) bool {
	if p.funcs[name] || p.types[name] || p.values[name] || predeclared[name] || constants[name] || name == "apitraceProbe" {
		return true
	}
	for _, imp := range file.Imports {
		if importName(imp) == name {
			return true
		}
	}
	return false
}

var constants = map[string]bool{"true": true, "false": true, "nil": true}

// importName returns an import's name in a file. If the import states no name, importName
// guesses it from the path.
func importName(imp *ast.ImportSpec) string {
	if imp.Name != nil {
		return imp.Name.Name
	}
	p, _ := strconv.Unquote(imp.Path.Value)
	base := path.Base(p)
	if len(base) > 1 && base[0] == 'v' && base[1] >= '0' && base[1] <= '9' {
		return path.Base(path.Dir(p))
	}
	return base
}
