package web_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/step"
	"github.com/kubeapitrace/apitrace/ui/web"
)

// bundled returns a module of the page as a script that defines a global name.
func bundled(t testing.TB, module, name string) string {
	t.Helper()
	folder, err := filepath.Abs("../../ui/web/page")
	if err != nil {
		t.Fatal(err)
	}
	result := api.Build(api.BuildOptions{
		Stdin: &api.StdinOptions{Contents: module, ResolveDir: folder}, Bundle: true, Format: api.FormatIIFE, GlobalName: name,
	})
	if len(result.Errors) > 0 {
		t.Fatal(result.Errors)
	}
	return string(result.OutputFiles[0].Contents)
}

// loadEngine defines window.about in a page of a server. The function answers a question
// about the calls of a request, as the page answers it from the table of the calls.
func loadEngine(b *tab) {
	b.Helper()
	js[any](b, bundled(b.TB, `export * from './src/calls.ts'; export * from './src/answers.ts'`, "engine")+`; window.engine = engine; null`)
	js[any](b, `(() => {
		const tables = new Map();
		window.about = async (path, query) => {
			const asked = engine.question(path);
			const get = async (rest) => (await fetch('/apis/apitrace/v1' + asked.request + rest)).json();
			if (!tables.has(asked.request)) tables.set(asked.request, new engine.Calls(await get('/calls')));
			return await engine.answer(tables.get(asked.request), asked, query ?? {}, 'en', () => get('/view?lang=en')) ?? null;
		};
	})()`)
}

// askPage asks the page about the calls of a request.
func askPage[T any](b *tab, path string) T {
	b.Helper()
	return js[T](b, fmt.Sprintf(`(() => { const url = new URL(%q, location.href); return about(url.pathname, Object.fromEntries(url.searchParams)); })()`, path))
}

// An expected is a question to the page, and fields that the answer must have.
type expected struct {
	Path  string         `json:"path"`
	Query map[string]any `json:"query,omitempty"`
	Want  any            `json:"want"`
}

// compareWithModel defines window.wrong. It asks questions, and returns the wrong
// answers. An answer is wrong if it lacks an expected field or has another value there.
const compareWithModel = `(() => {
	const lacks = (got, want) => {
		if (want === null || typeof want !== 'object') return got !== want;
		if (Array.isArray(want)) return !Array.isArray(got) || got.length !== want.length || want.some((w, i) => lacks(got[i], w));
		return !got || Object.entries(want).some(([k, w]) => lacks(got[k], w));
	};
	window.wrong = async (questions) => {
		const all = [];
		for (const q of questions) {
			const got = await about(q.path, q.query);
			if (lacks(got, q.want)) all.push(q.path + ' ' + JSON.stringify(q.query) + ': ' + JSON.stringify(got).slice(0, 600) + '\nexpected: ' + JSON.stringify(q.want).slice(0, 600));
		}
		return all;
	};
})()`

// TestPageReadsCallsAsTheModelDoes compares the page's answers about single calls with the
// model: the tree, the places of calls, and the positions of a debugger.
func TestPageReadsCallsAsTheModelDoes(t *testing.T) {
	parallel(t)
	readsCallsAsTheModelDoes(t, map[string]int{"get-node": 8})
}

// TestNightlyPageReadsCallsAsTheModelDoes tests more calls and more recordings.
func TestNightlyPageReadsCallsAsTheModelDoes(t *testing.T) {
	testenv.Nightly(t)
	readsCallsAsTheModelDoes(t, map[string]int{"get-node": 1, "create-deployment": 7, "get-forbidden": 2, "watch-pods": 5})
}

// readsCallsAsTheModelDoes asks about every nth call of recordings.
func readsCallsAsTheModelDoes(t *testing.T, scenarios map[string]int) {
	t.Helper()
	server := served(t)
	for scenario, every := range scenarios {
		t.Run(scenario, func(t *testing.T) {
			b := open(t, server, firstRequest, 1280)
			b.is("document.querySelector('.tree')")
			loadEngine(b)
			js[any](b, compareWithModel)
			rec := recorded(t, scenario)
			for n := range rec.Requests {
				list, err := json.Marshal(questions(&rec.Requests[n], fmt.Sprintf("/releases/v1.37.1/scenarios/%s/requests/%d", scenario, n+1), every))
				if err != nil {
					t.Fatal(err)
				}
				for _, wrong := range js[[]string](b, fmt.Sprintf("wrong(%s)", list)) {
					t.Error(wrong)
				}
			}
		})
	}
}

// questions returns questions about every nth call of a request, with the answers of the
// model.
func questions(r *trace.Request, path string, every int) []expected {
	tree := trace.TreeOfValid(r)
	places, walker := trace.NewPlaces(tree), step.Walker{Tree: tree}
	all := []expected{
		{path + "/calls", map[string]any{"from": 100, "limit": 3}, map[string]any{"total": tree.Len(), "from": min(100, tree.Len())}},
		{path + "/find", map[string]any{"function": "no.Such"}, map[string]any{"index": -1, "exact": false}},
		{fmt.Sprintf("%s/calls/%d", path, tree.Len()), nil, nil},
	}
	for i := 0; i < tree.Len(); i += every {
		call, name := fmt.Sprintf("%s/calls/%d", path, i), places.Name(i)
		var stack, children []any
		for child := i; tree.Parent(child) >= 0; child = tree.Parent(child) {
			stack = append(stack, map[string]any{"index": tree.Parent(child), "line": tree.Call(child).CallerLine})
		}
		for child := range tree.Children(i) {
			children = append(children, map[string]any{"index": child, "function": tree.Call(child).Function})
		}
		c := tree.Call(i)
		all = append(all, expected{call, nil, map[string]any{"nth": name.Nth, "stack": orEmpty(stack), "call": map[string]any{
			"index": i, "function": c.Function, "file": c.File, "line": c.Line, "callerLine": c.CallerLine, "process": c.Process, "startNs": c.StartNs,
			"durationNs": c.DurationNs, "error": c.Error, "attributes": orNone(c.Attributes), "caller": tree.Parent(i), "depth": tree.Depth(i),
			"ownNs": tree.SelfNs(i), "below": tree.End(i) - i - 1,
		}}})
		if len(children) <= 200 {
			all = append(all, expected{call + "/children", nil, map[string]any{"total": len(children), "items": orEmpty(children)}})
		}
		for _, nth := range []int{name.Nth, name.Nth + 1} {
			found, exact := places.Find(trace.CallName{Function: name.Function, Caller: name.Caller, Nth: nth})
			all = append(all, expected{path + "/find", map[string]any{"function": name.Function, "caller": name.Caller, "nth": nth}, map[string]any{"index": found, "exact": exact}})
		}
		all = append(all, positions(walker, i, path+"/position")...)
	}
	return all
}

// positions returns questions about the positions in a call, and about the steps from them.
func positions(w step.Walker, call int, path string) []expected {
	from := []step.Position{{Call: call}, {Call: call, Kind: step.Returning}}
	if w.Tree.End(call) > call+1 {
		from = append(from, step.Position{Call: call, Kind: step.Calling, Next: call + 1})
	}
	var all []expected
	ask := func(p step.Position, action string, direction string, reached step.Position, moved bool) {
		query := map[string]any{"call": p.Call, "kind": p.Kind.String(), "next": p.Next}
		if action != "" {
			query["action"], query["direction"] = action, direction
		}
		stack := []any{}
		for _, frame := range w.Stack(reached) {
			stack = append(stack, map[string]any{"index": frame.Call, "line": frame.Line})
		}
		returned, ok := w.Returned(reached)
		if !ok {
			returned = -1
		}
		all = append(all, expected{path, query, map[string]any{
			"call": reached.Call, "kind": reached.Kind.String(), "next": reached.Next, "moved": moved, "number": w.Number(reached), "total": w.Len(),
			"line": w.Line(reached), "returned": returned, "stack": stack,
		}})
	}
	for _, p := range from {
		ask(p, "", "", p, true)
		for name, action := range map[string]step.Action{"into": step.Into, "over": step.Over, "line": step.Line, "out": step.Out} {
			for direction, d := range map[string]step.Direction{"forward": step.Forward, "backward": step.Backward} {
				reached, moved := w.Step(p, action, d)
				ask(p, name, direction, reached, moved)
			}
		}
	}
	return all
}

func orEmpty(list []any) []any {
	if list == nil {
		return []any{}
	}
	return list
}

func orNone(attributes map[string]string) map[string]string {
	if attributes == nil {
		return map[string]string{}
	}
	return attributes
}

// TestLinksFindTheirCallsInAnotherRecording makes links from one recording and opens them
// on another recording. The calls have other numbers there.
func TestLinksFindTheirCallsInAnotherRecording(t *testing.T) {
	rec, file := renumbered(t)
	b := open(t, start(t, web.Options{Files: []web.File{file}}), firstRequest, 1280)
	b.is("document.querySelector('.tree')")
	loadEngine(b)
	const releases = "/releases/v1.37.1/scenarios/"
	places := trace.NewPlaces(trace.TreeOfValid(&rec.Requests[0]))
	for i := 1; i < len(rec.Requests[0].Calls); i += 13 {
		name := places.Name(i)
		found := askPage[struct {
			Index int
			Exact bool
		}](b, fmt.Sprintf("%sother.jsonl/requests/1/find?nth=%d&function=%s&caller=%s", releases, name.Nth, escape(name.Function), escape(name.Caller)))
		if found.Index != i+1 || !found.Exact {
			t.Errorf("call %d of %s is found at %+v, expected %d", i, name.Function, found, i+1)
		}
	}
}

// A timeline is the page's answer about a span of time.
type timeline struct {
	TotalNs, FirstNs int64
	Hidden           int
	Lanes            []lane
}

type lane struct {
	Process string
	Boxes   []struct {
		Call                int
		StartNs, DurationNs int64
		Leaf, Unfinished    bool
		Name                string
	}
}
