package judge

import (
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/storage"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// TestSlowSentencesAreTrue checks the sentences about every pair of neighbouring releases, and about every pair of
// neighbouring scenarios of each release, against the sources of both releases, which the go command and
// go/types read. It fetches what is not there, and builds nothing.
func TestSlowSentencesAreTrue(t *testing.T) {
	testenv.NeedsServer(t)
	testenv.Slow(t)
	var before recordings.Info
	var was *checked
	judged := 0
	for _, release := range recorded(t) {
		is := check(t, release.K8sVersion)
		is.compareWithIndex(t, release.K8sVersion)
		judged += judgeScenarios(t, release, is, true)
		if was != nil {
			judged += judgePair(t, before, release, was, is, true)
		}
		t.Logf("up to %s: %d sentences", release.K8sVersion, judged)
		before, was = release, is
	}
}

// checked is the type-checked source of the programs of a release.
type checked struct {
	// functions are the calls in the text of each function.
	functions map[function][]call
}

func (c *checked) text(program, name string) ([]call, bool) {
	calls, ok := c.functions[function{program, name}]
	return calls, ok
}

// check reads the traced packages of a release, as the index lists them.
func check(t *testing.T, release string) *checked {
	t.Helper()
	code, err := recordings.CodeOf(release)
	if err != nil || code == nil {
		t.Fatalf("the index has no %s: %v", release, err)
	}
	c := &checked{functions: map[function][]call{}}
	for _, program := range []string{apiserver.Name, sampleserver.Name, storage.Name} {
		paths := map[string]bool{}
		for _, f := range code.Functions(program) {
			paths[funcname.Package(f.Name)] = true
		}
		if len(paths) == 0 {
			continue // a release without a sample server
		}
		src, err := apiserver.SourceOf(context.Background(), program, apiserver.BuildOptions{Version: release})
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := packages.Load(&packages.Config{
			Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
				packages.NeedTypes | packages.NeedTypesInfo | packages.NeedSyntax,
			Dir: filepath.Dir(src.Dir), Env: append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=vendor", "GOWORK=off"),
		}, slices.Sorted(maps.Keys(paths))...)
		if err != nil {
			t.Fatal(err)
		}
		for _, pkg := range loaded {
			c.read(program, pkg)
		}
	}
	return c
}

// read notes the functions that a package declares, and the literals in them.
func (c *checked) read(program string, pkg *packages.Package) {
	inits := 0
	for _, file := range pkg.Syntax {
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil || fn.Name.Name == "_" {
				continue
			}
			full := fullName(pkg.TypesInfo.Defs[fn.Name])
			if fn.Recv == nil && fn.Name.Name == "init" {
				full = fmt.Sprintf("%s.init.%d", pkg.PkgPath, inits)
				inits++
			}
			c.readBody(program, pkg, full, ".func", fn.Body)
		}
	}
}

func (c *checked) readBody(program string, pkg *packages.Package, full, infix string, body *ast.BlockStmt) {
	var calls []call
	literals := 0
	names := map[*ast.FuncLit]string{}
	ast.Inspect(body, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if ok {
			literals++
			names[lit] = fmt.Sprintf("%s%s%d", full, infix, literals)
			c.readBody(program, pkg, names[lit], ".", lit.Body)
		}
		return !ok
	})
	ast.Inspect(body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		if n, ok := n.(*ast.CallExpr); ok {
			if made, ok := resolve(pkg.TypesInfo, n, names); ok {
				calls = append(calls, made)
			}
		}
		return true
	})
	c.functions[function{program, full}] = calls
}

// resolve finds out what a call expression calls; ok is false for conversions and built-in functions.
func resolve(info *types.Info, n *ast.CallExpr, literals map[*ast.FuncLit]string) (_ call, ok bool) {
	fun := ast.Unparen(n.Fun)
	if tv := info.Types[fun]; tv.IsType() || tv.IsBuiltin() {
		return call{}, false
	}
	if x, ok := fun.(*ast.IndexExpr); ok && info.Types[x.Index].IsType() {
		fun = ast.Unparen(x.X)
	}
	if x, ok := fun.(*ast.IndexListExpr); ok {
		fun = ast.Unparen(x.X)
	}
	switch x := fun.(type) {
	case *ast.FuncLit:
		return call{literals[x], true}, true
	case *ast.Ident:
		return callOf(info.Uses[x]), true
	case *ast.SelectorExpr:
		return callOf(info.Uses[x.Sel]), true
	}
	return call{}, true
}

func callOf(object types.Object) call {
	fn, ok := object.(*types.Func)
	if !ok {
		return call{}
	}
	recv := fn.Signature().Recv()
	return call{fullName(fn), recv == nil || !types.IsInterface(recv.Type())}
}

// fullName writes a function's name from what go/types prints: "(*path.T[K]).M" is "path.(*T[...]).M".
func fullName(object types.Object) string {
	fn, ok := object.(*types.Func)
	if !ok {
		return ""
	}
	fn = fn.Origin()
	text := fn.FullName()
	if fn.Signature().Recv() == nil {
		if fn.Signature().TypeParams().Len() > 0 {
			text += "[...]"
		}
		return text
	}
	typ, method, _ := cutLast(text, ").")
	typ = strings.TrimPrefix(typ, "(")
	pointer := strings.HasPrefix(typ, "*")
	typ = strings.TrimPrefix(typ, "*")
	if at := strings.IndexByte(typ, '['); at >= 0 {
		typ = typ[:at] + "[...]"
	}
	dot := strings.LastIndexByte(strings.TrimSuffix(typ, "[...]"), '.')
	if dot < 0 {
		return typ + "." + method // error.Error, and methods of interfaces without a name
	}
	path, own := typ[:dot], typ[dot+1:]
	if pointer {
		own = "(*" + own + ")"
	}
	return path + "." + own + "." + method
}

func cutLast(s, sep string) (before, after string, found bool) {
	at := strings.LastIndex(s, sep)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+len(sep):], true
}

// compareWithIndex demands that the index has the same functions, but for literals outside of functions, and
// the same calls of known functions in each.
func (c *checked) compareWithIndex(t *testing.T, release string) {
	t.Helper()
	of := indexOf(t, release)
	const most = 20
	wrong := 0
	complain := func(format string, args ...any) {
		if wrong++; wrong <= most {
			t.Errorf(release+": "+format, args...)
		}
	}
	for f, calls := range c.functions {
		known, ok := of.text(f.program, f.name)
		if !ok {
			complain("the index has no %s of %s", f.name, f.program)
			continue
		}
		if a, b := static(calls), static(known); !slices.Equal(a, b) {
			complain("%s of %s calls %v; by the index it calls %v", f.name, f.program, a, b)
		}
	}
	code, err := recordings.CodeOf(release)
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range code.Programs() {
		for _, f := range code.Functions(program) {
			_, ok := c.functions[function{program, f.Name}]
			if !ok && f.Spanless != recordings.SpanlessBody && !strings.Contains(f.Name, ".init.func") {
				complain("the index has %s of %s, which is not in the source", f.Name, program)
			}
		}
	}
	t.Logf("%s: %d functions, %d of them other than in the index", release, len(c.functions), wrong)
}

// static are the names of the functions that calls name, sorted, each once.
func static(calls []call) []string {
	var names []string
	for _, c := range calls {
		if c.static && c.name != "" {
			names = append(names, c.name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
