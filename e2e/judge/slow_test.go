package judge

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
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

// TestSlowSentencesAreTrue checks the sentences about the two newest releases, and
// about every pair of neighbouring scenarios of each. It checks them against the
// sources of both releases, which the go command and go/types read. It downloads
// missing sources, and builds nothing.
func TestSlowSentencesAreTrue(t *testing.T) {
	testenv.NeedsServer(t)
	testenv.Slow(t)
	releases := recorded(t)
	judgeReleases(t, releases[:len(releases)-2], releases[len(releases)-2:])
}

// TestNightlySentencesAreTrue checks the sentences about all pairs of neighbouring
// releases.
func TestNightlySentencesAreTrue(t *testing.T) {
	testenv.NeedsServer(t)
	testenv.Nightly(t)
	judgeReleases(t, nil, recorded(t))
}

// TestNightlySentencesOfFarReleasesAreTrue checks the sentences about releases that are
// far apart. Most functions have different names or places in two such releases.
func TestNightlySentencesOfFarReleasesAreTrue(t *testing.T) {
	testenv.NeedsServer(t)
	testenv.Nightly(t)
	releases := recorded(t)
	last := releases[len(releases)-1]
	is := check(t, last.K8sVersion)
	for _, minor := range []string{"v1.16.", "v1.26."} {
		at := slices.IndexFunc(releases, func(r recordings.Info) bool { return strings.HasPrefix(r.K8sVersion, minor) })
		if at < 0 {
			t.Fatalf("no recording of %s", minor)
		}
		was := check(t, releases[at].K8sVersion)
		tables := []table{{releases[at].K8sVersion, gatesOnly(was.defaults)}}
		for _, between := range releases[at+1 : len(releases)-1] {
			tables = append(tables, table{between.K8sVersion, indexOf(t, between.K8sVersion).gate})
		}
		tables = append(tables, table{last.K8sVersion, gatesOnly(is.defaults)})
		t.Logf("%s and %s: %d sentences", releases[at].K8sVersion, last.K8sVersion, judgePair(t, releases[at], last, was, is, tables, true))
	}
}

// judgeReleases judges successive releases. From earlier releases it only reads the
// feature gates in the index.
func judgeReleases(t *testing.T, earlier, releases []recordings.Info) {
	var before recordings.Info
	var was *checked
	var tables []table
	for _, release := range earlier {
		tables = append(tables, table{release.K8sVersion, indexOf(t, release.K8sVersion).gate})
	}
	judged := 0
	histories := newPast()
	for _, release := range releases {
		is := check(t, release.K8sVersion)
		histories.add(t, release, is)
		is.compareWithIndex(t, release.K8sVersion)
		tables = append(tables, table{release.K8sVersion, gatesOnly(is.defaults)})
		judged += judgeScenarios(t, release, is, true)
		if was != nil {
			judged += judgePair(t, before, release, was, is, tables, true)
		}
		t.Logf("up to %s: %d sentences", release.K8sVersion, judged)
		before, was = release, is
	}
	const nth = 7 // only every 7th function, so that this takes about a minute
	t.Logf("the histories of %d functions", histories.judge(t, nth))
}

// checked is the type-checked source of the programs of a release.
type checked struct {
	// functions has the calls in the text of each function.
	functions map[function][]call
	// mentioned has the places in traced packages that name a function or make a value
	// of a type.
	mentioned map[function][]mention
	// defaults says of each feature gate whether it is on by default.
	defaults map[function]bool
	// asks has the feature gates that the text of each function asks for.
	asks map[function][]string
	// pools are the literals that fill a sync.Pool, and the literals in them. apitrace
	// does not trace them.
	pools map[function]bool
}

func gatesOnly(defaults map[function]bool) func(program, name string) (on, known bool) {
	return func(program, name string) (on, known bool) {
		on, known = defaults[function{program, name}]
		return on, known
	}
}

func (c *checked) gate(program, name string) (on, known bool) {
	return gatesOnly(c.defaults)(program, name)
}

// programs lists the programs that are type-checked. Those beside kube-apiserver would take as
// long again.
func (c *checked) programs() []string {
	return []string{apiserver.Name, sampleserver.Name, storage.Name}
}

func (c *checked) asked(program, name string) []string { return c.asks[function{program, name}] }

func (c *checked) mentions(program, name string) []mention {
	return c.mentioned[function{program, name}]
}

func (c *checked) text(program, name string) ([]call, bool) {
	calls, ok := c.functions[function{program, name}]
	return calls, ok
}

// check reads and type-checks the traced packages of a release. The index lists the
// packages.
func check(t *testing.T, release string) *checked {
	t.Helper()
	code, err := recordings.CodeOf(release)
	if err != nil || code == nil {
		t.Fatalf("the index has no %s: %v", release, err)
	}
	c := &checked{functions: map[function][]call{}, mentioned: map[function][]mention{}, defaults: map[function]bool{}, asks: map[function][]string{}, pools: map[function]bool{}}
	for _, program := range c.programs() {
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
			ParseFile: bodiesOf(src.Dir, paths), Dir: filepath.Dir(src.Dir), Env: append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=vendor", "GOWORK=off"),
		}, append(slices.Sorted(maps.Keys(paths)), gatePackages(t, src.Dir, paths)...)...)
		if err != nil {
			t.Fatal(err)
		}
		for _, pkg := range loaded {
			if paths[pkg.PkgPath] {
				c.read(program, pkg)
			}
			c.readGates(program, release, pkg)
		}
	}
	return c
}

// bodiesOf returns a parser that leaves out function bodies. Declarations are enough to
// type-check the importers of a package. The parser keeps bodies in the packages of a
// vendor folder with these paths, and in packages with a name for feature gates.
func bodiesOf(vendor string, paths map[string]bool) func(*token.FileSet, string, []byte) (*ast.File, error) {
	return func(fset *token.FileSet, name string, content []byte) (*ast.File, error) {
		file, err := parser.ParseFile(fset, name, content, parser.AllErrors|parser.SkipObjectResolution)
		rel, relErr := filepath.Rel(vendor, filepath.Dir(name))
		if file == nil || relErr != nil || paths[filepath.ToSlash(rel)] || namedForGates(rel) {
			return file, err
		}
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				fn.Body = nil
			}
		}
		return file, err
	}
}

// read adds the functions of a package, and the literals in its functions and variables.
func (c *checked) read(program string, pkg *packages.Package) {
	r := &textReader{checked: c, program: program, pkg: pkg, gateVars: map[types.Object][]string{}}
	for _, file := range pkg.Syntax {
		r.findGateVars(file)
		r.findPools(file)
	}
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
			r.body(full, ".func", fn.Body)
		}
	}
	literals := 0
	for _, variable := range pkg.TypesInfo.InitOrder { // the compiler numbers the literals in this order
		ast.Inspect(variable.Rhs, func(n ast.Node) bool {
			lit, ok := n.(*ast.FuncLit)
			if ok {
				literals++
				r.body(fmt.Sprintf("%s.init.func%d", pkg.PkgPath, literals), ".", lit.Body)
			}
			return !ok
		})
		if slices.ContainsFunc(variable.Lhs, func(v *types.Var) bool { return v.Name() != "_" }) { // otherwise the variable only asserts a type
			r.walk("", variable.Rhs, nil)
		}
	}
}

// resolve returns the call of a call expression. ok is false for conversions and
// built-in functions.
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
		return call{name: literals[x], static: true}, true
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
	return call{name: fullName(fn), static: recv == nil || !types.IsInterface(recv.Type())}
}

// fullName returns a function's name as in traces. go/types has "(*path.T[K]).M" for
// "path.(*T[...]).M".
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

// compareWithIndex checks that the index has the same functions, and in each function
// the same calls of known functions.
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
		if !ok && c.pools[f] {
			continue
		}
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
	for _, program := range c.programs() {
		for _, f := range code.Functions(program) {
			_, ok := c.functions[function{program, f.Name}]
			if !ok && f.Spanless != recordings.SpanlessBody {
				complain("the index has %s of %s, which is not in the source", f.Name, program)
			}
		}
	}
	t.Logf("%s: %d functions; %d differences from the index", release, len(c.functions), wrong)
}

// static returns the names of the functions of static calls, sorted and each once.
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
