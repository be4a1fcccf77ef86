package source

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"slices"
	"strings"
)

// A Change is a declared function whose text differs between two versions of a file, comments and layout aside.
type Change struct {
	// Name is the full name, as in trace.Call, of the function or method: its literals are a part of it.
	Name string
	// Before and After tell which versions have it.
	Before, After bool
}

// ChangesIn compares two versions of a Go file of a package, given by its import path; nil stands for a version that
// does not have the file. It returns the functions that changed, sorted by name, and whether another declaration
// changed: a type, a variable or an import.
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
		textA, inA := a[name]
		textB, inB := b[name]
		if textA != textB || inA != inB {
			functions = append(functions, Change{name, inA, inB})
		}
	}
	return functions, restA != restB, nil
}

// declarations returns the texts of the functions of a file by their full names, and the text of everything else.
// Several functions of one name, such as init, are one.
func declarations(pkg string, data []byte) (functions map[string]string, rest string, err error) {
	functions = map[string]string{}
	if data == nil {
		return functions, "", nil
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", data, parser.SkipObjectResolution)
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
		functions[pkg+"."+receiver(f)+f.Name.Name+typeParameters(f)] += text(f) + "\n"
	}
	return functions, others.String(), nil
}

// tokens returns a source without its comments and its layout. Before a closing bracket a new line demands a semicolon
// or a comma, so none counts there.
func tokens(source []byte) string {
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", fset.Base(), len(source)), source, nil, 0) // what was parsed has no errors
	var all []string
	for {
		_, tok, literal := s.Scan()
		switch tok {
		case token.EOF:
			return strings.Join(all, " ")
		case token.SEMICOLON:
			literal = ";" // also the one at the end of a line
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
