package calls

import (
	"bytes"
	"go/ast"
	"go/constant"
	"go/printer"
	"go/token"
	"go/types"
	"strings"
	"unicode/utf8"

	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// maxBranchText limits the kept code of a branch, in characters.
const maxBranchText = 100

// code prints an expression or a statement in one line.
func (c *callFinder) code(node ast.Node) string {
	var out bytes.Buffer
	if err := printer.Fprint(&out, c.loader.fset, node); err != nil {
		return "…"
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

// ifText returns an if statement's code without its body. If that is too long,
// it omits the statement before the condition.
func (c *callFinder) ifText(node *ast.IfStmt) string {
	cond := c.code(node.Cond)
	if node.Init != nil {
		if text := "if " + c.code(node.Init) + "; " + cond; utf8.RuneCountInString(text) <= maxBranchText {
			return text
		}
	}
	return "if " + cond
}

// branchAt returns a branch that begins at pos.
func (c *callFinder) branchAt(pos token.Pos, text string, threshold recordings.Threshold) recordings.Branch {
	if utf8.RuneCountInString(text) > maxBranchText {
		text = strings.TrimRight(string([]rune(text)[:maxBranchText-1]), " ") + "…"
	}
	line := c.loader.fset.PositionFor(pos, false).Line - c.first
	return recordings.Branch{Kind: recordings.BranchIn, Text: text, Line: line, Threshold: threshold}
}

// branchAfter returns the branch of the statements after an if statement with a body that
// ends in a jump. around is the branch of the if statement itself. branchAfter returns
// around if it has a kind other than BranchPast, or if the condition uses a variable err.
func (c *callFinder) branchAfter(node *ast.IfStmt, around recordings.Branch) recordings.Branch {
	isError := false
	ast.Inspect(node.Cond, func(n ast.Node) bool {
		if ident, ok := n.(*ast.Ident); ok && ident.Name == "err" {
			isError = true
		}
		return true
	})
	if isError || around.Kind != recordings.NoBranch && around.Kind != recordings.BranchPast {
		return around
	}
	b := c.branchAt(node.If, c.ifText(node), c.threshold(node.Cond))
	b.Kind = recordings.BranchPast
	return b
}

func (g branchVisitor) ifElse(node *ast.IfStmt) {
	if node.Init != nil {
		ast.Walk(g, node.Init)
	}
	ast.Walk(g, node.Cond)
	inside := g
	if gate := g.gateIn(node.Cond); gate != "" {
		inside.gate = gate
	}
	inside.branch = g.branchAt(node.If, g.ifText(node), g.threshold(node.Cond))
	ast.Walk(inside, node.Body)
	if node.Else != nil {
		inside.branch.Kind = recordings.BranchElse
		ast.Walk(inside, node.Else)
	}
}

// loop walks through a loop. Without a condition it is not a branch.
func (g branchVisitor) loop(node ast.Node) {
	inside := g
	switch node := node.(type) {
	case *ast.RangeStmt:
		for _, expr := range []ast.Expr{node.Key, node.Value, node.X} {
			if expr != nil {
				ast.Walk(g, expr)
			}
		}
		inside.branch = g.branchAt(node.For, "range "+g.code(node.X), recordings.NoThreshold)
		inside.branch.Kind = recordings.BranchLoop
		ast.Walk(inside, node.Body)
	case *ast.ForStmt:
		if node.Init != nil {
			ast.Walk(g, node.Init)
		}
		if node.Cond != nil {
			ast.Walk(g, node.Cond)
			inside.branch = g.branchAt(node.For, "for "+g.code(node.Cond), g.threshold(node.Cond))
		}
		if node.Post != nil {
			ast.Walk(inside, node.Post)
		}
		ast.Walk(inside, node.Body)
	}
}

// switchCases walks through a switch. Each case is a branch. The text of the branch does
// not have the conditions of other cases.
func (g branchVisitor) switchCases(init ast.Stmt, tag ast.Node, body *ast.BlockStmt) {
	if init != nil {
		ast.Walk(g, init)
	}
	head := ""
	switch tag := tag.(type) {
	case nil:
	default:
		ast.Walk(g, tag)
		head = "switch " + g.code(tag) + " "
	}
	for _, stmt := range body.List {
		clause, ok := stmt.(*ast.CaseClause)
		if !ok {
			continue
		}
		inside := g
		text, threshold := "default", recordings.NoThreshold
		var list []string
		for _, cond := range clause.List {
			ast.Walk(g, cond)
			if gate := g.gateIn(cond); gate != "" {
				inside.gate = gate
			}
			if threshold == recordings.NoThreshold {
				threshold = g.threshold(cond)
			}
			list = append(list, g.code(cond))
		}
		if len(list) > 0 {
			text = "case " + strings.Join(list, ", ")
		}
		inside.branch = g.branchAt(clause.Case, head+text, threshold)
		g.block(clause.Body, inside)
	}
}

// shortCircuit walks through && and ||. The right side depends on the left.
func (g branchVisitor) shortCircuit(node *ast.BinaryExpr) {
	ast.Walk(g, node.X)
	right := g
	if gate := g.gateIn(node.X); gate != "" {
		right.gate = gate
	}
	right.branch = g.branchAt(node.Pos(), g.code(node.X)+" "+node.Op.String(), g.threshold(node.X))
	ast.Walk(right, node.Y)
}

// threshold returns the kind of limit in a condition: a duration, a length, the log's
// verbosity, or none.
func (c *callFinder) threshold(cond ast.Expr) recordings.Threshold {
	found := recordings.NoThreshold
	ast.Inspect(cond, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if fun, ok := ast.Unparen(node.Fun).(*ast.SelectorExpr); ok && fun.Sel.Name == "Enabled" && len(node.Args) == 0 && c.isNamed(fun.X, "k8s.io/klog/v2.Verbose") {
				found = recordings.ThresholdVerbosity
			}
		case *ast.BinaryExpr:
			switch node.Op {
			case token.LSS, token.LEQ, token.GTR, token.GEQ:
				if c.isNamed(node.X, "time.Duration") || c.isNamed(node.Y, "time.Duration") {
					found = recordings.ThresholdTime
				} else if c.isLength(node.X) && !c.isSmall(node.Y) || c.isLength(node.Y) && !c.isSmall(node.X) {
					found = recordings.ThresholdSize
				}
			}
		}
		return found == recordings.NoThreshold
	})
	return found
}

func (c *callFinder) isNamed(expr ast.Expr, name string) bool {
	typ := c.pkg.info.Types[expr].Type
	return typ != nil && types.TypeString(typ, nil) == name
}

func (c *callFinder) isLength(expr ast.Expr) bool {
	call, ok := ast.Unparen(expr).(*ast.CallExpr)
	if !ok {
		return false
	}
	name, ok := ast.Unparen(call.Fun).(*ast.Ident)
	return ok && name.Name == "len" && c.pkg.info.Types[call.Fun].IsBuiltin()
}

// isSmall reports whether an expression is a constant of at most 1. A length is
// compared with it only to find out whether there are elements.
func (c *callFinder) isSmall(expr ast.Expr) bool {
	value := c.pkg.info.Types[expr].Value
	if value == nil {
		return false
	}
	n, exact := constant.Int64Val(constant.ToInt(value))
	return exact && n <= 1
}
