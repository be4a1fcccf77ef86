package message

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestEveryMessageIsInTheCatalogue finds the messages in the source of the whole module.
func TestEveryMessageIsInTheCatalogue(t *testing.T) {
	said := map[string]string{} // a message → where it is
	texts := map[string]bool{}  // every constant text of the source
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != root) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || filepath.Dir(path) == filepath.Join(root, "internal", "message") {
			return nil
		}
		return collect(path, said, texts, func(at token.Position, text string) { t.Errorf("%s: %s", at, text) })
	})
	if err != nil {
		t.Fatal(err)
	}
	all := catalogue()
	for _, english := range slices.Sorted(maps.Keys(said)) {
		if _, ok := all[english]; !ok {
			t.Errorf("%s: zh.po lacks\nmsgid %q", said[english], english)
		}
	}
	for _, english := range slices.Sorted(maps.Keys(all)) {
		if !texts[english] {
			t.Errorf("nobody says what zh.po has:\nmsgid %q", english)
		}
	}
}

// collect adds the messages and the constant texts of a file.
func collect(path string, said map[string]string, texts map[string]bool, wrong func(token.Position, string)) error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	imports := map[string]bool{}
	for _, imp := range file.Imports {
		imported, _ := strconv.Unquote(imp.Path.Value)
		imports[filepath.Base(imported)] = true
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if text, ok := constantText(n); ok {
			texts[text] = true
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		function, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		for _, arg := range messages(function, call.Args, imports) {
			text, ok := constantText(arg)
			if name, isName := arg.(*ast.Ident); isName && name.Name == "format" {
				continue
			}
			if !ok {
				wrong(fset.Position(arg.Pos()), "the message is not a constant")
			}
			if text != "" {
				said[text] = fset.Position(arg.Pos()).String()
			}
		}
		return true
	})
	return nil
}

// messages returns the arguments of a call that are messages: those of the methods of
// Printer, and of the functions that pass a message on, under the
// name "format".
func messages(function *ast.SelectorExpr, args []ast.Expr, imports map[string]bool) []ast.Expr {
	of, isName := function.X.(*ast.Ident)
	switch function.Sel.Name {
	case "Sprintf", "sayf":
		if !isName || !imports[of.Name] {
			return args[:1]
		}
	case "Plural":
		if len(args) >= 3 {
			return args[1:3]
		}
	}
	return nil
}

// constantText returns the value of a constant expression of strings.
func constantText(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.BasicLit:
		if n.Kind == token.STRING {
			return constant.StringVal(constant.MakeFromLiteral(n.Value, n.Kind, 0)), true
		}
	case *ast.BinaryExpr:
		x, okX := constantText(n.X)
		y, okY := constantText(n.Y)
		return x + y, okX && okY && n.Op == token.ADD
	case *ast.ParenExpr:
		return constantText(n.X)
	}
	return "", false
}

// TestFormatsAgree compares which argument each message formats in which way.
func TestFormatsAgree(t *testing.T) {
	for english, chinese := range catalogue() {
		en, zh := verbs(english), verbs(chinese)
		if !maps.Equal(en, zh) {
			t.Errorf("%q formats %v, %q formats %v", english, en, chinese, zh)
		}
		if strings.HasSuffix(english, "\n") != strings.HasSuffix(chinese, "\n") {
			t.Errorf("%q and %q do not end alike", english, chinese)
		}
	}
}

var verb = regexp.MustCompile(`%[-+# 0]*(?:\[(\d+)\])?(\*|\d+)?(?:\.\d+)?([a-zA-Z%])`)

// verbs returns the verb of each argument of a format, by its number.
func verbs(format string) map[int]string {
	all := map[int]string{}
	next := 1
	for _, m := range verb.FindAllStringSubmatch(format, -1) {
		if m[3] == "%" {
			continue
		}
		if m[1] != "" {
			next, _ = strconv.Atoi(m[1])
		}
		if m[2] == "*" {
			all[next], next = "*", next+1
		}
		all[next] = m[3]
		next++
	}
	return all
}

// TestChineseIsChinese holds entries against what slips into a translation.
func TestChineseIsChinese(t *testing.T) {
	for english, chinese := range catalogue() {
		if regexp.MustCompile(`[一-鿿][,;:?!]`).MatchString(chinese) {
			t.Errorf("%q: %q has punctuation of half width behind Chinese", english, chinese)
		}
	}
}

func TestPrinter(t *testing.T) {
	zh := For("zh")
	if got := zh.Sprintf("no such message %d", 1); got != "no such message 1" {
		t.Errorf("a message that the catalogue lacks is %q", got)
	}
	if got := zh.Sprintf("as %s", Text{En: "x", Zh: "某"}); got != "身份 某" {
		t.Errorf("a text in a Chinese message is %q", got)
	}
	if got := (Printer{}).Sprintf("as %s", Text{En: "x", Zh: "某"}); got != "as x" {
		t.Errorf("a text in an English message is %q", got)
	}
}
