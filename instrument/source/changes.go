package source

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A Change is a declared function with different text in two versions of a file.
// Comments and layout do not count.
type Change struct {
	// Name is the full name of the function or method, as in trace.Call. Changes in its
	// literals are changes of the function.
	Name string
	// Before and After tell whether the version before and the version after have the
	// function.
	Before, After bool
	// File is the file's path, if the caller of ChangesIn sets it.
	File string
	// Line is the function's line in the version after. If the function was removed, it
	// is the line in the version before.
	Line int
	// New are the calls that the text after has more often than the text before, Gone
	// the calls that it has less often. Both are sorted by their texts.
	New, Gone []Called
}

// A Called is a called function, as far as one file tells.
type Called struct {
	// Text is the expression: "dryrun.IsDryRun", "s.validate".
	Text string
	// Function is the full name; "" for a method or a value. A conversion to
	// another file's type looks like a call of a function.
	Function string
}

// ChangesIn compares two versions of a Go file in the package with import path pkg.
// nil stands for a version without the file. ChangesIn returns the changed
// functions, sorted by name, and whether another declaration changed: a type, a
// variable or an import.
func ChangesIn(pkg string, before, after []byte) (functions []Change, rest bool, err error) {
	a, restA, err := declarations(pkg, before)
	if err != nil {
		return nil, false, err
	}
	b, restB, err := declarations(pkg, after)
	if err != nil {
		return nil, false, err
	}
	names := slices.Concat(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		before, inA := a[name]
		after, inB := b[name]
		if before.text == after.text && inA == inB {
			continue
		}
		change := Change{Name: name, Before: inA, After: inB, Line: after.line, New: addedCalls(after.calls, before.calls), Gone: addedCalls(before.calls, after.calls)}
		if !inB {
			change.Line = before.line
		}
		functions = append(functions, change)
	}
	return functions, restA != restB, nil
}

// addedCalls returns the calls that are more frequent in calls than in others.
func addedCalls(calls, others map[Called]int) (more []Called) {
	for call, n := range calls {
		if n > others[call] {
			more = append(more, call)
		}
	}
	slices.SortFunc(more, func(a, b Called) int { return strings.Compare(a.Text, b.Text) })
	return more
}

// A declaration is the declaration of a function.
type declaration struct {
	text string
	line int
	// calls counts the calls in it.
	calls map[Called]int
}

// declarations returns a file's functions by full name, and the text of all other
// declarations. Several functions with the same name, such as init, count as one.
func declarations(pkg string, data []byte) (functions map[string]declaration, rest string, err error) {
	functions = map[string]declaration{}
	if data == nil {
		return functions, "", nil
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", data, 0)
	if err != nil {
		return nil, "", err
	}
	text := func(node ast.Node) string {
		return tokens(data[fset.PositionFor(node.Pos(), false).Offset:fset.PositionFor(node.End(), false).Offset])
	}
	var others strings.Builder
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok {
			others.WriteString(text(decl) + "\n")
			continue
		}
		name := pkg + "." + receiver(f) + f.Name.Name + typeParameters(f)
		d, another := functions[name]
		if !another {
			d = declaration{line: fset.PositionFor(f.Pos(), false).Line, calls: map[Called]int{}}
		}
		d.text += text(f) + "\n"
		addCalls(d.calls, f, pkg, file.Imports)
		functions[name] = d
	}
	return functions, others.String(), nil
}

// addCalls adds the calls in a function.
func addCalls(calls map[Called]int, f *ast.FuncDecl, pkg string, imports []*ast.ImportSpec) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch called := ast.Unparen(call.Fun).(type) {
		case *ast.Ident:
			isType := called.Obj != nil && called.Obj.Kind == ast.Typ
			if isType || called.Obj == nil && types.Universe.Lookup(called.Name) != nil {
				return true
			}
			c := Called{Text: called.Name}
			if called.Obj == nil || called.Obj.Kind == ast.Fun {
				c.Function = pkg + "." + called.Name
			}
			calls[c]++
		case *ast.SelectorExpr:
			c := Called{Text: types.ExprString(called)}
			if of, ok := called.X.(*ast.Ident); ok && of.Obj == nil {
				if path := imported(imports, of.Name); path != "" {
					c.Function = path + "." + called.Sel.Name
				}
			}
			calls[c]++
		}
		return true
	})
}

// imported returns the path of the package that a file imports under a name, or "".
func imported(imports []*ast.ImportSpec, name string) string {
	for _, spec := range imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		switch {
		case err != nil:
		case spec.Name != nil:
			if spec.Name.Name == name {
				return imported
			}
		case path.Base(imported) == name, majorVersion.MatchString(path.Base(imported)) && path.Base(path.Dir(imported)) == name:
			return imported
		}
	}
	return ""
}

// tokens returns Go source without comments and layout. It also drops a semicolon or
// a comma before a closing bracket, which depends only on a line break.
func tokens(source []byte) string {
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", fset.Base(), len(source)), source, nil, 0) // the source was parsed before, so it has no errors
	var all []string
	for {
		_, tok, literal := s.Scan()
		switch tok {
		case token.EOF:
			return strings.Join(all, " ")
		case token.SEMICOLON:
			literal = ";" // includes the semicolon that a line end implies
		case token.RBRACE, token.RPAREN:
			if last := len(all) - 1; last >= 0 && (all[last] == ";" || all[last] == ",") {
				all = all[:last]
			}
		}
		if literal == "" {
			literal = tok.String()
		}
		all = append(all, literal)
	}
}
