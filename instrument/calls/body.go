package calls

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// callsOf lists the calls in a function's text. It leaves out calls in literals,
// because literals are functions of their own.
func (p *packageReader) callsOf(b body) []recordings.SourceCall {
	c := &callFinder{packageReader: p, first: b.line}
	switch node := b.node.(type) {
	case *ast.FuncDecl:
		c.block(node.Body.List, branchVisitor{callFinder: c})
	case *ast.FuncLit:
		c.block(node.Body.List, branchVisitor{callFinder: c})
	}
	return c.calls
}

// A callFinder walks through the text of one function.
type callFinder struct {
	*packageReader
	first int // line of the function
	calls []recordings.SourceCall
}

// A branchVisitor is a visitor for code that runs only in a branch, or with a certain
// value of a feature gate.
type branchVisitor struct {
	*callFinder
	gate string // "" for none
	// deferred is set for a defer statement's call.
	deferred bool
	// branch is the innermost enclosing branch.
	branch recordings.Branch
}

// block walks through statements. If the body of an if statement ends in a jump, the
// statements after it also depend on its condition.
func (c *callFinder) block(list []ast.Stmt, g branchVisitor) {
	for _, stmt := range list {
		ast.Walk(g, stmt)
		if branch, ok := stmt.(*ast.IfStmt); ok && endsInJump(branch.Body) {
			if gate := c.gateIn(branch.Cond); gate != "" {
				g.gate = gate
			}
			g.branch = c.branchAfter(branch, g.branch)
		}
	}
}

func endsInJump(block *ast.BlockStmt) bool {
	if len(block.List) == 0 {
		return false
	}
	switch block.List[len(block.List)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	}
	return false
}

func (g branchVisitor) Visit(node ast.Node) ast.Visitor {
	switch node := node.(type) {
	case *ast.FuncLit:
		return nil // a literal is a function of its own
	case *ast.BlockStmt:
		g.block(node.List, g)
		return nil
	case *ast.IfStmt:
		g.ifElse(node)
		return nil
	case *ast.ForStmt, *ast.RangeStmt:
		g.loop(node)
		return nil
	case *ast.SwitchStmt:
		g.switchCases(node.Init, node.Tag, node.Body)
		return nil
	case *ast.TypeSwitchStmt:
		g.switchCases(node.Init, node.Assign, node.Body)
		return nil
	case *ast.CommClause:
		inside := g
		if node.Comm != nil {
			ast.Walk(g, node.Comm)
			inside.branch = g.branchAt(node.Case, "case "+g.code(node.Comm), recordings.NoThreshold)
		}
		g.block(node.Body, inside)
		return nil
	case *ast.BinaryExpr:
		if node.Op == token.LAND || node.Op == token.LOR {
			g.shortCircuit(node)
			return nil
		}
	case *ast.DeferStmt:
		later := g
		later.deferred = true
		later.call(node.Call)
		ast.Walk(g, node.Call.Fun)
		for _, arg := range node.Call.Args {
			ast.Walk(g, arg)
		}
		return nil
	case *ast.CallExpr:
		g.call(node)
		g.addGateCheck(node)
	case *ast.CompositeLit:
		g.addCreation(node)
	}
	return g
}

func (g branchVisitor) add(pos token.Pos, kind recordings.CallKind, name string) {
	line := g.loader.fset.PositionFor(pos, false).Line - g.first
	g.calls = append(g.calls, recordings.SourceCall{Line: line, Kind: kind, Name: name, Gate: g.gate, Deferred: g.deferred, Branch: g.branch})
}

// call adds a call, unless it is a conversion or calls a built-in function.
func (g branchVisitor) call(node *ast.CallExpr) {
	fun := ast.Unparen(node.Fun)
	if tv, ok := g.pkg.info.Types[fun]; ok && (tv.IsType() || tv.IsBuiltin()) {
		return
	}
	switch x := fun.(type) { // an instance of a generic function
	case *ast.IndexExpr:
		if tv := g.pkg.info.Types[x.Index]; tv.IsType() {
			fun = ast.Unparen(x.X)
		}
	case *ast.IndexListExpr:
		fun = ast.Unparen(x.X)
	}
	// For a call over several lines, the runtime reports the opening bracket's line.
	pos := node.Lparen
	switch fun := fun.(type) {
	case *ast.FuncLit:
		g.add(fun.Pos(), recordings.CallStatic, g.literals[fun])
		return
	case *ast.Ident:
		g.callOf(pos, g.pkg.info.Uses[fun])
		return
	case *ast.SelectorExpr:
		g.callOf(pos, g.pkg.info.Uses[fun.Sel])
		return
	}
	g.add(pos, recordings.CallValue, "")
}

func (g branchVisitor) callOf(pos token.Pos, object types.Object) {
	switch object := object.(type) {
	case *types.Func:
		kind := recordings.CallStatic
		if recv := object.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
			kind = recordings.CallInterface
		}
		g.add(pos, kind, nameOf(object))
	case *types.Var:
		g.add(pos, recordings.CallValue, object.Name())
	default: // source that this Go does not compile
		g.add(pos, recordings.CallValue, "")
	}
}

// addCreation adds the creation of a value if its type has methods and is declared in a
// traced package, except API packages and k8s.io/apimachinery. The methods can run only
// after a value was created.
func (g branchVisitor) addCreation(node *ast.CompositeLit) {
	named, ok := types.Unalias(g.pkg.info.Types[node].Type).(*types.Named)
	if !ok || named.NumMethods() == 0 || named.Obj().Pkg() == nil {
		return
	}
	path := named.Obj().Pkg().Path()
	if g.loader.bodies[path] && !strings.Contains(path, "/apis/") && !strings.HasPrefix(path, "k8s.io/apimachinery/") {
		g.add(node.Lbrace, recordings.CallMakes, path+"."+named.Obj().Name())
	}
}

// addGateCheck adds a check of a feature gate.
func (g branchVisitor) addGateCheck(node *ast.CallExpr) {
	gate := g.enabledGate(node)
	if gate != "" && isFeature(g.pkg.info.Types[node.Args[0]].Type) {
		g.add(node.Lparen, recordings.CallAsks, gate)
	}
}

// nameOf returns the full name of a function or method.
func nameOf(object types.Object) string {
	fn, ok := object.(*types.Func)
	if !ok {
		return object.Name()
	}
	fn = fn.Origin()
	path := ""
	if fn.Pkg() != nil {
		path = fn.Pkg().Path() + "."
	}
	recv := fn.Signature().Recv()
	if recv == nil {
		if fn.Signature().TypeParams().Len() > 0 {
			return path + fn.Name() + "[...]"
		}
		return path + fn.Name()
	}
	typ, pointer := types.Unalias(recv.Type()), false
	if p, ok := typ.(*types.Pointer); ok {
		typ, pointer = types.Unalias(p.Elem()), true
	}
	named, ok := typ.(*types.Named)
	if !ok {
		return path + "interface." + fn.Name()
	}
	name := named.Obj().Name()
	if named.TypeParams().Len() > 0 && !types.IsInterface(named) {
		name += "[...]"
	}
	if pointer {
		name = "(*" + name + ")"
	}
	return path + name + "." + fn.Name()
}

// gateIn returns the feature gate that an expression checks, or "".
func (p *packageReader) gateIn(expr ast.Expr) string {
	gate := ""
	ast.Inspect(expr, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if name := p.enabledGate(node); name != "" {
				gate = name
			}
		case *ast.Ident:
			if object := p.pkg.info.Uses[node]; object != nil {
				if name := p.gateVars[object]; name != "" {
					gate = name
				}
			}
		}
		return gate == ""
	})
	return gate
}

// enabledGate returns the gate of a call such as
// utilfeature.DefaultFeatureGate.Enabled(features.X), or "".
func (p *packageReader) enabledGate(call *ast.CallExpr) string {
	fun, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || fun.Sel.Name != "Enabled" || len(call.Args) != 1 {
		return ""
	}
	value := p.pkg.info.Types[call.Args[0]].Value
	if value == nil || value.Kind() != constant.String {
		return ""
	}
	return constant.StringVal(value)
}

// findGateVars finds a file's variables and fields that store whether a gate is on.
func (p *packageReader) findGateVars(file *ast.File) {
	set := func(to ast.Expr, value ast.Expr) {
		call, ok := ast.Unparen(value).(*ast.CallExpr)
		if !ok {
			return
		}
		gate := p.enabledGate(call)
		if gate == "" {
			return
		}
		var ident *ast.Ident
		switch to := to.(type) {
		case *ast.Ident:
			ident = to
		case *ast.SelectorExpr:
			ident = to.Sel
		default:
			return
		}
		if object := p.pkg.info.ObjectOf(ident); object != nil {
			p.gateVars[object] = gate
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.AssignStmt:
			for i := range min(len(node.Lhs), len(node.Rhs)) {
				set(node.Lhs[i], node.Rhs[i])
			}
		case *ast.ValueSpec:
			for i := range min(len(node.Names), len(node.Values)) {
				set(node.Names[i], node.Values[i])
			}
		case *ast.KeyValueExpr:
			if key, ok := node.Key.(*ast.Ident); ok {
				set(key, node.Value)
			}
		}
		return true
	})
}

// findGateLocals finds a file's local variables with a condition on a feature gate,
// such as cached := resourceVersion == "" && enabled. Such a variable has one
// assignment. The condition may use other such variables.
func (p *packageReader) findGateLocals(file *ast.File) {
	type assignment struct {
		to    types.Object
		value ast.Expr
	}
	var all []assignment
	declared, written := map[types.Object]bool{}, map[types.Object]int{}
	set := func(to, value ast.Expr, declares bool) {
		ident, ok := to.(*ast.Ident)
		if !ok {
			return
		}
		object := p.pkg.info.ObjectOf(ident)
		declared[object] = declared[object] || declares && p.pkg.info.Defs[ident] != nil
		if written[object]++; value != nil {
			all = append(all, assignment{object, value})
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.AssignStmt:
			for i, to := range node.Lhs {
				var value ast.Expr // nil for one of several results
				if len(node.Lhs) == len(node.Rhs) {
					value = node.Rhs[i]
				}
				set(to, value, node.Tok == token.DEFINE)
			}
		case *ast.ValueSpec:
			for i, name := range node.Names {
				if i < len(node.Values) {
					set(name, node.Values[i], true)
				} else {
					declared[p.pkg.info.ObjectOf(name)] = true
				}
			}
		case *ast.UnaryExpr:
			if node.Op == token.AND { // others may write the variable
				set(node.X, nil, false)
			}
		}
		return true
	})
	for _, a := range all {
		if declared[a.to] && written[a.to] == 1 && p.isLocalBool(a.to) && p.gateVars[a.to] == "" {
			if gate := p.gateIn(a.value); gate != "" {
				p.gateVars[a.to] = gate
			}
		}
	}
}

// isLocalBool reports whether an object is a function's boolean variable.
func (p *packageReader) isLocalBool(object types.Object) bool {
	v, ok := object.(*types.Var)
	if !ok || v.IsField() || v.Parent() == p.pkg.types.Scope() {
		return false
	}
	basic, ok := v.Type().Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsBoolean != 0
}
