package calls

import (
	"go/ast"
	"go/constant"
	"go/types"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"
)

// holdsGates reports whether a package may have a table of feature gates.
func holdsGates(path string) bool {
	return strings.HasSuffix(path, "/features") || strings.HasSuffix(path, "/feature")
}

// gates returns whether each feature gate is on by default in the program's release,
// from upstream's own tables.
func (r *reader) gates() (map[string]bool, error) {
	all := map[string]bool{}
	err := filepath.WalkDir(r.tree.Dir, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(r.tree.Dir, dir)
		if err != nil || !holdsGates("/"+filepath.ToSlash(rel)) {
			return err
		}
		pkg, err := r.loader.load(filepath.ToSlash(rel), r.tree.Dir)
		if err != nil || pkg.info == nil {
			return err
		}
		for _, file := range pkg.files {
			ast.Inspect(file, func(node ast.Node) bool {
				if table, ok := node.(*ast.CompositeLit); ok {
					r.readGates(pkg, table, all)
				}
				return true
			})
		}
		return nil
	})
	return all, err
}

// readGates reads a map from gates to their specifications.
func (r *reader) readGates(pkg *loadedPackage, table *ast.CompositeLit, all map[string]bool) {
	for _, elt := range table.Elts {
		entry, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			return
		}
		key := pkg.info.Types[entry.Key]
		spec, isSpec := entry.Value.(*ast.CompositeLit)
		if !isSpec || key.Value == nil || key.Value.Kind() != constant.String || !isFeature(key.Type) {
			continue
		}
		if on, known := r.defaultOf(pkg, spec); known {
			all[constant.StringVal(key.Value)] = on
		}
	}
}

// isFeature reports whether a type is the type of feature gates.
func isFeature(t types.Type) bool { return t != nil && strings.HasSuffix(t.String(), ".Feature") }

// defaultOf reads the default from a gate's specification. The specification has one
// default, or several, each since a release. Of several, the last one up to this release
// counts.
func (r *reader) defaultOf(pkg *loadedPackage, spec *ast.CompositeLit) (on, known bool) {
	for _, elt := range spec.Elts {
		switch elt := elt.(type) {
		case *ast.KeyValueExpr:
			if key, ok := elt.Key.(*ast.Ident); ok && key.Name == "Default" {
				if value := pkg.info.Types[elt.Value].Value; value != nil && value.Kind() == constant.Bool {
					return constant.BoolVal(value), true
				}
			}
		case *ast.CompositeLit:
			if since := sinceOf(elt); since == "" || semver.Compare(since, semver.MajorMinor(r.release())) <= 0 {
				if value, ok := r.defaultOf(pkg, elt); ok {
					on, known = value, true
				}
			}
		}
	}
	return on, known
}

// release returns the tree's version as the guide and the feature gates number
// it. The sample server's v0.37.1 is Kubernetes v1.37.1.
func (r *reader) release() string {
	if minor, ok := strings.CutPrefix(r.tree.Version, "v0."); ok {
		return "v1." + minor
	}
	return r.tree.Version
}

// sinceOf returns the release of a versioned specification: version.MustParse("1.30").
func sinceOf(spec *ast.CompositeLit) string {
	for _, elt := range spec.Elts {
		pair, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key, _ := pair.Key.(*ast.Ident)
		call, isCall := pair.Value.(*ast.CallExpr)
		if key == nil || key.Name != "Version" || !isCall || len(call.Args) != 1 {
			continue
		}
		if text, ok := call.Args[0].(*ast.BasicLit); ok {
			since, _ := strconv.Unquote(text.Value)
			return "v" + path.Clean(since)
		}
	}
	return ""
}
