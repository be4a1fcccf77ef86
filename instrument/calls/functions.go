package calls

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// readPackage adds the functions of a traced package.
func (r *reader) readPackage(pkg *loadedPackage) {
	p := &packageReader{reader: r, pkg: pkg, literals: map[*ast.FuncLit]string{}, gateVars: map[any]string{}}
	for _, file := range pkg.files {
		p.findGateVars(file)
	}
	for _, file := range pkg.files {
		p.findGateLocals(file)
	}
	for _, file := range pkg.files {
		p.readFile(file)
	}
}

type packageReader struct {
	*reader
	pkg *loadedPackage
	// literals has the names of the package's function literals.
	literals map[*ast.FuncLit]string
	// gateVars has the variables and fields that store whether a gate is on.
	gateVars map[any]string
}

// A body is a function of a file.
type body struct {
	name string
	line int
	node ast.Node // *ast.FuncDecl or *ast.FuncLit
}

func (p *packageReader) readFile(file *ast.File) {
	base := filepath.Base(p.loader.fset.Position(file.Package).Filename)
	lines := p.files[p.pkg.path+"/"+base]
	var bodies []body
	named := map[int]int{} // by line, the number of functions that have been named
	ast.Inspect(file, func(node ast.Node) bool {
		var pos token.Pos
		switch node := node.(type) {
		case *ast.FuncDecl:
			if node.Name.Name == "_" {
				return false
			}
			if node.Body == nil || cannotHaveSpan(node) {
				p.addSpanless(node, base)
				return false
			}
			pos = node.Type.Func
		case *ast.FuncLit:
			pos = node.Type.Func
		default:
			return true
		}
		line := p.loader.fset.PositionFor(pos, false).Line
		if names := lines[line]; named[line] < len(names) {
			name := names[named[line]]
			named[line]++
			if lit, ok := node.(*ast.FuncLit); ok {
				p.literals[lit] = name
			}
			bodies = append(bodies, body{name, line, node})
		}
		return true
	})
	for _, b := range bodies {
		p.functions = append(p.functions, recordings.Source{Name: b.name, File: base, Spanless: p.spanless(b.name), Calls: p.callsOf(b)})
	}
}

// cannotHaveSpan reports whether a directive forbids the rewriter's code.
func cannotHaveSpan(decl *ast.FuncDecl) bool {
	return decl.Doc != nil && slices.ContainsFunc(decl.Doc.List, func(c *ast.Comment) bool {
		directive, _, _ := strings.Cut(c.Text, " ")
		return slices.Contains([]string{"//go:nosplit", "//go:systemstack", "//go:nowritebarrier", "//go:nowritebarrierrec", "//go:norace"}, directive)
	})
}

// addSpanless adds a function that the rewriter does not change.
func (p *packageReader) addSpanless(decl *ast.FuncDecl, base string) {
	fn, ok := p.pkg.info.Defs[decl.Name]
	if !ok || fn == nil {
		return
	}
	why := recordings.SpanlessDirective
	if decl.Body == nil {
		why = recordings.SpanlessBody
	}
	p.functions = append(p.functions, recordings.Source{Name: nameOf(fn), File: base, Spanless: why})
}

// spanless returns Spanned for a function with a span. Another function has none because
// the guide names it.
func (r *reader) spanless(name string) recordings.Spanless {
	if r.spans[name] {
		return recordings.Spanned
	}
	return recordings.SpanlessNamed
}
