package upstream

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
)

// rootTests changes the tests of packages so that each test function begins a trace.
// files are the rewritten files; only packages below the folder source count. The copies
// are below out. The result maps each test file to its changed copy, and the path of each
// added file to its content's path. As in the rewriter, an insertion adds no line.
func rootTests(t *testing.T, source string, files []string, out string) map[string]string {
	t.Helper()
	overlay, seen := map[string]string{}, map[string]bool{}
	for _, file := range files {
		dir := filepath.Dir(file)
		rel, err := filepath.Rel(source, dir)
		if seen[dir] || err != nil || strings.HasPrefix(rel, "..") {
			continue
		}
		seen[dir] = true
		tests, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		if len(tests) == 0 {
			continue
		}
		p := &testPackage{path: filepath.ToSlash(rel)}
		for _, test := range tests {
			if built, err := build.Default.MatchFile(dir, filepath.Base(test)); err != nil || !built {
				continue
			}
			text, err := p.root(test)
			if err != nil {
				t.Fatal(err)
			}
			changed := filepath.Join(out, rel, filepath.Base(test))
			write(t, changed, text)
			overlay[test] = changed
		}
		for name, text := range p.helpers() {
			changed := filepath.Join(out, rel, name)
			write(t, changed, []byte(text))
			overlay[filepath.Join(dir, name)] = changed
		}
	}
	return overlay
}

// A testPackage has the tests in one folder. They may belong to two packages: the
// tested one, and an external one such as p_test.
type testPackage struct {
	path string
	// names are the packages with test functions. main is the package with TestMain, or
	// "".
	names []string
	main  string
}

// An insertion replaces the text between two byte offsets. It deletes nothing if the
// offsets are equal.
type insertion struct {
	at, until int
	text      string
}

// root returns a changed copy of a test file. In it, each test begins a trace, and
// TestMain waits until the probe's findings are read.
func (p *testPackage) root(file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	syntax, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	name := syntax.Name.Name
	if !slices.Contains(p.names, name) {
		p.names = append(p.names, name)
	}
	function := p.path
	if strings.HasSuffix(name, "_test") {
		function += "_test"
	}
	offset := func(at token.Pos) int { return set.Position(at).Offset }
	var inserted []insertion
	var sites strings.Builder
	for _, d := range syntax.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || f.Body == nil {
			continue
		}
		body := offset(f.Body.Lbrace) + 1
		switch {
		case f.Name.Name == "TestMain":
			p.main = name
			inserted = append(inserted, insertion{body, body, "defer apitraceDone(); "})
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && isExit(call) {
					inserted = append(inserted, insertion{offset(call.Fun.Pos()), offset(call.Fun.End()), "apitraceExit"})
					sites.WriteString("; var _ = os.Exit") // otherwise the import is unused
				}
				return true
			})
		case isTest(f):
			site := "apitraceSite" + f.Name.Name
			fmt.Fprintf(&sites, "; var %s = apitraceProbe.Site{Function: %q, File: %q, Line: %d}", site, function+"."+f.Name.Name,
				path.Join(p.path, filepath.Base(file)), set.Position(f.Pos()).Line)
			inserted = append(inserted, insertion{body, body, "if apitraceCall := apitraceProbe.Root(apitraceProbe.Labels(), &" + site + ", apitraceTraceparent()); apitraceCall != nil { defer apitraceCall.Exit(nil) }; "})
		}
	}
	if strings.Contains(sites.String(), "apitraceProbe") {
		end := offset(syntax.Name.End())
		inserted = append(inserted, insertion{end, end, "; import apitraceProbe " + strconv.Quote(instrument.ProbePath)})
	}
	slices.SortStableFunc(inserted, func(a, b insertion) int { return a.at - b.at })
	var changed bytes.Buffer
	last := 0
	for _, i := range inserted {
		changed.Write(text[last:i.at])
		changed.WriteString(i.text)
		last = i.until
	}
	changed.Write(text[last:])
	changed.WriteString("\n" + strings.TrimPrefix(sites.String(), "; ") + "\n")
	return changed.Bytes(), nil
}

func isTest(f *ast.FuncDecl) bool {
	return strings.HasPrefix(f.Name.Name, "Test") && len(f.Type.Params.List) == 1 && f.Type.TypeParams == nil && f.Type.Results == nil && isPointerToT(f.Type.Params.List[0].Type)
}

func isPointerToT(e ast.Expr) bool {
	star, ok := e.(*ast.StarExpr)
	if !ok {
		return false
	}
	sel, ok := star.X.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "T"
}

// isExit reports whether a call is os.Exit.
func isExit(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Exit" {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == "os"
}

// helpers returns the files to add. The keys are their names.
func (p *testPackage) helpers() map[string]string {
	files := map[string]string{}
	for i, name := range p.names {
		text := "package " + name + "\n" + strings.ReplaceAll(helper, "NUMBER", strconv.Itoa(i+1))
		if p.main == "" && i == 0 {
			text = strings.Replace(text, "import (", "import (\n\tapitraceTesting \"testing\"", 1) + helperMain
			p.main = name
		}
		files[fmt.Sprintf("apitrace_%d_test.go", i)] = text
	}
	return files
}

// helper is the source of the functions that changed tests call. Each test has its own
// trace.
const helper = `
import (
	apitraceFmt "fmt"
	apitraceIO "io"
	apitraceNet "net"
	apitraceOS "os"
	apitraceAtomic "sync/atomic"
)

var apitraceTests apitraceAtomic.Int64

func apitraceTraceparent() string {
	if apitraceOS.Getenv("` + doneEnv + `") == "" {
		return ""
	}
	return apitraceFmt.Sprintf("00-%016x%016x-00000000000000aa-01", NUMBER, apitraceTests.Add(1))
}

func apitraceExit(code int) {
	apitraceDone()
	apitraceOS.Exit(code)
}

// apitraceDone waits until the probe's findings are read.
func apitraceDone() {
	if conn, err := apitraceNet.Dial("unix", apitraceOS.Getenv("` + doneEnv + `")); err == nil {
		_, _ = apitraceIO.Copy(apitraceIO.Discard, conn)
	}
}
`

const helperMain = `
func TestMain(m *apitraceTesting.M) {
	apitraceExit(m.Run())
}
`
