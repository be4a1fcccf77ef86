package instrument

import (
	"fmt"
	"go/ast"
	"net/http"
	"strings"

	"github.com/kubeapitrace/apitrace/instrument/probe"
)

// A functionRewriter rewrites one function.
type functionRewriter struct {
	*packageRewriter
	file *sourceFile
	fn   *function
	kind spanKind
	site int // index in apitraceSites
}

// rewrite inserts, after the function's opening brace:
//
//	if On() { if l := Labels(); l != nil { defer Enter(l, &site).Exit(&err) } };
//
// or, for an entrySpan,
//
//	if On() { if l := Labels(); l != nil { Leaf(l, &site) } };
//
// See noInlineCode for the entrySpan of a literal. The guide can require more code; see
// exitCode, handoffCode and spanCode.
//
// exitCode and handoffCode run before the function's own span begins.
func (w *functionRewriter) rewrite() error {
	handoff, err := w.handoffCode()
	if err != nil {
		return err
	}
	exit, err := w.exitCode()
	if err != nil {
		return err
	}
	caused, late, err := w.insertCauses()
	if err != nil {
		return err
	}
	leave := caused + exit + handoff
	var enter string
	switch w.kind {
	case entrySpan:
		enter = fmt.Sprintf(" if apitraceProbe.On() { if apitraceL := apitraceProbe.Labels(); apitraceL != nil { apitraceProbe.Leaf(apitraceL, &apitraceSites[%d])%s } };", w.site, w.noInlineCode())
	case fullSpan:
		if enter, err = w.spanCode(); err != nil {
			return err
		}
	}
	if all := leave + enter + late; all != "" {
		w.file.edits.insert(w.file.offset(w.fn.body.Lbrace)+1, all)
	}
	return nil
}

// noInlineCode returns code that keeps the compiler from inlining a literal. For a declared
// function, it returns "".
//
// An inlined literal has no frame of its own. The compiler inlines a literal that is
// called once even if it is ten times too large for other inlining. It never inlines a
// literal with a go statement.
func (w *functionRewriter) noInlineCode() string {
	if w.fn.outer == nil {
		return ""
	}
	return "; if apitraceProbe.Inline { go apitraceProbe.Leaf(nil, nil) }"
}

// exitCode returns the code for the beginning of the function that hands the current call
// to another process, or "".
func (w *functionRewriter) exitCode() (string, error) {
	exit, ok := w.exits[w.fn.name]
	if !ok {
		return "", nil
	}
	statement := strings.NewReplacer("TRACEPARENT", "apitraceT", "METADATAKEY", fmt.Sprintf("%q", probe.MetadataKey), "HEADER", fmt.Sprintf("%q", http.CanonicalHeaderKey(probe.MetadataKey))).Replace(exit.Statement)
	code := fmt.Sprintf(`if apitraceT := apitraceProbe.Traceparent(apitraceProbe.Labels()); apitraceT != "" { %s }`, statement)
	if exit.Before != "" {
		return "", w.insertAt(insertion{Place: Place{Before: exit.Before}, kind: insertGive}, code)
	}
	return " " + code + ";", nil
}

// handoffCode returns the code that hands the current call to another goroutine through a
// queue, or "".
func (w *functionRewriter) handoffCode() (string, error) {
	var text string
	for _, give := range w.gives[w.fn.name] {
		key, err := w.expression(give.key)
		if err != nil {
			return "", err
		}
		text += fmt.Sprintf(" if apitraceL := apitraceProbe.Labels(); apitraceL != nil { apitraceProbe.Give(apitraceL, %q, %s) };", give.taker, key)
	}
	return text, nil
}

// spanCode returns the code that makes the function's execution a call of the trace.
func (w *functionRewriter) spanCode() (string, error) {
	values, err := w.valueCalls()
	if err != nil {
		return "", err
	}
	site := fmt.Sprintf("&apitraceSites[%d]", w.site)
	result := w.errorResult()
	if root, ok := w.roots[w.fn.name]; ok {
		traceparent := strings.ReplaceAll(root.Traceparent, "METADATAKEY", fmt.Sprintf("%q", probe.MetadataKey))
		tp, err := w.expression(traceparent)
		if err != nil {
			return "", err
		}
		about := ""
		if root.Path != "" {
			path, err := w.expression(root.Path)
			if err != nil {
				return "", err
			}
			about = " apitraceC.About(" + path + ");"
		}
		return fmt.Sprintf(" if apitraceC := apitraceProbe.Root(apitraceProbe.Labels(), %s, %s); apitraceC != nil { defer apitraceC.Exit(%s);%s%s };", site, tp, result, about, values), nil
	}
	if take, ok := w.takes[w.fn.name]; ok {
		key, err := w.expression(take.key)
		return fmt.Sprintf(" if apitraceL := apitraceProbe.Labels(); apitraceL != nil || apitraceProbe.Offered() { if apitraceC := apitraceProbe.Take(apitraceL, %s, %q, %s); apitraceC != nil { defer apitraceC.Exit(%s);%s } };", site, take.queue, key, result, values), err
	}
	if take, ok := w.begins[w.fn.name]; ok {
		return fmt.Sprintf(" if apitraceL := apitraceProbe.Labels(); apitraceL != nil || apitraceProbe.Chaining() { if apitraceC := apitraceProbe.Begin(apitraceL, %s, %q, %s); apitraceC != nil { defer apitraceC.Exit(%s);%s } };", site, take.queue, take.key, result, values), nil
	}
	if stage, ok := w.stages[w.fn.name]; ok {
		revision, err := w.expression(stage.Revision)
		return fmt.Sprintf(" if apitraceL := apitraceProbe.Labels(); apitraceL != nil || apitraceProbe.Following() { if apitraceC := apitraceProbe.After(apitraceL, %s, %d, %t, %s); apitraceC != nil { defer apitraceC.Exit(%s);%s } };", site, stage.number, stage.Settled, revision, result, values), err
	}
	if values != "" {
		return fmt.Sprintf(" if apitraceProbe.On() { if apitraceL := apitraceProbe.Labels(); apitraceL != nil { if apitraceC := apitraceProbe.Enter(apitraceL, %s); apitraceC != nil { defer apitraceC.Exit(%s);%s } } };", site, result, values), nil
	}
	return fmt.Sprintf(" if apitraceProbe.On() { if apitraceL := apitraceProbe.Labels(); apitraceL != nil { defer apitraceProbe.Enter(apitraceL, %s).Exit(%s) } };", site, result), nil
}

// errorResult returns the address of the last result if its type is error, else "nil".
func (w *functionRewriter) errorResult() string {
	results := w.fn.typ.Results
	if results == nil || len(results.List) == 0 {
		return "nil"
	}
	if typ, ok := results.List[len(results.List)-1].Type.(*ast.Ident); !ok || typ.Name != "error" || w.names.types["error"] {
		return "nil"
	}
	names := w.resultNames()
	return "&" + names[len(names)-1]
}

// resultNames returns the names of the results. The first call edits the signature, so
// that every result has a name.
func (w *functionRewriter) resultNames() []string {
	if w.fn.results == nil {
		w.fn.results = w.nameResults()
	}
	return w.fn.results
}

func (w *functionRewriter) nameResults() []string {
	results := w.fn.typ.Results
	var names []string
	next := func() string {
		names = append(names, fmt.Sprintf("apitraceR%d", len(names)))
		return names[len(names)-1]
	}
	if !results.Opening.IsValid() {
		typ := results.List[0].Type
		w.file.edits.insert(w.file.offset(typ.Pos()), "("+next()+" ")
		w.file.edits.insert(w.file.offset(typ.End()), ")")
		return names
	}
	for _, field := range results.List {
		if len(field.Names) == 0 {
			w.file.edits.insert(w.file.offset(field.Type.Pos()), next()+" ")
		}
		for _, name := range field.Names {
			if name.Name == "_" {
				w.file.edits.replace(w.file.offset(name.Pos()), w.file.offset(name.End()), next())
			} else {
				names = append(names, name.Name)
			}
		}
	}
	return names
}
