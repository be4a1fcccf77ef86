package newrelease

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/apiserver"
)

// insert adds a release to the list in the source of package apiserver, in order. It
// replaces a release of the same minor version, and returns it as replaced; the default
// release cannot be replaced. If the list already has the release, insert returns source
// unchanged.
func insert(source []byte, version string) (changed []byte, replaced string, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, listFile, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, "", err
	}
	list := releasesOf(file)
	if list == nil {
		return nil, "", fmt.Errorf("%s has no variable \"releases\" with a list of strings: was it renamed?", listFile)
	}
	at := func(p token.Pos) int { return files.Position(p).Offset }
	quoted := []byte(strconv.Quote(version))
	for _, e := range list.Elts {
		known := releaseOf(e)
		switch order := semver.Compare(semver.MajorMinor(known), semver.MajorMinor(version)); {
		case known == version:
			return source, "", nil
		case order == 0 && known == apiserver.DefaultVersion:
			return nil, "", fmt.Errorf("%s is the default release: change DefaultVersion in %s to %s, and run the command again", known, listFile, version)
		case order == 0:
			return slices.Concat(source[:at(e.Pos())], quoted, source[at(e.End()):]), known, nil
		case order > 0:
			return slices.Concat(source[:at(e.Pos())], quoted, []byte(", "), source[at(e.Pos()):]), "", nil
		}
	}
	end := at(list.Elts[len(list.Elts)-1].End())
	return slices.Concat(source[:end], []byte(", "), quoted, source[end:]), "", nil
}

// releasesOf returns the list of releases in a file, or nil.
func releasesOf(file *ast.File) *ast.CompositeLit {
	for _, d := range file.Decls {
		general, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range general.Specs {
			v, ok := s.(*ast.ValueSpec)
			if !ok || v.Names[0].Name != "releases" || len(v.Values) != 1 {
				continue
			}
			if list, ok := v.Values[0].(*ast.CompositeLit); ok && len(list.Elts) > 0 {
				return list
			}
		}
	}
	return nil
}

// releaseOf returns the release of a list element.
func releaseOf(e ast.Expr) string {
	if text, ok := e.(*ast.BasicLit); ok {
		if known, err := strconv.Unquote(text.Value); err == nil {
			return known
		}
	}
	return apiserver.DefaultVersion // the only element that is not a string
}
