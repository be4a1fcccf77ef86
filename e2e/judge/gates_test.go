package judge

import (
	"go/ast"
	"go/constant"
	"go/types"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/semver"
	"golang.org/x/tools/go/packages"
)

// gatePackages lists the packages of a vendor folder with a name for feature gates,
// except the packages in paths.
func gatePackages(t *testing.T, vendor string, paths map[string]bool) (all []string) {
	t.Helper()
	err := filepath.WalkDir(vendor, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") {
			return err
		}
		rel, err := filepath.Rel(vendor, filepath.Dir(file))
		pkg := filepath.ToSlash(rel)
		if namedForGates(pkg) && !paths[pkg] && (len(all) == 0 || all[len(all)-1] != pkg) {
			all = append(all, pkg)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func namedForGates(pkg string) bool {
	base := path.Base(pkg)
	return base == "features" || base == "feature"
}

// readGates reads the gate tables of a package. A table maps gates to specifications.
func (c *checked) readGates(program, release string, pkg *packages.Package) {
	if !namedForGates(pkg.PkgPath) {
		return
	}
	for _, file := range pkg.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			table, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			of, ok := types.Unalias(pkg.TypesInfo.TypeOf(table)).(*types.Map)
			if !ok {
				return true
			}
			if key, ok := types.Unalias(of.Key()).(*types.Named); !ok || key.Obj().Name() != "Feature" {
				return true
			}
			for _, elt := range table.Elts {
				pair, ok := elt.(*ast.KeyValueExpr)
				if !ok {
					continue
				}
				name, spec := pkg.TypesInfo.Types[pair.Key].Value, specIn(pair.Value, release)
				if name == nil || spec == nil {
					continue
				}
				if on := fieldOf(spec, "Default"); on != nil && pkg.TypesInfo.Types[on].Value != nil {
					c.defaults[function{program, constant.StringVal(name)}] = constant.BoolVal(pkg.TypesInfo.Types[on].Value)
				}
			}
			return true
		})
	}
}

// specIn returns the specification for a release. value is one specification, or
// several with versions.
func specIn(value ast.Expr, release string) *ast.CompositeLit {
	lit, ok := value.(*ast.CompositeLit)
	if !ok || fieldOf(lit, "Default") != nil {
		return lit
	}
	var best *ast.CompositeLit
	since := ""
	for _, elt := range lit.Elts {
		spec, ok := elt.(*ast.CompositeLit)
		if !ok {
			continue
		}
		from := "v0.0"
		if call, ok := fieldOf(spec, "Version").(*ast.CallExpr); ok && len(call.Args) == 1 {
			if number, ok := call.Args[0].(*ast.BasicLit); ok {
				text, _ := strconv.Unquote(number.Value)
				from = "v" + text
			}
		}
		if semver.Compare(from, semver.MajorMinor(release)) <= 0 && (best == nil || semver.Compare(from, since) >= 0) {
			best, since = spec, from
		}
	}
	return best
}

func fieldOf(lit *ast.CompositeLit, name string) ast.Expr {
	for _, elt := range lit.Elts {
		if pair, ok := elt.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.Ident); ok && key.Name == name {
				return pair.Value
			}
		}
	}
	return nil
}
