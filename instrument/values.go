package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"slices"
	"strings"
)

// The guide's expressions go into separate functions after the file's last line. These
// functions get the variables as arguments. In the function itself, an inserted literal
// would shift the names of upstream's literals.

// A variable is a receiver, parameter or result that an expression of the guide may name.
type variable struct {
	name, typ string
	result    bool
}

// valueCalls adds the functions that record the guide's values to the file. It returns
// the statements that call them, or "".
func (w *functionRewriter) valueCalls() (string, error) {
	values, exactName := w.values(w.fn.name)
	var text strings.Builder
	for _, at := range []string{"entry", "exit"} {
		call, err := w.valueCall(at, values, exactName)
		if err != nil {
			return "", err
		}
		text.WriteString(call)
	}
	return text.String(), nil
}

func (w *functionRewriter) valueCall(at string, values []Value, exactName bool) (string, error) {
	var body bytes.Buffer
	var used []variable
	for _, v := range values {
		if v.At != at {
			continue
		}
		expr, vars, err := w.resolve(v.Expr, at == "exit")
		if err != nil && exactName {
			return "", fmt.Errorf("value %s of %s %s: %w", v.Name, w.opts.Program, w.opts.Version, err)
		}
		if err != nil {
			continue // a pattern of the guide: not every function has that parameter
		}
		fmt.Fprintf(&body, "\tapitraceC.Attr(%q, apitraceProbe.Value(func() interface{} { %sreturn %s }))\n", v.Name, loadCode(vars), expr)
		used = append(used, vars...)
	}
	if at == "exit" {
		used = append(used, w.failureCall(&body)...)
	}
	if body.Len() == 0 {
		return "", nil
	}
	name, params, args := w.declare(at, used)
	fmt.Fprintf(&w.file.appended, "func %s(apitraceC *apitraceProbe.Call%s) {\n%s}\n", name, params, body.Bytes())
	call := fmt.Sprintf("%s(apitraceC%s)", name, args)
	if at == "exit" {
		return " defer " + call + ";", nil
	}
	return " " + call + ";", nil
}

// failureCall adds code to body that records the function's last result, if its type is
// among the guide's Failures. It returns the variables that the code uses.
func (w *functionRewriter) failureCall(body *bytes.Buffer) []variable {
	types := fieldTypes(w.fn.typ.Results)
	if len(types) == 0 {
		return nil
	}
	last := types[len(types)-1]
	selector, ok := last.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	path := w.file.importOf(selector.X)
	for _, f := range w.prog.Failures {
		if f.Type != path+"."+selector.Sel.Name {
			continue
		}
		names := w.resultNames()
		v := variable{name: names[len(names)-1], typ: w.file.text(last), result: true}
		fmt.Fprintf(body, "\tapitraceC.Fail(apitraceProbe.Value(func() interface{} { return apitraceP%s.%s() }))\n", v.name, f.Method)
		return []variable{v}
	}
	return nil
}

// expression adds a function to the file that computes an expression. It returns the code
// that calls the function.
func (w *functionRewriter) expression(expr string) (string, error) {
	expr, vars, err := w.resolve(expr, false)
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", w.opts.Program, w.opts.Version, err)
	}
	name, params, args := w.declare("key", vars)
	fmt.Fprintf(&w.file.appended, "func %s(%s) interface{} {\n\treturn apitraceProbe.Value(func() interface{} { return %s })\n}\n", name, strings.TrimPrefix(params, ", "), expr)
	return fmt.Sprintf("%s(%s)", name, strings.TrimPrefix(args, ", ")), nil
}

// declare returns the name, the parameters and the arguments of a function that uses the
// variables. Results are passed by address.
func (w *functionRewriter) declare(kind string, vars []variable) (name, params, args string) {
	w.names.generated++
	name = fmt.Sprintf("apitrace%s%d", strings.ToUpper(kind[:1])+kind[1:], w.names.generated)
	var done []string
	for _, v := range vars {
		if slices.Contains(done, v.name) {
			continue
		}
		done = append(done, v.name)
		if v.result {
			params += fmt.Sprintf(", apitraceP%s *%s", v.name, v.typ)
			args += ", &" + v.name
		} else {
			params += fmt.Sprintf(", %s %s", v.name, v.typ)
			args += ", " + v.name
		}
	}
	return name, params, args
}

// loadCode returns code that reads the results from their addresses.
func loadCode(vars []variable) string {
	var text string
	for _, v := range vars {
		if v.result {
			text += fmt.Sprintf("%s := *apitraceP%s; ", v.name, v.name)
		}
	}
	return text
}

// guideFunctions replaces the guide's own functions in an expression by functions of the
// probe.
var guideFunctions = strings.NewReplacer("type(", "apitraceProbe.Type(", "choose(", "apitraceProbe.Choose(", "implements(", "apitraceProbe.Implements(")

// resolve checks that the function has each variable of an expression. It returns the
// variables, and the expression for the inserted code.
func (w *functionRewriter) resolve(expr string, atExit bool) (string, []variable, error) {
	if w.fn.generic() {
		return "", nil, fmt.Errorf("values of functions with type parameters are not supported")
	}
	expr = guideFunctions.Replace(expr)
	parsed, err := parser.ParseExpr(expr)
	if err != nil {
		return "", nil, fmt.Errorf("expression %q: %w", expr, err)
	}
	var used []variable
	for _, name := range identifiers(parsed) {
		v, ok := w.variable(name, atExit)
		switch {
		case ok:
			if v.name != name { // result0
				expr = strings.ReplaceAll(expr, name, v.name)
			}
			used = append(used, v)
		case !w.names.declares(name, w.file.ast):
			return "", nil, fmt.Errorf("expression %q: the function has no parameter %q", expr, name)
		}
	}
	return expr, used, nil
}

// identifiers lists the names in an expression, sorted, each once. It leaves out names
// after a dot.
func identifiers(expr ast.Expr) []string {
	var names []string
	ast.Inspect(expr, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			names = append(names, identifiers(n.X)...)
			return false
		case *ast.Ident:
			names = append(names, n.Name)
		}
		return true
	})
	slices.Sort(names)
	return slices.Compact(names)
}

// variable finds a parameter or receiver of the function or of a function around it,
// innermost first. At exit, it looks among the function's own results first.
func (w *functionRewriter) variable(name string, atExit bool) (variable, bool) {
	if atExit {
		for i, typ := range fieldTypes(w.fn.typ.Results) {
			results := w.resultNames()
			if name == results[i] || name == fmt.Sprintf("result%d", i) {
				return variable{name: results[i], typ: w.file.text(typ), result: true}, true
			}
		}
	}
	for f := w.fn; f != nil; f = f.outer {
		for _, list := range []*ast.FieldList{f.typ.Params, f.recv} {
			if v, ok := w.field(list, name); ok {
				return v, true
			}
		}
	}
	return variable{}, false
}

func (w *functionRewriter) field(list *ast.FieldList, name string) (variable, bool) {
	if list == nil {
		return variable{}, false
	}
	for _, field := range list.List {
		for _, ident := range field.Names {
			if ident.Name != name || name == "_" {
				continue
			}
			if variadic, ok := field.Type.(*ast.Ellipsis); ok {
				return variable{name: name, typ: "[]" + w.file.text(variadic.Elt)}, true
			}
			return variable{name: name, typ: w.file.text(field.Type)}, true
		}
	}
	return variable{}, false
}

// fieldTypes lists the type of each result.
func fieldTypes(list *ast.FieldList) []ast.Expr {
	if list == nil {
		return nil
	}
	var types []ast.Expr
	for _, field := range list.List {
		for range max(len(field.Names), 1) {
			types = append(types, field.Type)
		}
	}
	return types
}
