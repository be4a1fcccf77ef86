package instrument

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// rewriteOne rewrites a package of one file. It returns the changed text, or source if
// the file did not change.
func rewriteOne(t testing.TB, source, guide string) (string, *Result, error) {
	t.Helper()
	dir := t.TempDir()
	vendor := filepath.Join(dir, "vendor")
	// The program lacks the package p/elsewhere, but may have packages below it.
	if err := os.MkdirAll(filepath.Join(vendor, "p", "elsewhere", "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(vendor, "p", "p.go")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	g, err := load(fstest.MapFS{"guide.yaml": {Data: []byte(guide)}})
	if err != nil {
		return "", nil, err
	}
	res, err := Rewrite(Options{Guide: g, Program: "prog", Version: "v1.2.3", Vendor: vendor, Out: t.TempDir()})
	if err != nil {
		return "", nil, err
	}
	changed, ok := res.Overlay[file]
	if !ok {
		return source, res, nil
	}
	text, err := os.ReadFile(changed)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), res, nil
}

const plainGuide = "programs: {prog: {packages: [{path: p}]}}"

func TestRewriteKeepsLines(t *testing.T) {
	source := `// A comment before.

//go:build !never

package p // a comment behind

// F has a comment,
//
//go:noinline
func F() (
	int,
	error,
) { // a comment behind the brace
	return G()
}

func G() (int, error) { return H(func() (int, error) { return 0, nil }) }

//go:nosplit
func noSplit() { F() }

func H(f func() (int, error)) (n int, _ error) {
	/* nothing */ return f()
}

func I() error { return H2() }
func H2() (err error) { F(); return }
`
	text, res, err := rewriteOne(t, source, plainGuide)
	if err != nil {
		t.Fatal(err)
	}
	before, after := strings.Split(source, "\n"), strings.Split(text, "\n")
	if len(before) != len(after) {
		t.Fatalf("the rewriting changed the number of lines from %d to %d:\n%s", len(before), len(after), text)
	}
	for i := range before {
		if !isSubsequence(before[i], after[i]) {
			t.Errorf("line %d: %q became %q, expected only insertions", i+1, before[i], after[i])
		}
	}
	for name, line := range map[string]int{"p.F": 10, "p.G": 17, "p.G.func1": 17, "p.H": 22, "p.I": 26, "p.H2": 27, "p.noSplit": 0} {
		i := slices.IndexFunc(res.Functions, func(f Function) bool { return f.Name == name })
		switch {
		case line == 0 && i >= 0:
			t.Errorf("%s has a span, expected none", name)
		case line != 0 && i < 0:
			t.Errorf("%s has no span, expected one", name)
		case line != 0 && (res.Functions[i].Line != line || res.Functions[i].File != "p/p.go"):
			t.Errorf("%s: %+v, expected line %d", name, res.Functions[i], line)
		}
	}
}

// isSubsequence reports whether long has all characters of short in their order. Blank
// identifiers do not count, because the rewriter replaces blank result names.
func isSubsequence(short, long string) bool {
	short = strings.ReplaceAll(short, "_", "")
	i := 0
	for j := 0; j < len(long) && i < len(short); j++ {
		if short[i] == long[j] {
			i++
		}
	}
	return i == len(short)
}

func TestRewriteErrors(t *testing.T) {
	const source = "package p\n\nfunc F(a int) { G() }\n\nfunc G() { F(1) }\n"
	for name, test := range map[string]struct{ guide, want string }{
		"unknown function": {plainGuide + "\nsteps: [{function: p.Missing}]", `prog v1.2.3 has no function "p.Missing"`},
		"unknown root":     {"programs: {prog: {packages: [{path: p}], roots: [{function: p.(*T).M, traceparent: x}]}}", `prog v1.2.3 has no function "p.(*T).M"`},
		"unknown package":  {"programs: {prog: {packages: [{path: q}]}}", `instrumenting prog v1.2.3: there is no package "q"`},
		"unknown program":  {"programs: {other: {packages: [{path: p}]}}", `no program "prog"`},
		"unknown parameter": {plainGuide + "\nsteps: [{function: p.F, values: [{name: v, at: entry, expr: b}]}]",
			`p.F: value v of prog v1.2.3: expression "b": the function has no parameter "b"`},
		"no expression":     {plainGuide + "\nsteps: [{function: p.F, values: [{name: v, at: entry, expr: 'a +'}]}]", `expression "a +"`},
		"unknown field":     {"program: {}", "field program not found"},
		"unknown moment":    {plainGuide + "\nsteps: [{function: p.F, values: [{name: v, at: noon, expr: a}]}]", `"entry" or "exit"`},
		"unknown span":      {plainGuide + "\nsteps: [{function: p.F, span: maybe}]", `span is "maybe"`},
		"malformed release": {plainGuide + "\nsteps: [{function: p.F, since: '1.30'}]", `since is "1.30"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := rewriteOne(t, source, test.guide)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, expected %q in it", err, test.want)
			}
		})
	}
}

func TestOtherVersionsNeedNotHaveTheFunction(t *testing.T) {
	const source = "package p\n\nfunc F(a int) { G() }\n\nfunc G() { F(1) }\n"
	for _, window := range []string{"since: v1.3", "until: v1.1", "until: v1.2.2"} {
		if _, _, err := rewriteOne(t, source, plainGuide+"\nsteps: [{function: p.Missing, "+window+"}]"); err != nil {
			t.Errorf("%s: got the error %v, expected none", window, err)
		}
	}
	for _, window := range []string{"since: v1.2", "until: v1.2", "since: v1.2.3", "until: v1.2.3"} {
		if _, _, err := rewriteOne(t, source, plainGuide+"\nsteps: [{function: p.Missing, "+window+"}]"); err == nil {
			t.Errorf("%s: got no error, expected one about the missing function", window)
		}
	}
}

// FuzzRewrite gives Go source to the rewriter. If a file parses, its rewritten text must
// parse too, with all functions on the same lines.
func FuzzRewrite(f *testing.F) {
	for _, pattern := range []string{"*.go", "probe/*.go", "testdata/fixture/*/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range files {
			source, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(source))
		}
	}
	f.Fuzz(func(t *testing.T, source string) {
		before := functionLines(source)
		if before == nil {
			t.Skip()
		}
		text, _, err := rewriteOne(t, source, plainGuide)
		if err != nil {
			t.Skip() // a build constraint can exclude the file from the package
		}
		if after := functionLines(text); !slices.Equal(before, after[:min(len(before), len(after))]) {
			t.Errorf("the functions began on the lines %v, and begin on the lines %v after the rewriting:\n%s", before, after, text)
		}
	})
}

// functionLines lists where the functions of a file begin, or nil if it does not parse.
func functionLines(source string) []int {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	lines := []int{}
	ast.Inspect(file, func(n ast.Node) bool {
		if fn, ok := n.(*ast.FuncType); ok && fn.Func.IsValid() {
			lines = append(lines, fset.PositionFor(fn.Func, false).Line)
		}
		return true
	})
	return lines
}

// TestPartialProgram checks that a partial program may lack a package of a step, but not
// a function in a package that it has.
func TestPartialProgram(t *testing.T) {
	const guide = "programs: {prog: {packages: [{path: p, recursive: true}], partial: PARTIAL}}\nsteps: [{function: p/elsewhere.F}, {function: p.STEP}]"
	for _, test := range []struct{ partial, step, missing string }{
		{"true", "F", ""}, {"true", "G", "p.G"}, {"false", "F", "p/elsewhere.F"},
	} {
		_, _, err := rewriteOne(t, "package p\n\nfunc F() { F() }\n", strings.NewReplacer("PARTIAL", test.partial, "STEP", test.step).Replace(guide))
		if test.missing == "" && err != nil || test.missing != "" && (err == nil || !strings.Contains(err.Error(), test.missing)) {
			t.Errorf("%+v: got the error %v, expected one only for a missing function", test, err)
		}
	}
}
