package instrument

import (
	"errors"
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/release"
)

// A Hop is a queue or channel between goroutines that work because of events. Any of the
// functions under Give gives work to it, and any under Take takes work.
type Hop struct {
	Name          string `yaml:"name"`
	release.Range `yaml:",inline"`
	Give          []Place `yaml:"give"`
	Take          []Place `yaml:"take"`
	// Done lists the functions that end work with Place.Carry.
	Done []NamedFunction `yaml:"done"`
}

// A Place is a statement of a function, by its text. For a statement with a block, it is
// the text before the block. Without Before and After, the place is the beginning of the
// function.
//
// The expressions of a place stand at the statement. They may use all variables there,
// but they must not panic, and they have no function literals.
type Place struct {
	Function      string `yaml:"function"`
	release.Range `yaml:",inline"`
	// Before and After are texts of statements. After a statement with a block is the
	// beginning of the block.
	Before string `yaml:"before"`
	After  string `yaml:"after"`
	// Key is an expression for the key of the work. Both sides identify the work by it.
	Key string `yaml:"key"`
	// Delay is an expression for the time until a timer passes the work on, or "".
	Delay string `yaml:"delay"`
	// Carry is set if the callers of the function do the work, until they call one of
	// Hop.Done. Otherwise, the work is the rest of the block or the function.
	Carry bool `yaml:"carry"`
}

// A Source is a place where a program takes the event of a write from a watch.
type Source struct {
	Place `yaml:",inline"`
	// Revision is an expression for the resourceVersion of the event's object. If it is
	// not a string, there is no event.
	Revision string `yaml:"revision"`
	// Values are expressions to record, by the names of attributes.
	Values []SourceValue `yaml:"values"`
}

// A SourceValue is something to record of an event.
type SourceValue struct {
	Name string `yaml:"name"`
	Expr string `yaml:"expr"`
}

// A NamedFunction is a function that begins or ends work, by its name.
type NamedFunction struct {
	Function      string `yaml:"function"`
	release.Range `yaml:",inline"`
}

func placeRange(p *Place) *release.Range                 { return &p.Range }
func sourceRange(s *Source) *release.Range               { return &s.Range }
func namedFunctionRange(f *NamedFunction) *release.Range { return &f.Range }

// hopsForVersion is like entriesForVersion, but also selects the places of each hop.
func hopsForVersion(version string, hops []Hop) []Hop {
	selected := entriesForVersion(version, hops, func(h *Hop) *release.Range { return &h.Range })
	for i := range selected {
		h := &selected[i]
		h.Give, h.Take = entriesForVersion(version, h.Give, placeRange), entriesForVersion(version, h.Take, placeRange)
		h.Done = entriesForVersion(version, h.Done, namedFunctionRange)
	}
	return selected
}

// An insertion is code for a place.
type insertion struct {
	Place
	kind  insertionKind
	queue string
	// revision and values belong to a Source.
	revision string
	values   []SourceValue
}

type insertionKind int

const (
	insertTake insertionKind = iota // first, so that what was taken can be given on
	insertEvent
	insertGive
)

// causes holds the guide's entries for the work because of events, by the name of the
// function.
type causes struct {
	// at are the insertions at statements, and begins the functions that take work when
	// they begin, instead of at a statement.
	at     map[string][]insertion
	begins map[string]takeRule
	// done are the functions that end carried work. loops are the functions that leave a trace.
	done, loops map[string]bool
}

func newCauses(version string, prog *ProgramGuide) causes {
	c := causes{at: map[string][]insertion{}, begins: map[string]takeRule{}, done: map[string]bool{}, loops: map[string]bool{}}
	for _, h := range hopsForVersion(version, prog.Causes) {
		for _, p := range h.Take {
			if p.Before == "" && p.After == "" && !p.Carry {
				c.begins[p.Function] = takeRule{h.Name, p.Key}
			} else {
				c.add(insertion{Place: p, kind: insertTake, queue: h.Name})
			}
		}
		for _, p := range h.Give {
			c.add(insertion{Place: p, kind: insertGive, queue: h.Name})
		}
		for _, f := range h.Done {
			c.done[f.Function] = true
		}
	}
	for _, s := range entriesForVersion(version, prog.Sources, sourceRange) {
		c.add(insertion{Place: s.Place, kind: insertEvent, revision: s.Revision, values: s.Values})
	}
	for _, f := range entriesForVersion(version, prog.Loops, namedFunctionRange) {
		c.loops[f.Function] = true
	}
	return c
}

func (c *causes) add(i insertion) {
	all := append(c.at[i.Function], i)
	slices.SortStableFunc(all, func(a, b insertion) int { return int(a.kind) - int(b.kind) })
	c.at[i.Function] = all
}

// functions lists the functions with entries.
func (c *causes) functions() []string {
	return slices.Concat(slices.Collect(maps.Keys(c.at)), slices.Collect(maps.Keys(c.begins)), slices.Collect(maps.Keys(c.done)), slices.Collect(maps.Keys(c.loops)))
}

// takesWork reports whether calls of the function begin without a caller.
func (c *causes) takesWork(name string) bool {
	_, takes := c.begins[name]
	return takes || slices.ContainsFunc(c.at[name], func(i insertion) bool { return i.kind != insertGive })
}

// insertCauses inserts the code that follows events. It returns the code for the
// beginning of the function, before and after the function's own span begins.
func (w *functionRewriter) insertCauses() (start, late string, err error) {
	if w.loops[w.fn.name] {
		start += " apitraceProbe.Detach();"
	}
	if w.done[w.fn.name] {
		// A function that waits for work may have begun before the session followed.
		start += " defer apitraceProbe.Drop();"
	}
	blocks, drops := false, false
	for _, i := range w.causes.at[w.fn.name] {
		blocks = blocks || i.kind == insertEvent || i.kind == insertTake && !i.Carry
		drops = drops || i.Carry
		code := w.causeCode(i)
		if i.Before == "" && i.After == "" {
			late += " " + code + ";"
			continue
		}
		if err := w.insertAt(i, code); err != nil {
			return "", "", err
		}
	}
	if drops {
		start += " if apitraceProbe.On() { apitraceProbe.Drop() };"
	}
	if blocks {
		start += " var apitraceW apitraceProbe.Work; defer apitraceW.End();"
	}
	return start, late, nil
}

// causeCode returns the statement of an insertion.
func (w *functionRewriter) causeCode(i insertion) string {
	site := fmt.Sprintf("&apitraceSites[%d]", w.site)
	var call string
	switch {
	case i.kind == insertGive:
		delay := "0"
		if i.Delay != "" {
			delay = i.Delay
		}
		call = fmt.Sprintf("Hand(%q, %s, %s)", i.queue, i.Key, delay)
	case i.kind == insertEvent:
		call = fmt.Sprintf("Event(%s, %s", site, i.revision)
		for _, v := range i.values {
			call += fmt.Sprintf(", %q, %s", v.Name, v.Expr)
		}
		return "if apitraceProbe.Chaining() { apitraceW." + guideFunctions.Replace(call) + ") }"
	case i.Carry:
		call = fmt.Sprintf("Carry(%s, %q, %s)", site, i.queue, i.Key)
	default:
		return "if apitraceProbe.Chaining() { apitraceW." + fmt.Sprintf("Take(%s, %q, %s)", site, i.queue, i.Key) + " }"
	}
	return "if apitraceProbe.Chaining() { apitraceProbe." + call + " }"
}

// insertAt inserts code at a place, which may be several statements with the same text.
func (w *functionRewriter) insertAt(i insertion, code string) error {
	if i.Before != "" && i.After != "" {
		return errors.New(`a place has "before" and "after", expected one of them`)
	}
	text := oneLine(i.Before + i.After)
	found := false
	for _, s := range w.statements() {
		if oneLine(s.text) != text {
			continue
		}
		if i.Before != "" && s.clause {
			return fmt.Errorf("%q cannot have code before it", text)
		}
		found = true
		at, list := s.after, s.list
		switch {
		case i.Before != "":
			w.file.edits.insert(s.start, code+"; ")
		case s.inside != nil:
			w.file.edits.insert(at, " "+code+";")
			list = s.inside
		default:
			w.file.edits.insert(at, "; "+code)
		}
		if i.kind == insertGive || i.Carry {
			continue
		}
		if last := list.last(); last != nil && !ends(last) {
			w.file.edits.insert(w.file.offset(last.End()), "; apitraceW.End()")
		}
	}
	if !found {
		return fmt.Errorf("the function has no statement %q, which the guide names: if another release has it, give the place \"since\" or \"until\"", text)
	}
	return nil
}

// oneLine returns a text of Go without line breaks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// ends reports whether nothing after the statement in its list is reached.
func ends(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		name, ok := call.Fun.(*ast.Ident)
		return ok && name.Name == "panic"
	}
	return false
}

// A statementList is the list of statements of a block or clause.
type statementList struct {
	stmts []ast.Stmt
	// whole is set for the body of the function.
	whole bool
}

// last returns the list's last statement. It returns nil for the body of the function,
// because a deferred call ends the work there.
func (l *statementList) last() ast.Stmt {
	if l.whole || len(l.stmts) == 0 {
		return nil
	}
	return l.stmts[len(l.stmts)-1]
}

// A statement is a statement or a clause of a function.
type statement struct {
	text   string // as in Place
	clause bool
	// start is the offset before the statement, and after that after it, or at the
	// beginning of its block.
	start, after int
	// list holds the statement. inside is the statement's own list, or nil.
	list, inside *statementList
}

// statements lists the statements of the function, but not of function literals in it.
func (w *functionRewriter) statements() (all []statement) {
	f := w.file
	header := func(from ast.Node, end int) string { return string(f.edits.old[f.offset(from.Pos()):end]) }
	var visitList func(*statementList)
	var visit func(ast.Stmt, *statementList)
	inBlock := func(from ast.Node, body *ast.BlockStmt, list *statementList) {
		lbrace := f.offset(body.Lbrace)
		inside := &statementList{stmts: body.List}
		all = append(all, statement{text: header(from, lbrace), start: f.offset(from.Pos()), after: lbrace + 1, list: list, inside: inside})
		visitList(inside)
	}
	inClauses := func(from ast.Node, body *ast.BlockStmt, list *statementList) {
		all = append(all, statement{text: header(from, f.offset(body.Lbrace)), start: f.offset(from.Pos()), after: f.offset(body.End()), list: list})
		for _, c := range body.List {
			inside, colon := &statementList{}, 0
			switch c := c.(type) {
			case *ast.CaseClause:
				inside.stmts, colon = c.Body, f.offset(c.Colon)
			case *ast.CommClause:
				inside.stmts, colon = c.Body, f.offset(c.Colon)
			}
			all = append(all, statement{text: header(c, colon), clause: true, start: f.offset(c.Pos()), after: colon + 1, list: list, inside: inside})
			visitList(inside)
		}
	}
	visit = func(s ast.Stmt, list *statementList) {
		switch s := s.(type) {
		case *ast.LabeledStmt:
			visit(s.Stmt, list)
		case *ast.BlockStmt:
			visitList(&statementList{stmts: s.List})
		case *ast.IfStmt:
			inBlock(s, s.Body, list)
			if s.Else != nil {
				visit(s.Else, list)
			}
		case *ast.ForStmt:
			inBlock(s, s.Body, list)
		case *ast.RangeStmt:
			inBlock(s, s.Body, list)
		case *ast.SwitchStmt:
			inClauses(s, s.Body, list)
		case *ast.TypeSwitchStmt:
			inClauses(s, s.Body, list)
		case *ast.SelectStmt:
			inClauses(s, s.Body, list)
		default:
			all = append(all, statement{text: f.text(s), start: f.offset(s.Pos()), after: f.offset(s.End()), list: list})
		}
	}
	visitList = func(list *statementList) {
		for _, s := range list.stmts {
			visit(s, list)
		}
	}
	visitList(&statementList{stmts: w.fn.body.List, whole: true})
	return all
}

// Unlinked returns the name of a queue that the guide knows, but not in this version: no
// statement gives work to it, or none takes it. A following would end there. Unlinked
// returns "" if there is no such queue.
func (g *Guide) Unlinked(version string) (queue string) {
	for _, name := range slices.Sorted(maps.Keys(g.Programs)) {
		for _, h := range hopsForVersion(version, g.Programs[name].Causes) {
			if len(h.Give) == 0 || len(h.Take) == 0 {
				return h.Name
			}
		}
	}
	return ""
}
