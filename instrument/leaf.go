package instrument

import (
	"go/ast"
	"go/token"
)

// isLeaf reports whether a function calls nothing. Such a function gets only an
// entrySpan, unless it may wait or the guide says otherwise.
//
// A leaf contains no call, no go or defer statement, and no function literal. Calls of
// built-in functions do not count. Conversions do not count either, if the syntax shows
// that they are conversions. In doubt, a conversion counts as a call.
func (p *packageNames) isLeaf(f *function) bool {
	local := f.localNames()
	leaf := true
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			leaf = false
		case *ast.CallExpr:
			leaf = leaf && p.callsNothing(n.Fun, local)
		}
		return leaf
	})
	return leaf
}

// callsNothing reports whether a call of fun is a conversion or calls a built-in
// function. local has the names that the calling function declares. Such a name may be a
// variable.
func (p *packageNames) callsNothing(fun ast.Expr, local map[string]bool) bool {
	switch fun := fun.(type) {
	case *ast.ParenExpr:
		return p.callsNothing(fun.X, local)
	case *ast.StarExpr:
		return p.callsNothing(fun.X, local) // (*T)(x)
	case *ast.Ident:
		if p.funcs[fun.Name] || local[fun.Name] {
			return false
		}
		return p.types[fun.Name] || predeclared[fun.Name]
	case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType, *ast.StructType:
		return true
	}
	return false
}

// localNames returns the names that the function or an enclosing function declares:
// receivers, parameters, results and variables.
func (f *function) localNames() map[string]bool {
	names := map[string]bool{}
	for ; f != nil; f = f.outer {
		for _, list := range []*ast.FieldList{f.recv, f.typ.Params, f.typ.Results} {
			if list == nil {
				continue
			}
			for _, field := range list.List {
				for _, ident := range field.Names {
					names[ident.Name] = true
				}
			}
		}
		ast.Inspect(f.body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if n.Tok == token.DEFINE {
					addNames(names, n.Lhs...)
				}
			case *ast.RangeStmt:
				if n.Tok == token.DEFINE {
					addNames(names, n.Key, n.Value)
				}
			case *ast.ValueSpec:
				for _, ident := range n.Names {
					names[ident.Name] = true
				}
			}
			return true
		})
	}
	return names
}

func addNames(names map[string]bool, exprs ...ast.Expr) {
	for _, e := range exprs {
		if ident, ok := e.(*ast.Ident); ok {
			names[ident.Name] = true
		}
	}
}

// predeclared holds the built-in functions and types of the language.
var predeclared = map[string]bool{
	"append": true, "cap": true, "clear": true, "close": true, "complex": true, "copy": true,
	"delete": true, "imag": true, "len": true, "make": true, "max": true, "min": true, "new": true,
	"panic": true, "print": true, "println": true, "real": true, "recover": true,

	"any": true, "bool": true, "byte": true, "complex64": true, "complex128": true, "error": true,
	"float32": true, "float64": true, "int": true, "int8": true, "int16": true, "int32": true,
	"int64": true, "rune": true, "string": true, "uint": true, "uint8": true, "uint16": true,
	"uint32": true, "uint64": true, "uintptr": true,
}

// mayWait reports whether a function can wait for another goroutine. Then its duration is
// worth recording. A loop over a channel does not count, because its syntax is the same
// as for a loop over a slice.
func (f *function) mayWait() bool {
	waits := false
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SendStmt, *ast.SelectStmt:
			waits = true
		case *ast.UnaryExpr:
			waits = waits || n.Op == token.ARROW
		}
		return !waits
	})
	return waits
}
