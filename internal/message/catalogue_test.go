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

// TestEveryMessageIsInTheCatalogue finds the messages in the source of the whole module, except
// the probe and the maintainers' command. Messages are the constants passed to a parameter named
// format, both constants of Plural, and the descriptions of flags.
func TestEveryMessageIsInTheCatalogue(t *testing.T) {
	files := sources(t)
	formats := map[string]int{} // name of a function → index of its parameter named format
	for _, file := range files {
		addFormats(file.tree, formats)
	}
	used := map[string]string{} // message → its place in the source
	for _, file := range files {
		file.collect(formats, used, func(at token.Pos, text string) { t.Errorf("%s: %s", file.set.Position(at), text) })
	}
	for _, text := range system {
		used[text] = "error.go"
	}
	all := catalogue()
	for _, english := range slices.Sorted(maps.Keys(used)) {
		if _, ok := all[english]; !ok {
			t.Errorf("%s: zh.po lacks\nmsgid %q", used[english], english)
		}
	}
	for _, english := range slices.Sorted(maps.Keys(all)) {
		if _, ok := used[english]; !ok {
			t.Errorf("no code uses this message of zh.po:\nmsgid %q", english)
		}
	}
}

// source is a file of the module that is not a test.
type source struct {
	set     *token.FileSet
	tree    *ast.File
	foreign map[string]bool // the last path elements of imported packages from other modules
}

func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "probe" || d.Name() == "apitrace-dev" || strings.HasPrefix(d.Name(), ".") && path != root) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		file := source{set, tree, map[string]bool{}}
		for _, imp := range tree.Imports {
			if imported, _ := strconv.Unquote(imp.Path.Value); !strings.HasPrefix(imported, "github.com/kubeapitrace/apitrace/") {
				file.foreign[filepath.Base(imported)] = true
			}
		}
		all = append(all, file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// addFormats adds the file's functions and methods with a parameter named format, if they are
// variadic or NewError.
func addFormats(file *ast.File, formats map[string]int) {
	add := func(name string, function *ast.FuncType) {
		number := 0
		for _, field := range function.Params.List {
			for _, parameter := range field.Names {
				last := function.Params.List[len(function.Params.List)-1]
				_, variadic := last.Type.(*ast.Ellipsis)
				if parameter.Name == "format" && (variadic || name == "NewError") {
					formats[name] = number
				}
				number++
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			add(n.Name.Name, n.Type)
		case *ast.InterfaceType:
			for _, method := range n.Methods.List {
				if function, ok := method.Type.(*ast.FuncType); ok {
					add(method.Names[0].Name, function)
				}
			}
		}
		return true
	})
}

// collect adds the file's messages to used. It calls wrong for each message that is not a
// constant.
func (s source) collect(formats map[string]int, used map[string]string, wrong func(token.Pos, string)) {
	ast.Inspect(s.tree, func(n ast.Node) bool {
		if text := s.flagDescription(n); text != "" {
			used[text] = s.set.Position(n.Pos()).String()
			return true
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		for _, arg := range s.messages(call, formats) {
			text, ok := constantText(arg)
			if name, isName := arg.(*ast.Ident); isName && (name.Name == "format" || s.tree.Name.Name == "message") {
				continue // the format is a parameter of the calling function
			}
			if field, isField := arg.(*ast.SelectorExpr); isField && field.Sel.Name == "format" {
				continue
			}
			if !ok {
				wrong(arg.Pos(), "the message is not a constant")
			}
			if _, ok := catalogue()[text]; ok || hasWords(text) {
				used[text] = s.set.Position(arg.Pos()).String()
			}
		}
		return true
	})
}

// flagMethods are the methods of pflag that define a flag. Their last argument is the description.
var flagMethods = regexp.MustCompile(`^(Var|(Bool|Int|IntSlice|Float64|String|StringSlice|StringArray|Duration)(Var)?)P?$`)

// flagDescription returns the description of a command-line flag that a call or an assignment
// defines. It has "%s" for each part that is not constant. It is "" for other nodes.
func (s source) flagDescription(n ast.Node) string {
	if !s.foreign["cobra"] {
		return ""
	}
	switch n := n.(type) {
	case *ast.CallExpr:
		method, ok := n.Fun.(*ast.SelectorExpr)
		if !ok || !flagMethods.MatchString(method.Sel.Name) || len(n.Args) < 3 {
			return ""
		}
		if of, isName := method.X.(*ast.Ident); isName && of.Name != "flags" {
			return ""
		}
		return template(n.Args[len(n.Args)-1])
	case *ast.AssignStmt:
		if field, ok := n.Lhs[0].(*ast.SelectorExpr); ok && field.Sel.Name == "Usage" && s.tree.Name.Name == "main" {
			return template(n.Rhs[0])
		}
	}
	return ""
}

// template returns a string expression with "%s" for each operand that is not constant.
func template(n ast.Expr) string {
	if sum, ok := n.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
		return template(sum.X) + template(sum.Y)
	}
	if text, ok := constantText(n); ok {
		return text
	}
	return "%s"
}

// hasWords reports whether a message has text to translate: letters, or punctuation that is
// different in Chinese.
func hasWords(text string) bool {
	rest := verb.ReplaceAllString(text, "")
	return strings.ContainsAny(rest, ":,;()") || regexp.MustCompile(`[A-Za-z]`).MatchString(rest)
}

// general lists functions of package message with common names. Functions of other packages
// have the same names and no messages.
var general = []string{"Of", "Join", "Errorf", "UsageErrorf", "NewError"}

// messages returns the messages among the arguments of a call.
func (s source) messages(call *ast.CallExpr, formats map[string]int) []ast.Expr {
	name := ""
	switch function := call.Fun.(type) {
	case *ast.Ident:
		name = function.Name
		if s.tree.Name.Name != "message" && slices.Contains(general, name) {
			return nil
		}
	case *ast.SelectorExpr:
		name = function.Sel.Name
		of, isName := function.X.(*ast.Ident)
		isPackage := isName && of.Name == "message"
		if isName && s.foreign[of.Name] || !isPackage && slices.Contains(general, name) {
			return nil
		}
	}
	if name == "Plural" && len(call.Args) >= 3 {
		return call.Args[1:3]
	}
	if number, ok := formats[name]; ok && number < len(call.Args) {
		return call.Args[number : number+1]
	}
	return nil
}

// constantText returns the value of a constant string expression.
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

func TestNoMessageIsThereTwice(t *testing.T) {
	if _, twice, err := parse(chinese); err != nil || len(twice) > 0 {
		t.Errorf("parsing zh.po: got the error %v and the duplicates %q, expected none", err, twice)
	}
	if all, twice, err := parse("msgid \"a\"\nmsgstr \"甲\"\nmsgid \"a\"\nmsgstr \"乙\"\n"); err != nil || all["a"] != "甲" || len(twice) != 1 {
		t.Errorf("got %v, the duplicates %v and the error %v; expected the first entry and one duplicate", all, twice, err)
	}
}

// TestFormatsAgree checks that the English and the Chinese text format each argument in the
// same way.
func TestFormatsAgree(t *testing.T) {
	for english, chinese := range catalogue() {
		en, zh := verbs(english), verbs(chinese)
		if !maps.Equal(en, zh) {
			t.Errorf("%q has the verbs %v, but %q has the verbs %v", english, en, chinese, zh)
		}
		if strings.HasSuffix(english, "\n") != strings.HasSuffix(chinese, "\n") {
			t.Errorf("%q and %q: only one text ends with a line break", english, chinese)
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

// TestChineseIsChinese checks that no Chinese character is followed by half-width punctuation.
func TestChineseIsChinese(t *testing.T) {
	for english, chinese := range catalogue() {
		if regexp.MustCompile(`[一-鿿][,;:?!]`).MatchString(chinese) {
			t.Errorf("%q: %q has half-width punctuation after a Chinese character", english, chinese)
		}
	}
}

func TestPrinter(t *testing.T) {
	zh := For("zh")
	if got := zh.Sprintf("no such message %d", 1); got != "no such message 1" {
		t.Errorf("a message that the catalogue lacks is %q, expected the English text", got)
	}
	if got := zh.Sprintf("as %s", Text{En: "x", Zh: "某"}); got != "身份某" {
		t.Errorf("a Chinese message with a Text as operand is %q, expected \"身份某\"", got)
	}
	if got := (Printer{}).Sprintf("as %s", Text{En: "x", Zh: "某"}); got != "as x" {
		t.Errorf("an English message with a Text as operand is %q, expected \"as x\"", got)
	}
}
