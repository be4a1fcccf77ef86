package source

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// A Function is a function, method or literal with its source.
type Function struct {
	// Name is the full name.
	Name string
	// File is the import path, a slash and the file's name, as in trace.Call.
	File string
	// Path is the file's path on this machine.
	Path string
	// Line is the line of "func". First and Last are the lines of the text, which
	// begins with the doc comment.
	Line, First, Last int
	// Text is the source from First to Last, in whole lines.
	Text string
	// Literals are the function literals in the text.
	Literals []Literal
}

// A Literal is a function literal in a function's text.
type Literal struct {
	// Name is the full name.
	Name string
	// Line is the line of the word "func".
	Line int
}

// Function returns the function with this full name. If there is none, the error
// is a *trace.UnknownFunctionError.
func (t *Tree) Function(name string) (*Function, error) {
	p, err := t.Package(funcname.Package(name))
	if unknown := new(trace.UnknownFunctionError); errors.As(err, &unknown) {
		unknown.Query = name // the function's name, not its package
	}
	if err != nil {
		return nil, err
	}
	return p.Function(name)
}

// A Package is a package of a tree, read once for all its functions. It is not safe
// for concurrent use.
type Package struct {
	tree      *Tree
	functions []instrument.Function
	files     map[string]*file
}

// A file is a parsed file of a package.
type file struct {
	lines  [][]byte // with their line ends
	fset   *token.FileSet
	syntax *ast.File
}

// Package returns the package with this import path. If there is none, the error is a
// *trace.UnknownFunctionError.
func (t *Tree) Package(path string) (*Package, error) {
	functions, err := t.functions(path)
	if err != nil {
		return nil, err
	}
	return &Package{t, functions, map[string]*file{}}, nil
}

// Function is Tree.Function for a function of the package.
func (p *Package) Function(name string) (*Function, error) {
	i := slices.IndexFunc(p.functions, func(f instrument.Function) bool { return f.Name == name })
	if i < 0 {
		return nil, &trace.UnknownFunctionError{Query: name, Where: message.Of("%s", p.tree), Near: p.tree.similarNames(name, p.functions)}
	}
	at := p.functions[i]
	var sameLine []string
	var literals []Literal
	for _, f := range p.functions {
		if f.File == at.File && f.Line == at.Line {
			sameLine = append(sameLine, f.Name)
		}
		if _, end := funcname.SplitLiteral(f.Name); end != "" && strings.HasPrefix(f.Name, name+".") {
			literals = append(literals, Literal{f.Name, f.Line})
		}
	}
	slices.SortFunc(sameLine, InSourceOrder)
	f := &Function{Name: name, File: at.File, Line: at.Line, Literals: literals, Path: filepath.Join(p.tree.Dir, filepath.FromSlash(at.File))}
	if p.files[f.Path] == nil {
		parsed, err := parse(f.Path)
		if err != nil {
			return nil, fmt.Errorf("source of %s: %w", f.Name, err)
		}
		p.files[f.Path] = parsed
	}
	return f, f.read(p.files[f.Path], slices.Index(sameLine, name))
}

func parse(path string) (*file, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, path, data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &file{bytes.SplitAfter(data, []byte("\n")), fset, syntax}, nil
}

// similarNames returns names similar to an unknown name. For a literal, these are the
// existing literals of its function.
func (t *Tree) similarNames(name string, functions []instrument.Function) []string {
	var literals, all []string
	declared, rest := funcname.SplitLiteral(name)
	for _, f := range functions {
		all = append(all, f.Name)
		if of, r := funcname.SplitLiteral(f.Name); of == declared && r != "" {
			literals = append(literals, f.Name)
		}
	}
	if rest != "" && len(literals) > 0 {
		return literals
	}
	return trace.NearFunctions(name, all)
}

// functions lists the functions of a package.
func (t *Tree) functions(pkg string) ([]instrument.Function, error) {
	if _, err := os.Stat(filepath.Join(t.Dir, filepath.FromSlash(pkg))); err != nil {
		return nil, &trace.UnknownFunctionError{Query: pkg, Where: message.Of("%s", t)}
	}
	return instrument.FunctionsIn(t.Dir, pkg)
}

// InSourceOrder compares names of functions that begin in the same line: a function
// before its literals, and literals by number.
func InSourceOrder(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(x, y string) int {
		return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y))
	})
}

// read fills in a function's text. n counts the functions that begin before it in
// the same line.
func (f *Function) read(from *file, n int) error {
	line := func(pos token.Pos) int { return from.fset.PositionFor(pos, false).Line }
	ast.Inspect(from.syntax, func(node ast.Node) bool {
		var typ *ast.FuncType
		doc := token.NoPos
		switch node := node.(type) {
		case *ast.FuncDecl:
			if typ = node.Type; node.Body == nil {
				return true
			}
			if node.Doc != nil {
				doc = node.Doc.Pos()
			}
		case *ast.FuncLit:
			typ = node.Type
		default:
			return true
		}
		if line(typ.Func) == f.Line {
			if n == 0 {
				f.First, f.Last = f.Line, line(node.End())
				if doc.IsValid() {
					f.First = line(doc)
				}
			}
			n--
		}
		return true
	})
	if f.Last == 0 {
		return fmt.Errorf("source of %s: no function begins in %s:%d; the file was changed since", f.Name, f.Path, f.Line)
	}
	f.Text = string(bytes.Join(from.lines[f.First-1:f.Last], nil))
	return nil
}
