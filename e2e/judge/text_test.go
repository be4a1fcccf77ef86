package judge

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A textReader reads the texts of a package's functions.
type textReader struct {
	*checked
	program string
	pkg     *packages.Package
	// gateVars are the variables and fields with values that depend on feature gates.
	gateVars map[types.Object][]string
	// pools are the literals that fill a sync.Pool.
	pools []*ast.FuncLit
	// files caches the contents of files.
	files map[string][]byte
}

// body adds a function, and the literals in it. A literal is a separate function.
func (r *textReader) body(full, infix string, body *ast.BlockStmt) {
	literals := 0
	names := map[*ast.FuncLit]string{}
	ast.Inspect(body, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if ok {
			literals++
			names[lit] = fmt.Sprintf("%s%s%d", full, infix, literals)
			r.body(names[lit], ".", lit.Body)
		}
		return !ok
	})
	calls := r.walk(full, body, names)
	r.functions[function{r.program, full}] = calls
	if slices.ContainsFunc(r.pools, func(lit *ast.FuncLit) bool { return lit.Pos() <= body.Pos() && body.End() <= lit.End() }) {
		r.checked.pools[function{r.program, full}] = true
	}
}

// findPools finds the literals that make a new item for a sync.Pool.
func (r *textReader) findPools(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		pool, ok := n.(*ast.CompositeLit)
		if !ok || fmt.Sprint(r.pkg.TypesInfo.TypeOf(pool)) != "sync.Pool" {
			return true
		}
		for _, element := range pool.Elts {
			if field, ok := element.(*ast.KeyValueExpr); ok {
				if lit, ok := field.Value.(*ast.FuncLit); ok {
					r.pools = append(r.pools, lit)
				}
			}
		}
		return true
	})
}

// walk lists the calls in a text, and adds the functions and types that the text
// mentions.
func (r *textReader) walk(full string, text ast.Node, names map[*ast.FuncLit]string) []call {
	var calls []call
	var above []ast.Node // the nodes from the text down to the current node
	var context func() ([]string, []branch)
	ast.Inspect(text, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return true
		}
		context = func() ([]string, []branch) { return r.around(append(slices.Clone(above), n)) }
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			at := function{r.program, full}
			r.checked.asks[at] = append(r.checked.asks[at], r.askedIn(n)...)
			if made, ok := resolve(r.pkg.TypesInfo, n, names); ok {
				made.gates, made.branches = context()
				calls = append(calls, made)
			}
		case *ast.Ident:
			if fn, ok := r.pkg.TypesInfo.Uses[n].(*types.Func); ok {
				r.mention(fullName(fn), full, context)
			}
		case *ast.CompositeLit:
			if named, ok := types.Unalias(r.pkg.TypesInfo.TypeOf(n)).(*types.Named); ok && named.Obj().Pkg() != nil {
				r.mention(named.Obj().Pkg().Path()+"."+named.Obj().Name(), full, context)
			}
		}
		above = append(above, n)
		return true
	})
	return calls
}

func (r *textReader) mention(name, in string, context func() ([]string, []branch)) {
	gates, _ := context()
	at := function{r.program, name}
	r.mentioned[at] = append(r.mentioned[at], mention{in, gates})
}

// around returns the branches around a node, and the feature gates in their conditions.
// path are the nodes from the function's body down to the node.
func (r *textReader) around(path []ast.Node) (gates []string, branches []branch) {
	depends := func(conds ...ast.Expr) {
		for _, cond := range conds {
			if cond != nil {
				gates = append(gates, r.gatesIn(cond)...)
			}
		}
	}
	add := func(kind string, pos token.Pos, conds []ast.Expr, texts ...string) {
		for i := range texts {
			texts[i] = strings.Join(strings.Fields(texts[i]), "")
		}
		limits := map[string]bool{}
		for _, cond := range conds {
			r.limitsIn(cond, limits)
		}
		branches = append(branches, branch{kind: kind, texts: texts, line: r.pkg.Fset.Position(pos).Line, limits: limits})
	}
	for i := range len(path) - 1 {
		child := path[i+1]
		var list []ast.Stmt
		switch n := path[i].(type) {
		case *ast.IfStmt:
			if child == n.Body || child == n.Else {
				kind := "in"
				if child == n.Else {
					kind = "else"
				}
				depends(n.Cond)
				add(kind, n.If, []ast.Expr{n.Cond}, r.ifTexts(n)...)
			}
		case *ast.BinaryExpr:
			if (n.Op == token.LAND || n.Op == token.LOR) && child == n.Y {
				depends(n.X)
				add("in", n.Pos(), []ast.Expr{n.X}, r.code(n.X)+n.Op.String())
			}
		case *ast.ForStmt:
			if n.Cond != nil && (child == n.Body || child == n.Post) {
				add("in", n.For, []ast.Expr{n.Cond}, "for "+r.code(n.Cond))
			}
		case *ast.RangeStmt:
			if child == n.Body {
				add("loop", n.For, nil, r.code(n.X))
			}
		case *ast.CaseClause:
			if stmt, ok := child.(ast.Stmt); ok && slices.Contains(n.Body, stmt) {
				depends(n.List...)
				var texts []string
				for _, cond := range n.List {
					texts = append(texts, r.code(cond))
				}
				text := "default"
				if len(texts) > 0 {
					text = "case " + strings.Join(texts, ", ")
				}
				add("in", n.Case, n.List, r.switchText(path[i-2])+text)
				list = n.Body
			}
		case *ast.CommClause:
			if stmt, ok := child.(ast.Stmt); ok && slices.Contains(n.Body, stmt) && n.Comm != nil {
				add("in", n.Case, nil, "case "+r.code(n.Comm))
				list = n.Body
			}
		case *ast.BlockStmt:
			list = n.List
		}
		for _, before := range list {
			if before == child {
				break
			}
			if n, ok := before.(*ast.IfStmt); ok && leaves(n.Body) {
				depends(n.Cond)
				add("past", n.If, []ast.Expr{n.Cond}, r.ifTexts(n)...)
			}
		}
	}
	return gates, branches
}

// leaves reports whether a block ends by leaving the function or the loop.
func leaves(block *ast.BlockStmt) bool {
	if len(block.List) == 0 {
		return false
	}
	last := block.List[len(block.List)-1]
	_, returns := last.(*ast.ReturnStmt)
	_, jumps := last.(*ast.BranchStmt)
	return returns || jumps
}

// ifTexts returns the ways in which a sentence can quote an if: with and without the
// statement before its condition.
func (r *textReader) ifTexts(n *ast.IfStmt) []string {
	texts := []string{"if " + r.code(n.Cond)}
	if n.Init != nil {
		texts = append(texts, "if "+r.code(n.Init)+"; "+r.code(n.Cond))
	}
	return texts
}

func (r *textReader) switchText(n ast.Node) string {
	switch n := n.(type) {
	case *ast.SwitchStmt:
		if n.Tag != nil {
			return "switch " + r.code(n.Tag)
		}
	case *ast.TypeSwitchStmt:
		return "switch " + r.code(n.Assign)
	}
	return ""
}

// code returns the text of a node in its file.
func (r *textReader) code(n ast.Node) string {
	from, to := r.pkg.Fset.PositionFor(n.Pos(), false), r.pkg.Fset.PositionFor(n.End(), false)
	if r.files == nil {
		r.files = map[string][]byte{}
	}
	content, ok := r.files[from.Filename]
	if !ok {
		content, _ = os.ReadFile(from.Filename) // without the content, code returns ""
		r.files[from.Filename] = content
	}
	if to.Offset > len(content) {
		return ""
	}
	return string(bytes.TrimSpace(content[from.Offset:to.Offset]))
}

// gatesIn lists the feature gates in an expression.
func (r *textReader) gatesIn(expr ast.Node) (gates []string) {
	ast.Inspect(expr, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			gates = append(gates, r.askedIn(n)...)
		case *ast.Ident:
			gates = append(gates, r.gateVars[r.pkg.TypesInfo.Uses[n]]...)
		}
		return true
	})
	return gates
}

// askedIn returns the feature gate that a call asks for, if there is one.
func (r *textReader) askedIn(n *ast.CallExpr) []string {
	if _, method, ok := strings.Cut(r.code(n.Fun), "."); ok && strings.HasSuffix(method, "Enabled") && len(n.Args) == 1 {
		if value := r.pkg.TypesInfo.Types[n.Args[0]].Value; value != nil && value.Kind() == constant.String {
			return []string{constant.StringVal(value)}
		}
	}
	return nil
}

// findGateVars finds the variables and fields that are set from feature gates.
func (r *textReader) findGateVars(file *ast.File) {
	set := func(to ast.Expr, value ast.Expr) {
		var ident *ast.Ident
		switch to := ast.Unparen(to).(type) {
		case *ast.Ident:
			ident = to
		case *ast.SelectorExpr:
			ident = to.Sel
		}
		if ident == nil {
			return
		}
		if object := r.pkg.TypesInfo.ObjectOf(ident); object != nil && types.Identical(object.Type().Underlying(), types.Typ[types.Bool]) {
			r.gateVars[object] = append(r.gateVars[object], r.gatesIn(value)...)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i := range min(len(n.Lhs), len(n.Rhs)) {
				set(n.Lhs[i], n.Rhs[i])
			}
		case *ast.ValueSpec:
			for i := range min(len(n.Names), len(n.Values)) {
				set(n.Names[i], n.Values[i])
			}
		case *ast.KeyValueExpr:
			set(n.Key, n.Value)
		}
		return true
	})
}

// limitsIn adds the kinds of values in a condition's comparisons to limits.
func (r *textReader) limitsIn(cond ast.Expr, limits map[string]bool) {
	ast.Inspect(cond, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if typ := r.pkg.TypesInfo.TypeOf(n.Fun); typ != nil && strings.HasSuffix(r.code(n.Fun), ".Enabled") && strings.Contains(r.code(n), "V(") {
				limits["verbosity"] = true
			} else if selector, ok := n.Fun.(*ast.SelectorExpr); ok && selector.Sel.Name == "Enabled" && strings.HasSuffix(fmt.Sprint(r.pkg.TypesInfo.TypeOf(selector.X)), "klog/v2.Verbose") {
				limits["verbosity"] = true
			}
		case *ast.BinaryExpr:
			for _, side := range []ast.Expr{n.X, n.Y} {
				if typ := r.pkg.TypesInfo.TypeOf(side); typ != nil && typ.String() == "time.Duration" {
					limits["time"] = true
				}
				if strings.HasPrefix(r.code(side), "len(") {
					limits["size"] = true
				}
			}
		}
		return true
	})
}
