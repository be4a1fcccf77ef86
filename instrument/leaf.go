package instrument

import (
	"go/ast"
	"go/token"
)

// isLeaf is the rule for what gets only an entrySpan unless the guide says otherwise: a
// function that calls nothing. It neither calls a function nor makes one (a
// literal), nor defers or starts one. Built-in functions are no calls, nor are conversions
// to types that the syntax shows to be types; where that is in doubt, it is a call,
// and the function gets its span.
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

// callsNothing tells whether a call of fun is a built-in or a conversion. A name that
// is declared in the function may be a variable, whatever it is outside.
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

// localNames are the names that the function, or one that it stands in, declares:
// receivers, parameters, results, variables.
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

// predeclared are the built-in functions and types of the language.
var predeclared = map[string]bool{
	"append": true, "cap": true, "clear": true, "close": true, "complex": true, "copy": true,
	"delete": true, "imag": true, "len": true, "make": true, "max": true, "min": true, "new": true,
	"panic": true, "print": true, "println": true, "real": true, "recover": true,

	"any": true, "bool": true, "byte": true, "complex64": true, "complex128": true, "error": true,
	"float32": true, "float64": true, "int": true, "int8": true, "int16": true, "int32": true,
	"int64": true, "rune": true, "string": true, "uint": true, "uint8": true, "uint16": true,
	"uint32": true, "uint64": true, "uintptr": true,
}

// mayWait tells whether a function can wait for another goroutine: how long it takes is then worth knowing, whatever it calls.
// A loop over a channel cannot be told from one over a list here.
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
