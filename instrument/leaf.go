package instrument

import "go/ast"

// isLeaf is the rule for what gets no span unless the guide says otherwise: a
// function that calls nothing. It neither calls a function nor makes one (a
// literal), nor defers or starts one. Built-in functions are no calls, nor are conversions
// to types that the syntax shows to be types; where that is in doubt, it is a call,
// and the function gets its span.
func (p *packageNames) isLeaf(body *ast.BlockStmt) bool {
	leaf := true
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			leaf = false
		case *ast.CallExpr:
			leaf = leaf && p.callsNothing(n.Fun)
		}
		return leaf
	})
	return leaf
}

// callsNothing tells whether a call of fun is a built-in or a conversion.
func (p *packageNames) callsNothing(fun ast.Expr) bool {
	switch fun := fun.(type) {
	case *ast.ParenExpr:
		return p.callsNothing(fun.X)
	case *ast.StarExpr:
		return p.callsNothing(fun.X) // (*T)(x)
	case *ast.Ident:
		if p.funcs[fun.Name] {
			return false
		}
		return p.types[fun.Name] || predeclared[fun.Name]
	case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType, *ast.StructType:
		return true
	}
	return false
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
