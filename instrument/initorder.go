package instrument

import (
	"errors"
	"go/ast"
	"go/token"
	"go/types"
)

// numberGlobals numbers the function literals in the values of a package's variables. The
// compiler counts them in the order of initialisation, which depends on the references in
// all files of the package.
func numberGlobals(fset *token.FileSet, files []*sourceFile) map[*ast.FuncLit]int {
	var values []ast.Node
	for _, f := range files {
		for _, decl := range f.ast.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.VAR {
				continue
			}
			for _, spec := range gen.Specs {
				for _, value := range spec.(*ast.ValueSpec).Values {
					if len(outermostLiterals(value)) > 0 {
						values = append(values, value)
					}
				}
			}
		}
	}
	if len(values) > 1 {
		values = initOrder(fset, files)
	}
	numbers := map[*ast.FuncLit]int{}
	for _, value := range values {
		for _, lit := range outermostLiterals(value) {
			numbers[lit] = len(numbers) + 1
		}
	}
	return numbers
}

// initOrder lists the values of a package's variables in the order of initialisation. The
// order depends only on the package's own names. So initOrder type-checks the package
// without its imports.
func initOrder(fset *token.FileSet, files []*sourceFile) []ast.Node {
	var syntax []*ast.File
	for _, f := range files {
		syntax = append(syntax, f.ast)
	}
	info := &types.Info{}
	config := types.Config{Importer: noImporter{}, Error: func(error) {}, DisableUnusedImportCheck: true}
	_, _ = config.Check("p", fset, syntax, info) // errors are certain: nothing is imported
	var values []ast.Node
	for _, init := range info.InitOrder {
		values = append(values, init.Rhs)
	}
	return values
}

type noImporter struct{}

func (noImporter) Import(string) (*types.Package, error) {
	return nil, errors.New("not imported")
}
