package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
)

// A function is a declared function, a method or a function literal.
type function struct {
	name  string // full name, see Function.Name
	line  int
	typ   *ast.FuncType
	recv  *ast.FieldList // nil except for methods
	body  *ast.BlockStmt
	outer *function // for a literal: the enclosing function, nil at package level
	skip  bool      // cannot be instrumented, see cannotInstrument
	pool  bool      // a sync.Pool calls it when the pool is empty, see poolLiterals

	results []string // see functionRewriter.resultNames
}

// FunctionsIn lists a package's functions with a body, ordered by file and line. It
// includes functions that cannot have a span. vendor is a vendor folder, pkg is the
// import path.
func FunctionsIn(vendor, pkg string) ([]Function, error) {
	fset := token.NewFileSet()
	files, err := parsePackage(fset, filepath.Join(vendor, filepath.FromSlash(pkg)), parseFile)
	if err != nil {
		return nil, fmt.Errorf("functions of package %s: %w", pkg, err)
	}
	var all []Function
	inits, globals := 0, numberGlobals(fset, files)
	for _, f := range files {
		for _, fn := range functionsOf(fset, f.ast, pkg, &inits, globals) {
			all = append(all, Function{fn.name, pkg + "/" + filepath.Base(f.name), fn.line})
		}
	}
	return all, nil
}

// functionsOf lists the functions of a file in source order, with the names that package
// funcname describes.
//
// inits counts the package's init functions so far. globals numbers the literals of the
// package's variables.
func functionsOf(fset *token.FileSet, file *ast.File, path string, inits *int, globals map[*ast.FuncLit]int) []*function {
	c := &collector{fset: fset, pools: poolLiterals(file)}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Body == nil || decl.Name.Name == "_" {
				continue // nothing to put a span into; nothing that could be called
			}
			name := DeclaredName(decl)
			if decl.Recv == nil && decl.Name.Name == "init" {
				name = fmt.Sprintf("init.%d", *inits)
				*inits++
			}
			f := &function{
				name: path + "." + name, line: fset.PositionFor(decl.Type.Func, false).Line,
				typ: decl.Type, recv: decl.Recv, body: decl.Body, skip: cannotInstrument(decl),
			}
			c.found = append(c.found, f)
			c.literals(decl.Body, f, ".func")
		case *ast.GenDecl:
			for _, lit := range outermostLiterals(decl) {
				c.literal(lit, nil, fmt.Sprintf("%s.init.func%d", path, globals[lit]))
			}
		}
	}
	return c.found
}

// cannotInstrument reports whether a directive forbids the inserted code. The inserted
// code may grow the stack.
func cannotInstrument(decl *ast.FuncDecl) bool {
	if decl.Doc == nil {
		return false
	}
	for _, comment := range decl.Doc.List {
		directive, _, _ := strings.Cut(comment.Text, " ")
		switch directive {
		case "//go:nosplit", "//go:systemstack", "//go:nowritebarrier", "//go:nowritebarrierrec", "//go:norace":
			return true
		}
	}
	return false
}

type collector struct {
	fset  *token.FileSet
	pools map[ast.Node]bool
	found []*function
}

// literals collects the function literals of a body. A nested literal is numbered within
// the literal around it.
func (c *collector) literals(body *ast.BlockStmt, outer *function, infix string) {
	for i, lit := range outermostLiterals(body) {
		c.literal(lit, outer, fmt.Sprintf("%s%s%d", outer.name, infix, i+1))
	}
}

func (c *collector) literal(lit *ast.FuncLit, outer *function, name string) {
	f := &function{
		name: name, line: c.fset.PositionFor(lit.Type.Func, false).Line,
		typ: lit.Type, body: lit.Body, outer: outer, skip: outer != nil && outer.skip,
		pool: c.pools[lit] || outer != nil && outer.pool,
	}
	c.found = append(c.found, f)
	c.literals(lit.Body, f, ".")
}

// poolLiterals finds the functions that make a new item for a sync.Pool. The garbage
// collector decides when a pool is empty, so a trace with these functions would differ
// from run to run.
func poolLiterals(file *ast.File) map[ast.Node]bool {
	found := map[ast.Node]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		pool, ok := n.(*ast.CompositeLit)
		if !ok || !isPool(pool.Type) {
			return true
		}
		for _, element := range pool.Elts {
			if field, ok := element.(*ast.KeyValueExpr); ok {
				found[field.Value] = true
			}
		}
		return true
	})
	return found
}

func isPool(typ ast.Expr) bool {
	sel, ok := typ.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Pool" {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "sync"
}

// outermostLiterals lists the function literals below a node in source order, without
// nested literals.
func outermostLiterals(in ast.Node) []*ast.FuncLit {
	var found []*ast.FuncLit
	ast.Inspect(in, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if ok {
			found = append(found, lit)
		}
		return !ok
	})
	return found
}

// DeclaredName returns a function's name without its import path, as traces show it:
// "(*Store).Get".
func DeclaredName(decl *ast.FuncDecl) string {
	own := decl.Name.Name
	if decl.Recv == nil || len(decl.Recv.List) == 0 {
		if decl.Type.TypeParams != nil {
			own += funcname.GenericMark
		}
		return own
	}
	pointer, generic := false, ""
	typ := decl.Recv.List[0].Type
	for {
		switch t := typ.(type) {
		case *ast.ParenExpr:
			typ = t.X
			continue
		case *ast.StarExpr:
			typ, pointer = t.X, true
			continue
		case *ast.IndexExpr:
			typ, generic = t.X, funcname.GenericMark
			continue
		case *ast.IndexListExpr:
			typ, generic = t.X, funcname.GenericMark
			continue
		case *ast.Ident:
			if pointer {
				return "(*" + t.Name + generic + ")." + own
			}
			return t.Name + generic + "." + own
		}
		return own
	}
}

// generic reports whether the function or its receiver has type parameters. For a
// literal, the declared function around it counts.
func (f *function) generic() bool { return strings.Contains(f.name, funcname.GenericMark) }
