package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
)

// A sourceFile is a parsed file and the changes made to it.
type sourceFile struct {
	name     string // its path in the vendor tree
	fset     *token.FileSet
	ast      *ast.File
	edits    edits
	appended bytes.Buffer // declarations to append after the last line
}

func parseFile(fset *token.FileSet, name string) (*sourceFile, error) {
	src, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return parseText(fset, name, src)
}

// parseText parses src as the text of the named file. Errors name the file.
func parseText(fset *token.FileSet, name string, src []byte) (*sourceFile, error) {
	file, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &sourceFile{name: name, fset: fset, ast: file, edits: edits{old: src}}, nil
}

func (s *sourceFile) offset(pos token.Pos) int { return s.fset.PositionFor(pos, false).Offset }

// text returns the original source of a node.
func (s *sourceFile) text(n ast.Node) string {
	return string(s.edits.old[s.offset(n.Pos()):s.offset(n.End())])
}

func (s *sourceFile) changed() bool { return len(s.edits.list) > 0 }

// rewritten returns the changed text. The probe's import follows the package clause, on
// the same line.
func (s *sourceFile) rewritten() []byte {
	s.edits.insert(s.offset(s.ast.Name.End()), fmt.Sprintf("; import apitraceProbe %q", ProbePath))
	out := s.edits.bytes()
	if s.appended.Len() > 0 {
		out = append(out, '\n')
		out = append(out, s.appended.Bytes()...)
	}
	return out
}

// importOf returns the path of the import that an expression names, or "".
func (s *sourceFile) importOf(x ast.Expr) string {
	name, ok := x.(*ast.Ident)
	if !ok {
		return ""
	}
	for _, imp := range s.ast.Imports {
		if importName(imp) == name.Name {
			path, _ := strconv.Unquote(imp.Path.Value)
			return path
		}
	}
	return ""
}

// usesCgo reports whether the file imports "C". Such a file is not built.
func (s *sourceFile) usesCgo() bool {
	for _, imp := range s.ast.Imports {
		if imp.Path.Value == `"C"` {
			return true
		}
	}
	return false
}

// write puts content into a new file below dir and returns its path.
func write(dir, importPath, base string, content []byte) (string, error) {
	to := filepath.Join(dir, filepath.FromSlash(importPath), base)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return "", err
	}
	return to, os.WriteFile(to, content, 0o600)
}
