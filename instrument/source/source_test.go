package source

import (
	"bytes"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

func shop(t *testing.T) *Tree {
	t.Helper()
	dir, err := filepath.Abs("testdata/vendor")
	if err != nil {
		t.Fatal(err)
	}
	return &Tree{Program: "shop", Version: "v1.2.3", Dir: dir}
}

func TestSearch(t *testing.T) {
	const cart, stock = "example.org/shop/cart.", "example.org/shop/stock."
	for query, want := range map[string][]string{
		"example.org/shop/cart.(*Cart).Add": {cart + "(*Cart).Add"},
		"cart.(*Cart).Add":                  {cart + "(*Cart).Add"},
		"(*Cart).Add":                       {cart + "(*Cart).Add"},
		"Cart.Add":                          {cart + "(*Cart).Add"},
		"Cart.Add.func1":                    {cart + "(*Cart).Add.func1"},
		"shop/cart.(*Cart).Add.func2.1":     {cart + "(*Cart).Add.func2.1"},
		"List.Add":                          {cart + "(*List[...]).Add"},
		"(*List[...]).Add":                  {cart + "(*List[...]).Add"},
		"(*List[T]).Add":                    {cart + "(*List[...]).Add"},
		"cart.Map":                          {cart + "Map[...]"},
		"cart.Map[...]":                     {cart + "Map[...]"},
		"cart.Map[K, pkg.V[int]]":           {cart + "Map[...]"},
		"stock.Add":                         {stock + "Add"},
		"Add":                               {cart + "(*Cart).Add", cart + "(*List[...]).Add", stock + "Add"},
		"art.Add":                           nil,
		"other/cart.Map":                    nil,
		"":                                  nil,
		"example.org/shop/cart.init.0":      {cart + "init.0"},
		"example.org/shop/none.init.0":      nil,
	} {
		got, err := shop(t).Search(query)
		if err != nil || len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, error %v; want %q", query, got, err, want)
		}
	}
}

// TestAt asks for the functions of lines: of a method, of the literals in it, and of none.
func TestAt(t *testing.T) {
	const file = "example.org/shop/cart/cart.go"
	for line, want := range map[int]string{9: "", 11: "(*Cart).Add", 13: "(*Cart).Add.func1", 15: "(*Cart).Add.func2.1", 16: "(*Cart).Add.func2", 18: "(*Cart).Add", 22: "", 23: "Cart.Len", 29: "(*List[...]).Add", 1000: ""} {
		f, err := shop(t).At(file, line)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if f != nil {
			got = strings.TrimPrefix(f.Name, "example.org/shop/cart.")
		}
		if got != want {
			t.Errorf("line %d is in %q, expected %q", line, got, want)
		}
	}
	if _, err := shop(t).At("example.org/shop/none/none.go", 1); err == nil {
		t.Error("a file that does not exist: expected an error")
	}
}

func TestSearchTypes(t *testing.T) {
	for query, want := range map[string][]string{
		desk + "Desk":               {desk + "Desk"},
		"desk.Desk":                 {desk + "Desk"},
		"shop/desk.Closer":          {desk + "Closer"},
		"Alias":                     {desk + "Alias"},
		"cart.List[T]":              {"example.org/shop/cart.List"},
		"esk.Desk":                  nil,
		"desk.Desks":                nil,
		"other/desk.Desk":           nil,
		"desk.(*Desk).Close":        nil,
		"example.org/shop/cart.Map": nil,
		"":                          nil,
	} {
		got, err := shop(t).SearchTypes(query)
		if err != nil || len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, error %v; want %q", query, got, err, want)
		}
	}
}

func TestFunction(t *testing.T) {
	for name, want := range map[string]struct {
		line, first, last int
		begins            string
	}{
		"(*Cart).Add":         {11, 8, 21, "// Add puts"},
		"(*Cart).Add.func1":   {13, 13, 13, "\tcheck := func"},
		"(*Cart).Add.func2":   {14, 14, 16, "\tagain := func"},
		"(*Cart).Add.func2.1": {15, 15, 15, "\t\treturn func"},
		"Cart.Len":            {23, 23, 23, "func (c Cart)"},
		"(*List[...]).Add":    {29, 28, 29, "// Add appends."},
		"Map[...]":            {31, 31, 31, "func Map"},
		"init.0":              {37, 37, 37, "func init"},
		"init.func1":          {35, 35, 35, "var earlier"}, // later depends on it
		"init.func2":          {33, 33, 33, "var later"},
	} {
		f, err := shop(t).Function("example.org/shop/cart." + name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if f.Line != want.line || f.First != want.first || f.Last != want.last || !strings.HasPrefix(f.Text, want.begins) {
			t.Errorf("%s: got line %d and the text from line %d to %d, expected %+v; the text is\n%s", name, f.Line, f.First, f.Last, want, f.Text)
		}
		if f.File != "example.org/shop/cart/cart.go" {
			t.Errorf("%s: got the file %q, expected example.org/shop/cart/cart.go", name, f.File)
		}
	}
}

func TestFunctionUnknown(t *testing.T) {
	for name, near := range map[string][]string{
		"example.org/shop/cart.(*Cart).Ad":         {"example.org/shop/cart.(*Cart).Add"},
		"example.org/shop/cart.(*Cart).Add.func7":  {"example.org/shop/cart.(*Cart).Add.func1", "example.org/shop/cart.(*Cart).Add.func2", "example.org/shop/cart.(*Cart).Add.func2.1"},
		"example.org/shop/cart.Elsewhere":          nil,
		"example.org/shop/nowhere.(*Cart).Add":     nil,
		"example.org/shop/cart.(*Cart).Add.func01": {"example.org/shop/cart.(*Cart).Add.func1"},
	} {
		_, err := shop(t).Function(name)
		var unknown *trace.UnknownFunctionError
		if !errors.As(err, &unknown) {
			t.Errorf("%s: error %v, want a trace.UnknownFunctionError", name, err)
			continue
		}
		if len(near) > 0 && (len(unknown.Near) == 0 || unknown.Near[0] != near[0]) {
			t.Errorf("%s: the nearest names are %q, want %q first", name, unknown.Near, near)
		}
	}
}

func TestPrint(t *testing.T) {
	f, err := shop(t).Function("example.org/shop/cart.(*Cart).Add")
	if err != nil {
		t.Fatal(err)
	}
	call := func(id, parent, function string, line, from int) trace.Call {
		return trace.Call{ID: id, Parent: parent, Function: function, File: f.File, Line: line, CallerLine: from}
	}
	rec := &trace.Recording{Requests: []trace.Request{{Calls: []trace.Call{
		call("1", "", f.Name, 11, 0),
		call("2", "1", f.Name+".func1", 13, 17),
		call("3", "1", f.Name+".func2", 14, 18),
		call("4", "1", f.Name+".func2.1", 15, 18),
		{ID: "5", Parent: "4", Function: "example.org/shop/stock.Take", File: "example.org/shop/stock/stock.go", Line: 4, CallerLine: 15},
		call("6", "", f.Name, 11, 0),
		call("7", "6", f.Name+".func1", 13, 17),
		{ID: "8", Parent: "5", Function: "example.org/shop/stock.other", File: "example.org/shop/stock/stock.go", CallerLine: 15}, // line of another file
	}}}}
	var out bytes.Buffer
	if err := Print(&out, f, PrintOptions{Marks: Marks(f, []*trace.Recording{rec})}); err != nil {
		t.Fatal(err)
	}
	want := ` 8   // Add puts an item into the cart.
 9   //
10   // It does not ask whether there is one.
11   func (c *Cart) Add(item string) error {
12       c.items[item]++
13       check := func(n int) bool { return n < 10 }
14       again := func() func() error {
15 ▶         return func() error { return stock.Take(item) }
     → stock.Take
16       }
17 ▶     if check(c.items[item]) {
     → cart.(*Cart).Add.func1 ×2
18 ▶         return again()()
     → cart.(*Cart).Add.func2
     → cart.(*Cart).Add.func2.1
19       }
20       return nil
21   }
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}

	out.Reset()
	if err := Print(&out, f, PrintOptions{Palette: Colours(), ASCII: true, Marks: Marks(f, []*trace.Recording{rec})}); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"\x1b[35mfunc\x1b[m", "\x1b[35mreturn\x1b[m", "-> stock.Take"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("the text with colours has no %q:\n%q", part, out.String())
		}
	}
}

func TestPrintInChinese(t *testing.T) {
	f := &Function{Name: "p.f", First: 1, Last: 1, Text: "g()\n"}
	var out bytes.Buffer
	if err := Print(&out, f, PrintOptions{Lang: "zh", Marks: []Mark{{Line: 1, Function: "p.g", NoSpan: true}}}); err != nil {
		t.Fatal(err)
	}
	if want := "1 ◌ g()\n    ◌ p.g，没有 span\n"; out.String() != want {
		t.Errorf("got\n%q\nwant\n%q", out.String(), want)
	}
	out.Reset()
	if same, err := WriteDiff(&out, Version{f, "a"}, Version{f, "b"}, DiffOptions{Lang: "zh"}); err != nil || !same || !strings.HasSuffix(out.String(), "\n源码相同\n") {
		t.Errorf("the diff of equal functions: same is %v, error %v, expected true and a Chinese sentence in\n%s", same, err, out.String())
	}
}

// TestSpanlessMarks checks that all calls of functions without a span are marked, also in
// the literals of the text.
func TestSpanlessMarks(t *testing.T) {
	const add = "example.org/shop/cart.(*Cart).Add"
	f, err := shop(t).Function(add)
	if err != nil {
		t.Fatal(err)
	}
	static := func(line int, name string) recordings.SourceCall {
		return recordings.SourceCall{Line: line, Name: name}
	}
	code := recordings.NewCode("v1.2.3", map[string]*recordings.Program{"shop": {Functions: []recordings.Source{
		{Name: add, Calls: []recordings.SourceCall{static(6, "p.leaf"), static(7, "p.spanned"), static(7, "p.unknown")}},
		{Name: add + ".func1", Calls: []recordings.SourceCall{static(0, "p.leaf"), static(0, "p.leaf")}},
		{Name: add + ".func2.1", Calls: []recordings.SourceCall{static(0, "p.leaf")}},
		{Name: "p.leaf", Spanless: recordings.SpanlessLeaf},
		{Name: "p.spanned"},
	}}})
	want := []Mark{{Line: 13, Function: "p.leaf", NoSpan: true}, {Line: 15, Function: "p.leaf", NoSpan: true}, {Line: 17, Function: "p.leaf", NoSpan: true}}
	if got := SpanlessMarks(f, "shop", code); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	literal, err := shop(t).Function(add + ".func2")
	if err != nil {
		t.Fatal(err)
	}
	if got := SpanlessMarks(literal, "shop", code); !reflect.DeepEqual(got, want[1:2]) {
		t.Errorf("the marks of a literal: got %v, want %v", got, want[1:2])
	}
}

func TestHarmless(t *testing.T) {
	f := &Function{Name: "f", First: 1, Last: 2, Text: "// a\x1b[2J\r\n/* b */\n"}
	var out bytes.Buffer
	if err := Print(&out, f, PrintOptions{}); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "1   // a\ufffd[2J\n2   /* b */\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEditorCommand(t *testing.T) {
	for editor, want := range map[string]string{
		"vim":         "vim -R +7 a.go",
		"/bin/nano":   "/bin/nano -v +7 a.go",
		"emacs -nw":   "emacs -nw +7 a.go",
		"code --wait": "code --wait -g a.go:7",
		"hx":          "hx a.go:7",
		"goland":      "goland --line 7 a.go",
	} {
		got, err := EditorCommand("a.go", 7, true, func(name string) string { return map[string]string{"EDITOR": editor}[name] })
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, error %v; want %q", editor, got, err, want)
		}
	}
	got, _ := EditorCommand("a.go", 7, true, func(name string) string { return map[string]string{"EDITOR": "ed", "VISUAL": "micro"}[name] })
	if got[0] != "micro" {
		t.Errorf("$VISUAL does not take precedence over $EDITOR: %q", got)
	}
	for editor, want := range map[string]string{"vim": "vim +7 a.go", "nano -w": "nano -w +7 a.go"} {
		got, err := EditorCommand("a.go", 7, false, func(string) string { return editor })
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("to write a file with %q: got %q and the error %v, expected %q", editor, got, err, want)
		}
	}
	if _, err := EditorCommand("a.go", 7, true, func(string) string { return "" }); err == nil {
		t.Error("EditorCommand without an editor returned no error")
	}
}
