package instrument

import (
	"go/token"
	"path/filepath"
	"slices"
	"testing"
)

// TestLeaf checks the rule for leaves. Each function is a case. The name of each leaf
// begins with "leaf".
func TestLeaf(t *testing.T) {
	file := filepath.Join(t.TempDir(), "leaf.go")
	writeFile(t, file, `package p

import ("errors"; "fmt"; "strings")

type T struct{ n int; err error; f func(); items []string }
type kind string

func leafAccessor(t *T) int { return t.n }
func leafEmpty() {}
func leafBuiltins(t *T) []string { t.items = append(t.items, "x"); _ = len(t.items); return make([]string, cap(t.items)) }
func leafConversions(t *T) kind { _ = []byte("x"); _ = (*T)(nil); _ = string(kind("x")); _ = interface{}(t); return kind("x") }
func leafControl(t *T) int { for i := range 10 { if i == t.n { return i } }; panic("not found") }
func leafChannel(c chan int) int { select { case x := <-c: return x; default: return 0 } }

func typeAsParameter(kind func(int) int) int { return kind(1) }
func typeAsVariable(t *T) string { kind := t.f; kind(); return "" }
func typeAsRange(fs []func()) { for _, kind := range fs { kind() } }
func (kind T) builtinAsResult(b bool) (len func() int) { if b { len() }; return }
func wrapper(t *T) int { return leafAccessor(t) }
func method(t *T) string { return t.err.Error() }
func field(t *T) { t.f() }
func library() error { return errors.New("x") }
func literal() func() { return func() {} }
func starts() { go leafEmpty() }
func defers() { defer leafEmpty() }
func otherType(s string) strings.Builder { _ = fmt.Stringer(nil); return strings.Builder{} } // a conversion, but only types tell it from a call
func max(a, b int) int { return a + wrapper(&T{}) }
func shadowed() int { return max(1, 2) }
`)
	fset := token.NewFileSet()
	f, err := parseFile(fset, file)
	if err != nil {
		t.Fatal(err)
	}
	names := newPackageNames([]*sourceFile{f})
	var inits int
	for _, fn := range functionsOf(fset, f.ast, "p", &inits, nil) {
		if fn.outer != nil {
			continue
		}
		want := len(fn.name) > 6 && fn.name[2:6] == "leaf"
		if got := names.isLeaf(fn); got != want {
			t.Errorf("%s is a leaf: %v, expected %v", fn.name, got, want)
		}
	}
}

// TestPoolsFill checks that the rewriter leaves out the literals that make a new item for a
// sync.Pool and the literals in them, and no other functions.
func TestPoolsFill(t *testing.T) {
	_, res, err := rewriteOne(t, `package p

import "sync"

type pool struct{ New func() any }

var items = sync.Pool{New: func() any { return func() {} }}
var other = pool{New: func() any { return 1 }}

func use() any {
	local := &sync.Pool{New: func() any { return 1 }}
	return func() any { return local.Get() }
}
`, plainGuide)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range res.Functions {
		names = append(names, f.Name)
	}
	if want := []string{"p.init.func2", "p.use", "p.use.func2"}; !slices.Equal(names, want) {
		t.Errorf("the functions with a span are %v, expected %v", names, want)
	}
}
