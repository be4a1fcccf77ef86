package render

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/spoken"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view"
)

// indentedRequest makes a request of a text: a call per line, a blank for each level of depth,
// "package.Function name=value". Beside values there are "error=text", "leaf", "ns=duration", "go" on a new goroutine, and "in=process".
func indentedRequest(text string) trace.Request {
	r := trace.Request{TraceID: strings.Repeat("a", 32), Method: "GET", Path: "/x", Status: 200}
	var above []string
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		depth := len(line) - len(strings.TrimLeft(line, " "))
		call := trace.Call{
			ID: fmt.Sprintf("%016x", len(r.Calls)+1), Function: words[0], File: "example.org/" + strings.SplitN(words[0], ".", 2)[0] + "/f.go",
			Line: 7, Process: "kube-apiserver", StartNs: int64(len(r.Calls)), Goroutine: 1,
		}
		for _, word := range words[1:] {
			name, value, _ := strings.Cut(word, "=")
			switch name {
			case "error":
				call.Error = value
				continue
			case "leaf":
				call.Leaf = true
				continue
			case "go":
				call.NewGoroutine = true
				continue
			case "in":
				call.Process = value
				continue
			case "ns":
				call.DurationNs, _ = strconv.ParseInt(value, 10, 64)
				continue
			}
			call.Attributes = map[string]string{name: value}
		}
		above = append(above[:depth], call.ID)
		if depth > 0 {
			call.Parent = above[depth-1]
		}
		r.Calls = append(r.Calls, call)
	}
	return r
}

func comparisonOf(t *testing.T, a, b string, releaseA, releaseB string) *diff.Comparison {
	t.Helper()
	return diff.CompareRecordings(
		&trace.Recording{Scenario: "one", K8sVersion: releaseA, Requests: []trace.Request{indentedRequest(a)}},
		&trace.Recording{Scenario: "two", K8sVersion: releaseB, Requests: []trace.Request{indentedRequest(b)}}, diff.Options{Times: true})
}

// everyStep is a guide to which every function is a key step of one layer.
type everyStep struct{}

func (everyStep) Layer(string) string     { return "layer" }
func (everyStep) Key(string) bool         { return true }
func (everyStep) Minor(string) bool       { return false }
func (everyStep) Constructor(string) bool { return false }
func (everyStep) Group(string) string     { return "" }
func (everyStep) Title(string) string     { return "Layer" }
func (everyStep) Note(string) string      { return "" }
func (everyStep) Values(string) []string  { return nil }

// codeOf makes the source of a release of its trace: each function calls what it called. The calls of also
// stand in the source, too, and did not run: "caller callee".
func codeOf(release string, r trace.Request, also ...string) *recordings.Code {
	texts := map[string]*recordings.Source{}
	text := func(name string) *recordings.Source {
		if texts[name] == nil {
			texts[name] = &recordings.Source{Name: name}
		}
		return texts[name]
	}
	tree := trace.TreeOfValid(&r)
	for i := range tree.Len() {
		f := text(tree.Call(i).Function)
		for child := range tree.Children(i) {
			f.Calls = append(f.Calls, recordings.SourceCall{Name: tree.Call(child).Function})
		}
	}
	for _, call := range also {
		caller, callee, _ := strings.Cut(call, " ")
		callee, leaf := strings.CutSuffix(callee, "!")
		f := text(caller)
		f.Calls = append(f.Calls, recordings.SourceCall{Name: callee})
		if leaf {
			text(callee).Spanless = recordings.SpanlessLeaf
		}
		text(callee)
	}
	program := &recordings.Program{}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		program.Functions = append(program.Functions, *texts[name])
	}
	return recordings.NewCode(release, map[string]*recordings.Program{"kube-apiserver": program})
}

func TestSentences(t *testing.T) {
	tests := []struct{ name, a, b, en, zh string }{
		{"added", "p.A\n p.B", "p.A\n p.B\n p.C", "p.A now calls p.C [the traced packages of 50%A have no p.C]", "p.A 现在调用 p.C [50%A 的被追踪包中没有 p.C]"},
		{"added in a loop", "p.A", "p.A\n p.C\n p.C", "p.A now calls p.C twice [the traced packages of 50%A have no p.C]", "p.A 现在调用 p.C 2 次 [50%A 的被追踪包中没有 p.C]"},
		{"removed", "p.A\n p.B", "p.A", "p.A no longer calls p.B [the traced packages of two have no p.B]", "p.A 不再调用 p.B [two 的被追踪包中没有 p.B]"},
		{"came between", "p.A\n p.B", "p.A\n p.W\n  p.B", "p.W now stands between p.A and p.B [the traced packages of 50%A have no p.W]", "p.W 现在位于 p.A 和 p.B 之间 [50%A 的被追踪包中没有 p.W]"},
		{"went from between", "p.A\n p.W\n  p.B", "p.A\n p.B", "p.W no longer stands between p.A and p.B [the traced packages of two have no p.W]", "p.W 不再位于 p.A 和 p.B 之间 [two 的被追踪包中没有 p.W]"},
		{"moved", "p.A\n p.P\n  p.M\n   p.N\n p.Q", "p.A\n p.P\n p.Q\n  p.M\n   p.N", "p.M is now called by p.Q, no longer by p.P", "p.M 现在由 p.Q 调用，不再由 p.P 调用"},
		{"renamed", "p.A\n p.getIt\n  p.X", "p.A\n p.GetIt\n  p.X", "p.getIt is now p.GetIt", "p.getIt 现在是 p.GetIt"},
		{"replaced", "p.A\n p.Old\n  p.X\n   p.Y", "p.A\n q.Different\n  q.More\n   p.X\n    p.Y", "q.Different takes the place of p.Old between p.A and p.X", "q.Different 取代 p.Old，位于 p.A 和 p.X 之间"},
		{
			"a function that calls itself once more", "p.A\n p.U\n  p.U\n   p.X", "p.A\n p.U\n  p.U\n   p.U\n    p.X",
			"calls of p.U are nested 2 deep below p.A in 50%A, 3 deep in two", "p.U 在 p.A 之下嵌套调用，在 50%A 中为 2 层，在 two 中为 3 层",
		},
		{"repeated", "p.A\n p.L", "p.A\n p.L\n p.L", "p.A calls p.L once in 50%A, twice in two", "p.A 在 50%A 中调用 p.L 1 次，在 two 中 2 次"},
		{
			"it runs later", "p.A\n p.B\n  p.X\n p.C\n p.D\n p.E", "p.A\n p.C\n p.D\n p.B\n  p.X\n p.E",
			"below p.A, p.B runs after p.D in two, before it in 50%A", "在 p.A 之下，p.B 在 two 中排在 p.D 之后，在 50%A 中排在它之前",
		},
		{
			"it runs earlier", "p.A\n p.E\n p.C\n p.D\n p.B\n  p.X", "p.A\n p.E\n p.B\n  p.X\n p.C\n p.D",
			"below p.A, p.B runs before p.C in two, after it in 50%A", "在 p.A 之下，p.B 在 two 中排在 p.C 之前，在 50%A 中排在它之后",
		},
		{
			"calls of one name have changed places", "p.A\n p.B\n  p.X\n   p.V\n p.B\n  p.Y\n   p.Z", "p.A\n p.B\n  p.Y\n   p.Z\n p.B\n  p.X\n   p.V",
			"below p.A, p.B has another place in the order of calls", "在 p.A 之下，p.B 在调用次序中的位置变了",
		},
		{"another value", "p.A\n p.B apitrace.storage.type=x", "p.A\n p.B apitrace.storage.type=y", "storage type of p.B is x in 50%A, y in two", "p.B 的 storage type 在 50%A 中是 x，在 two 中是 y"},
		{
			"two types with one short name", "p.A\n p.B apitrace.storage.type=*x.io/plugin/quota.Q", "p.A\n p.B apitrace.storage.type=*x.io/admission/quota.Q",
			"storage type of p.B is *plugin/quota.Q in 50%A, *admission/quota.Q in two", "p.B 的 storage type 在 50%A 中是 *plugin/quota.Q，在 two 中是 *admission/quota.Q",
		},
		{"only its time", "p.A ns=100\n p.B ns=5", "p.A ns=155\n p.B ns=60", "p.B by itself took 5ns in 50%A, 60ns in two", "p.B 本身在 50%A 中用了 5ns，在 two 中用了 60ns"},
		{"fails", "p.A\n p.B", "p.A\n p.B error=boom", "p.B fails only in two: boom", "p.B 只在 two 中失败：boom"},
		{"fails no more", "p.A\n p.B error=boom", "p.A\n p.B", "p.B fails only in 50%A: boom", "p.B 只在 50%A 中失败：boom"},
		{
			"what is for several plugins is one sentence",
			"p.A\n p.W\n  p.H apitrace.admission.plugin=a", "p.A\n p.W\n  p.H apitrace.admission.plugin=a\n  p.H apitrace.admission.plugin=b\n  p.H apitrace.admission.plugin=c",
			"the plugins b, c are called only in two, by p.W", "只有 two 调用插件 b、c，由 p.W 调用",
		},
		{
			"both phases of admission are one sentence",
			"p.A\n p.V\n  p.H apitrace.admission.plugin=a\n p.W\n  p.I apitrace.admission.plugin=a",
			"p.A\n p.V\n  p.H apitrace.admission.plugin=a\n  p.H apitrace.admission.plugin=b\n p.W\n  p.I apitrace.admission.plugin=a\n  p.I apitrace.admission.plugin=b",
			"the plugin b is called only in two, by p.V and p.W", "只有 two 调用插件 b，由 p.V 和 p.W 调用",
		},
		{
			"other plugins in the other phase are a sentence of their own",
			"p.A\n p.V\n  p.H apitrace.admission.plugin=a\n p.W\n  p.I apitrace.admission.plugin=a",
			"p.A\n p.V\n  p.H apitrace.admission.plugin=a\n  p.H apitrace.admission.plugin=b\n p.W\n  p.I apitrace.admission.plugin=a\n  p.I apitrace.admission.plugin=c",
			"the plugin b is called only in two, by p.V; the plugin c is called only in two, by p.W", "只有 two 调用插件 b，由 p.V 调用; 只有 two 调用插件 c，由 p.W 调用",
		},
		{
			"what is called again for the same plugins is told once",
			"p.A\n p.V\n  p.H apitrace.admission.plugin=a\n p.W\n p.W\n  p.X",
			"p.A\n p.V\n  p.H apitrace.admission.plugin=a\n p.W\n  p.H apitrace.admission.plugin=b\n  p.H apitrace.admission.plugin=c\n p.W\n  p.X\n  p.H apitrace.admission.plugin=b\n  p.H apitrace.admission.plugin=c",
			"p.W now calls p.H (b, c)", "p.W 现在调用 p.H（b、c）",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := comparisonOf(t, test.a, test.b, "v1", "v2")
			finder := diff.NewReasonsOf(codeOf("v1", c.A.Requests[0]), codeOf("v2", c.B.Requests[0]))
			for lang, want := range map[string]string{"en": test.en, "zh": test.zh} {
				if got := sentences(t, c, finder, lang); got != want {
					t.Errorf("%s: got %q, want %q", lang, got, want)
				}
			}
		})
	}
}

// TestSentencesAskTheSource checks that what did not run on one side is not said to be gone: it may stand in
// the source of both, or have no span.
func TestSentencesAskTheSource(t *testing.T) {
	tests := []struct {
		name, a, b   string
		alsoA, alsoB []string
		want         string
	}{
		{"it ran on one side", "p.A\n p.B", "p.A", nil, []string{"p.A p.B"}, "p.A calls p.B only in 50%A [both sources have this call of p.B; they do not tell why only 50%A made it]"},
		{"it lost its span", "p.A\n p.B", "p.A", nil, []string{"p.A p.B!"}, "p.A calls p.B on both sides; it has no span in two [it calls nothing, and apitrace did not record such functions then]"},
		{"it got a span", "p.A", "p.A\n p.B", []string{"p.A p.B!"}, nil, "p.A calls p.B on both sides; it has no span in 50%A [it calls nothing, and apitrace did not record such functions then]"},
		{"it is in a package that is not traced", "p.A\n p.B", "p.A", nil, []string{"p.A x.org/p.B"}, "p.A calls p.B on both sides; in two it is in a package that is not traced [in two the package is x.org/p]"},
		{"the caller changed", "p.A\n p.B", "p.A", nil, []string{"p.C p.B"}, "p.A no longer calls p.B"},
		{"both callers have it", "p.A\n p.P\n  p.M\n   p.N\n p.Q", "p.A\n p.P\n p.Q\n  p.M\n   p.N", []string{"p.Q p.M"}, nil, "p.M is called by p.P in 50%A, by p.Q in two"},
		{"both names are there", "p.A\n p.getIt\n  p.X", "p.A\n p.GetIt\n  p.X", nil, []string{"p.C p.getIt"}, "p.GetIt takes the place of p.getIt"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := comparisonOf(t, test.a, test.b, "v1", "v2")
			b := codeOf("v2", c.B.Requests[0], test.alsoB...)
			if test.name == "it is in a package that is not traced" {
				b = withoutPackage(b, "x.org/p")
			}
			finder := diff.NewReasonsOf(codeOf("v1", c.A.Requests[0], test.alsoA...), b)
			if got := sentences(t, c, finder, "en"); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestSentencesNameTheBranch checks what is said of a call that both sources have and one side made.
func TestSentencesNameTheBranch(t *testing.T) {
	inA := recordings.Branch{Kind: recordings.BranchIn, Text: "if n > 3", Line: 1}
	for _, test := range []struct {
		name   string
		of     recordings.Branch
		there  []recordings.Branch
		values string
		en, zh string
	}{
		{"the same on both sides", inA, []recordings.Branch{inA}, "", "; in two the call stands where `n > 3` holds (p/f.go:8)", "; 在 two 中，此调用在 `n > 3` 成立时才到达 (p/f.go:8)"},
		{"none", recordings.Branch{}, []recordings.Branch{inA}, "", "; they do not tell why only two made it", "；为什么只有 two 调用，源码说明不了"},
		{"another on the other side", inA, []recordings.Branch{{Kind: recordings.BranchElse, Text: "if ok", Line: 4}}, "",
			"; in two the call stands where `n > 3` holds (p/f.go:8); in one the call stands where `ok` does not hold", "; 在 two 中，此调用在 `n > 3` 成立时才到达 (p/f.go:8); 在 one 中，此调用在 `ok` 不成立时才到达"},
		{"none on the other side", inA, []recordings.Branch{{}}, "", "; in two the call stands where `n > 3` holds (p/f.go:8); in one the call stands in no branch", "; 在 two 中，此调用在 `n > 3` 成立时才到达 (p/f.go:8); 在 one 中，此调用不在任何分支里"},
		{"several on the other side", inA, []recordings.Branch{{}, {Kind: recordings.BranchIn, Text: "if ok"}}, "", "; in two the call stands where `n > 3` holds (p/f.go:8)", "; 在 two 中，此调用在 `n > 3` 成立时才到达 (p/f.go:8)"},
		{"a limit", recordings.Branch{Kind: recordings.BranchPast, Text: "if took < limit", Threshold: recordings.ThresholdTime}, nil, "",
			"; in two the call stands where `took < limit` does not hold (p/f.go:7), else it leaves before, a limit of time", "; 在 two 中，此调用在 `took < limit` 不成立时才到达 (p/f.go:7)，成立则提前离开，这是时间阈值"},
		{"an assertion", recordings.Branch{Kind: recordings.BranchIn, Text: "if m, ok := h.(M); ok", Line: 1}, []recordings.Branch{{Kind: recordings.BranchElse, Text: "if m, ok := h.(M); ok", Line: 1}}, "",
			"; in two the call stands where `h` is of type `M` (p/f.go:8); in one the call stands where `h` is not of type `M`", "; 在 two 中，此调用在 `h` 的类型为 `M` 时才到达 (p/f.go:8); 在 one 中，此调用在 `h` 的类型不是 `M` 时才到达"},
		{"behind ||", recordings.Branch{Kind: recordings.BranchIn, Text: "a ||", Line: 1}, []recordings.Branch{{Kind: recordings.BranchIn, Text: "switch x case 1", Line: 1}}, "",
			"; in two the call stands where `a` does not hold (p/f.go:8); in one the call stands in the branch `switch x case 1`", "; 在 two 中，此调用在 `a` 不成立时才到达 (p/f.go:8); 在 one 中，此调用位于分支 `switch x case 1` 中"},
		{"a plugin of a list", recordings.Branch{Kind: recordings.BranchLoop, Text: "range handlers"}, []recordings.Branch{{}}, " apitrace.admission.plugin=x",
			"; in two the call stands in the loop over `handlers` (p/f.go:7); in one the call stands in no branch; in one, p.A does not call this plugin", "; 在 two 中，此调用位于对 `handlers` 的循环中 (p/f.go:7); 在 one 中，此调用不在任何分支里; 在 one 中，p.A 不调用这个插件"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.there == nil {
				test.there = []recordings.Branch{test.of}
			}
			a, b := indentedRequest("p.A"), indentedRequest("p.A\n p.B"+test.values)
			b.Calls[1].CallerLine = 9
			codeOf := func(branches ...recordings.Branch) *recordings.Code {
				caller := recordings.Source{Name: "p.A"}
				for _, branch := range branches {
					caller.Calls = append(caller.Calls, recordings.SourceCall{Name: "p.B", Line: 2, Branch: branch})
				}
				program := &recordings.Program{Functions: []recordings.Source{caller, {Name: "p.B"}}}
				return recordings.NewCode("v1", map[string]*recordings.Program{"kube-apiserver": program})
			}
			c := diff.CompareRecordings(&trace.Recording{Scenario: "one", K8sVersion: "v1", Requests: []trace.Request{a}},
				&trace.Recording{Scenario: "two", K8sVersion: "v2", Requests: []trace.Request{b}}, diff.Options{})
			finder := diff.NewReasonsOf(codeOf(test.there...), codeOf(test.of))
			name := "p.B"
			if test.values != "" {
				name = "p.B (x)"
			}
			if got, want := strings.ReplaceAll(sentences(t, c, finder, "en"), "50%A", "one"), "p.A calls "+name+" only in two [both sources have this call of p.B"+test.en+"]"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if test.values != "" {
				name = "p.B（x）"
			}
			if got, want := strings.ReplaceAll(sentences(t, c, finder, "zh"), "50%A", "one"), "只有 two 中的 p.A 调用 "+name+" [两侧源码中都有对 p.B 的这次调用"+test.zh+"]"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// withoutPackage takes the functions of a package out of a source.
func withoutPackage(code *recordings.Code, pkg string) *recordings.Code {
	program := &recordings.Program{}
	for _, f := range code.Functions("kube-apiserver") {
		if !strings.HasPrefix(f.Name, pkg) {
			program.Functions = append(program.Functions, *f)
		}
	}
	return recordings.NewCode("v2", map[string]*recordings.Program{"kube-apiserver": program})
}

// TestSentencesWithoutSource checks that nothing is said of the source where nothing is known of it.
func TestSentencesWithoutSource(t *testing.T) {
	c := comparisonOf(t, "p.A\n p.B\n p.L", "p.A\n p.C\n p.L\n p.L", "v1", "v2")
	want := "p.A leads to p.B only in 50%A; p.A leads to p.C only in two; p.L runs once below p.A in 50%A, twice in two"
	if got := sentences(t, c, nil, "en"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSentencesOfScenarios checks that two scenarios on one release are told apart without
// a before and after.
func TestSentencesOfScenarios(t *testing.T) {
	for _, test := range []struct{ a, b, en, zh string }{
		{
			"p.A\n p.B\n p.L", "p.A\n p.C\n p.L\n p.L",
			"p.A calls p.B only in 50%A; p.A calls p.C only in two; p.A calls p.L once in 50%A, twice in two",
			"只有 50%A 中的 p.A 调用 p.B; 只有 two 中的 p.A 调用 p.C; p.A 在 50%A 中调用 p.L 1 次，在 two 中 2 次",
		},
		{
			"p.A\n p.B\n  p.X\n p.C\n p.D", "p.A\n p.C\n p.D\n p.B\n  p.X",
			"below p.A, p.B runs after p.D in two, before it in 50%A", "在 p.A 之下，p.B 在 two 中排在 p.D 之后，在 50%A 中排在它之前",
		},
		{
			"p.A\n p.C\n p.D\n p.B\n  p.X", "p.A\n p.B\n  p.X\n p.C\n p.D",
			"below p.A, p.B runs before p.C in two, after it in 50%A", "在 p.A 之下，p.B 在 two 中排在 p.C 之前，在 50%A 中排在它之后",
		},
	} {
		c := comparisonOf(t, test.a, test.b, "v1", "v1")
		code := codeOf("v1", c.A.Requests[0], "p.A p.C")
		for lang, want := range map[string]string{"en": test.en, "zh": test.zh} {
			if got := sentences(t, c, diff.NewReasonsOf(code, code), lang); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	}
}

func sentences(t *testing.T, c *diff.Comparison, finder *diff.Reasons, lang string) string {
	t.Helper()
	options := DiffOptions{Options: Options{Lang: lang}, NameA: "50%A", NameB: "two"}
	differences := view.NewDifferences(c.Requests[0].Diff, everyStep{})
	changed := view.NewSummary(differences, everyStep{}, options.sides(c), finder).Layers
	if len(changed) != 1 {
		t.Fatalf("layers that changed: %+v", changed)
	}
	return told(changed[0], options.words(c))
}

// told returns the sentences of a layer, with the evidence of each in brackets.
func told(layer view.LayerSummary, words diffWords) string {
	var all []string
	for i := range layer.Statements {
		said := words.statement(&layer.Statements[i])
		if len(said.Evidence) > 0 {
			said.Text += " [" + strings.Join(said.Evidence, "; ") + "]"
		}
		all = append(all, said.Text)
	}
	return strings.Join(all, "; ")
}

// filterSteps is a guide with the layers "filters" and "flow". All functions are key steps but those whose names begin with Track.
type filterSteps struct{ everyStep }

func (filterSteps) Key(function string) bool  { return !strings.HasPrefix(function, "p.Track") }
func (filterSteps) Title(layer string) string { return layer }
func (filterSteps) Layer(function string) string {
	if strings.HasPrefix(function, "p.Flow") || function == "q.MaxInFlight" {
		return "flow"
	}
	return "filters"
}

// TestKeyStepsBetween adds several filters in one place. The summary must name those that are key steps, each in its layer, and must say
// that one takes the place of a filter of the same layer that was removed. A filter around them that is not a key step counts as a
// smaller change.
func TestKeyStepsBetween(t *testing.T) {
	const a = "p.A\n p.Imp\n  q.MaxInFlight\n   p.Authz\n    p.X"
	const b = "p.A\n p.Imp\n  p.TrackStarted\n   p.Audit\n    p.Flow\n     p.FlowQueue\n      p.Authz\n       p.X"
	for _, test := range []struct {
		name         string
		alsoA, alsoB []string
		want, brief  string
	}{
		{
			"new in the source", nil, nil,
			"filters: p.Audit now stands between p.Imp and p.Authz [the traced packages of v1 have no p.Audit] (1 smaller)\nflow: p.Flow takes the place of q.MaxInFlight between p.Imp and p.Authz (0 smaller)\n",
			"+ p.Audit, p.Flow; - q.MaxInFlight",
		},
		{
			"in both sources", []string{"p.Other p.Flow", "p.Other p.Audit"}, []string{"p.Other q.MaxInFlight"},
			"filters: p.Audit stands between p.Imp and p.Authz only in v2 (1 smaller)\nflow: q.MaxInFlight no longer stands between p.Imp and p.Authz; p.Flow stands between p.Imp and p.Authz only in v2; p.Flow now calls p.FlowQueue [the traced packages of v1 have no p.FlowQueue] (0 smaller)\n",
			"- q.MaxInFlight; (+) p.Audit, p.Flow",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := comparisonOf(t, a, b, "v1", "v2")
			finder := diff.NewReasonsOf(codeOf("v1", c.A.Requests[0], test.alsoA...), codeOf("v2", c.B.Requests[0], test.alsoB...))
			options := DiffOptions{NameA: "v1", NameB: "v2"}
			got := ""
			for _, layer := range view.NewSummary(view.NewDifferences(c.Requests[0].Diff, filterSteps{}), filterSteps{}, options.sides(c), finder).Layers {
				got += fmt.Sprintf("%s: %s (%d smaller)\n", layer.Title, told(layer, options.words(c)), layer.Smaller)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("sentences, -want +got:\n%s", diff)
			}
			brief := newHistoryDrawing(filterSteps{}, options).brief(c, finder)
			for _, differences := range brief.requests {
				if differences.Merged != nil {
					t.Error("the requests were merged, and the line of a history shows no tree")
				}
			}
			var marks []string
			for _, mark := range brief.marks {
				marks = append(marks, mark+" "+strings.Join(brief.told[mark], ", "))
			}
			if got := strings.Join(marks, "; "); got != test.brief {
				t.Errorf("history: %q, expected %q", got, test.brief)
			}
		})
	}
}

// TestHistorySaysOfEarlyPatches removes a function in an early patch release and adds it again in the next minor release: a history must
// say that this may be a backport.
func TestHistorySaysOfEarlyPatches(t *testing.T) {
	step := func(version string, came, went []string) HistoryStep {
		return HistoryStep{Version: version, Calls: 1, Changes: HistoryChanges{Text: "the same path", Came: came, Went: went}}
	}
	x := []string{"p.X"}
	for _, test := range []struct {
		name  string
		steps []HistoryStep
		want  string
	}{
		{"it goes and comes back", []HistoryStep{step("v1.17.17", nil, nil), step("v1.18.2", nil, x), step("v1.19.16", x, nil)}, "earlier patch releases than those before and after: v1.18.2 (p.X); "},
		{"a release in between is not recorded", []HistoryStep{step("v1.16.15", nil, nil), {Version: "v1.17.17", NotRecorded: true}, step("v1.18.2", x, nil), step("v1.19.16", nil, x)}, "after: v1.18.2 (p.X); "},
		{"it stays away", []HistoryStep{step("v1.17.17", nil, nil), step("v1.18.2", nil, x), step("v1.19.16", nil, nil)}, ""},
		{"it goes again", []HistoryStep{step("v1.17.17", nil, nil), step("v1.18.2", nil, x), step("v1.19.16", nil, x)}, ""},
		{"the patch is no earlier", []HistoryStep{step("v1.17.17", nil, nil), step("v1.18.20", nil, x), step("v1.19.16", x, nil)}, ""},
	} {
		var out strings.Builder
		if err := WriteHistory(&out, test.steps, everyStep{}, DiffOptions{Options: Options{Width: 1000}}); err != nil {
			t.Fatal(err)
		}
		_, got, found := strings.Cut(out.String(), "one release only\n")
		if !found || (got != "") != (test.want != "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: below the signs %q, expected %q", test.name, got, test.want)
		}
	}
}

// TestReorderedPlace: a reordered call has its old place only if that is another one.
func TestReorderedPlace(t *testing.T) {
	for line, want := range map[int]string{7: "reordered\n", 9: "reordered p/f.go:9\n"} {
		c := comparisonOf(t, "p.A\n p.B\n  p.X\n p.C\n p.D", "p.A\n p.C\n p.D\n p.B\n  p.X", "v1", "v2")
		for _, requests := range c.Requests {
			requests.Diff.A.Call(1).Line = line // of p.B
		}
		var out strings.Builder
		if err := WriteDiff(&out, c, everyStep{}, DiffOptions{NameA: "v1", NameB: "v2"}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(out.String(), "      "+want) {
			t.Errorf("in line %d before and 7 after: expected %q in\n%s", line, want, &out)
		}
	}
}

// TestWriteDiff draws each kind of change once, in a tree and next to each other.
func TestWriteDiff(t *testing.T) {
	a := "p.A\n p.Gone\n p.getIt\n  p.X\n p.L\n p.V apitrace.storage.type=x"
	b := "p.A\n p.GetIt\n  p.X\n p.L\n p.L\n p.V apitrace.storage.type=y\n p.New"
	c := comparisonOf(t, a, b, "v1", "v2")
	options := DiffOptions{Options: Options{Width: 60}, NameA: "v1", NameB: "v2"}
	var out strings.Builder
	if err := WriteDiff(&out, c, everyStep{}, options); err != nil {
		t.Fatal(err)
	}
	_, tree, _ := strings.Cut(out.String(), "── 1 Layer")
	_, tree, _ = strings.Cut(tree, "\n")
	want := `    p.A p/f.go:7 ⋯1
-   ├─ p.Gone p/f.go:7
~   ├─ p.GetIt p/f.go:7 ⋯1
    │     was p.getIt p/f.go:7
#   ├─ p.L p/f.go:7
    │     ×1 → ×2
=   ├─ p.V p/f.go:7
    │     storage: x → y
+   └─ p.New p/f.go:7
`
	if diff := cmp.Diff(want, tree[:min(len(tree), len(want))]); diff != "" {
		t.Errorf("tree, -want +got:\n%s", diff)
	}
	out.Reset()
	options.SideBySide = true
	if err := WriteDiff(&out, c, everyStep{}, options); err != nil {
		t.Fatal(err)
	}
	_, tree, _ = strings.Cut(out.String(), "── 1 Layer")
	_, tree, _ = strings.Cut(tree, "\n")
	want = `v1                              v2
p.A p/f.go:7 ⋯1                 p.A p/f.go:7 ⋯1
├─p.Gone p/f.go:7            -  │
├─p.getIt p/f.go:7 ⋯1        ~  ├─p.GetIt p/f.go:7 ⋯1
├─p.L p/f.go:7               #  ├─p.L p/f.go:7
└─p.V p/f.go:7  storage=x    =  ├─p.V p/f.go:7  storage=y
                             +  └─p.New p/f.go:7
`
	if diff := cmp.Diff(want, tree); diff != "" {
		t.Errorf("next to each other, -want +got:\n%s", diff)
	}
}

// onlyFirst is a guide of which p.A is the only key step.
type onlyFirst struct{ everyStep }

func (onlyFirst) Key(name string) bool { return name == "p.A" }

// TestFewChangesAreShown: a change that was just made is mostly no key step. The view shows it as long as there are few.
func TestFewChangesAreShown(t *testing.T) {
	for _, added := range []int{1, fewChanges, fewChanges + 1} {
		a, b := "p.A\n p.B", "p.A\n p.B"
		for i := range added {
			a += fmt.Sprintf("\n p.C%d", i)
			b += fmt.Sprintf("\n p.C%d\n  p.New%d", i, i)
		}
		for _, sideBySide := range []bool{false, true} {
			var out strings.Builder
			if err := WriteDiff(&out, comparisonOf(t, a, b, "v1", "v2"), onlyFirst{}, DiffOptions{Options: Options{Width: 60}, SideBySide: sideBySide, NameA: "v1", NameB: "v2"}); err != nil {
				t.Fatal(err)
			}
			if shown := strings.Count(out.String(), "p.New"); shown != added && added <= fewChanges || shown != 0 && added > fewChanges {
				t.Errorf("%d of %d changes are shown in\n%s", shown, added, &out)
			}
			if hidden := fmt.Sprintf("%d of %[1]d changes are not in this view: --view full", added); strings.Contains(out.String(), hidden) != (added > fewChanges) {
				t.Errorf("%d changes: expected %q only of more than %d in\n%s", added, hidden, fewChanges, &out)
			}
		}
	}
}

// Both forms of a diff show the same steps at every width, with whole names, and keep to the width.
func TestDiffsAtEveryWidth(t *testing.T) {
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	a, err := recordings.Load("v1.30.4", "create-deployment")
	if err != nil {
		t.Fatal(err)
	}
	b, err := recordings.Load("v1.37.1", "create-deployment")
	if err != nil {
		t.Fatal(err)
	}
	c := diff.CompareRecordings(a, b, diff.Options{})
	words := spoken.New(guide, "en", b)
	steps := newDiffDrawing(c, &c.Requests[0], view.NewDifferences(c.Requests[0].Diff, words), words, DiffOptions{})
	for _, width := range widths {
		for _, sideBySide := range []bool{false, true} {
			var out strings.Builder
			if err := WriteDiff(&out, c, words, DiffOptions{Options: Options{Width: width}, SideBySide: sideBySide, NameA: "v1.30.4", NameB: "v1.37.1"}); err != nil {
				t.Fatal(err)
			}
			for line := range strings.SplitSeq(out.String(), "\n") {
				if columns := lipgloss.Width(line); columns > width && !oneName(strings.TrimLeft(line, "+-~=#>^%")) {
					t.Errorf("%d columns of %d: %q", columns, width, line)
				}
			}
			if sideBySide {
				continue // where names that are broken stand next to others
			}
			rest := squeezed(out.String())
			var walk func(n *node)
			walk = func(n *node) {
				name := squeezed(steps.name(n))
				_, behind, ok := strings.Cut(rest, name)
				if !ok {
					t.Fatalf("at %d columns there is no %q where it should be", width, name)
				}
				rest = behind
				for _, child := range calledBy(n) {
					if child.Opens == nil {
						walk(child)
					}
				}
			}
			for _, s := range steps.story.Sections {
				walk(s.Root)
			}
		}
	}
}

func TestCompareURL(t *testing.T) {
	a, b := &trace.Recording{K8sVersion: "v1.30.4", EtcdVersion: "v3.5.10"}, &trace.Recording{K8sVersion: "v1.37.1", EtcdVersion: "v3.7.0"}
	tests := []struct {
		call trace.Call
		want string
	}{
		{
			trace.Call{Process: "kube-apiserver", File: "k8s.io/apiserver/pkg/server/config.go"},
			"https://github.com/kubernetes/kubernetes/compare/v1.30.4...v1.37.1#diff-207875ac", // sha256sum of staging/src/k8s.io/apiserver/pkg/server/config.go
		},
		{trace.Call{Process: "etcd", File: "go.etcd.io/etcd/server/v3/etcdserver/server.go"}, "https://github.com/etcd-io/etcd/compare/v3.5.10...v3.7.0#diff-"},
		{ // Kubernetes' copy of etcd's client, sha256sum of vendor/go.etcd.io/etcd/client/v3/kv.go
			trace.Call{Process: "kube-apiserver", File: "go.etcd.io/etcd/client/v3/kv.go"},
			"https://github.com/kubernetes/kubernetes/compare/v1.30.4...v1.37.1#diff-6ba36287",
		},
		{ // staging/src/k8s.io/api/core/v1/types.go
			trace.Call{Process: "kube-apiserver", File: "k8s.io/api/core/v1/types.go"},
			"https://github.com/kubernetes/kubernetes/compare/v1.30.4...v1.37.1#diff-5ffbebb4",
		},
		{ // vendor/github.com/emicklei/go-restful/v3/container.go
			trace.Call{Process: "kube-apiserver", File: "github.com/emicklei/go-restful/v3/container.go"},
			"https://github.com/kubernetes/kubernetes/compare/v1.30.4...v1.37.1#diff-353bceb7",
		},
		{trace.Call{Process: "etcd", File: "google.golang.org/grpc/server.go"}, ""}, // of which etcd's repository has no copy
		{trace.Call{Process: "kube-apiserver", File: ""}, ""},
	}
	for _, test := range tests {
		if got := trace.CompareURL(a, b, &test.call); !strings.HasPrefix(got, test.want) || test.want == "" && got != "" {
			t.Errorf("of %s: got %q, want %q", test.call.File, got, test.want)
		}
	}
	if got := trace.CompareURL(a, a, &tests[0].call); got != "" {
		t.Errorf("of one release: got %q", got)
	}
}
