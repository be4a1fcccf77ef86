package view

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view/viewtest"
)

func TestSentences(t *testing.T) {
	tests := []struct{ name, a, b, en, zh string }{
		{"added", "p.A\n p.B", "p.A\n p.B\n p.C", "p.A now calls p.C [the source of 50%A has no p.C]", "p.A 现在调用 p.C [50%A 的源码中没有 p.C]"},
		{"added in a loop", "p.A", "p.A\n p.C\n p.C", "p.A now calls p.C twice [the source of 50%A has no p.C]", "p.A 现在调用 p.C 2 次 [50%A 的源码中没有 p.C]"},
		{"removed", "p.A\n p.B", "p.A", "p.A no longer calls p.B [the source of two has no p.B]", "p.A 不再调用 p.B [two 的源码中没有 p.B]"},
		{"came between", "p.A\n p.B", "p.A\n p.W\n  p.B", "p.W now stands between p.A and p.B [the source of 50%A has no p.W]", "p.W 现在位于 p.A 和 p.B 之间 [50%A 的源码中没有 p.W]"},
		{"went from between", "p.A\n p.W\n  p.B", "p.A\n p.B", "p.W no longer stands between p.A and p.B [the source of two has no p.W]", "p.W 不再位于 p.A 和 p.B 之间 [two 的源码中没有 p.W]"},
		{"moved", "p.A\n p.P\n  p.M\n   p.N\n p.Q", "p.A\n p.P\n p.Q\n  p.M\n   p.N", "p.M is now called by p.Q, no longer by p.P", "p.M 现在由 p.Q 调用，不再由 p.P 调用"},
		{"renamed", "p.A\n p.getIt\n  p.X", "p.A\n p.GetIt\n  p.X", "p.getIt is now p.GetIt", "p.getIt 现在是 p.GetIt"},
		{"replaced", "p.A\n p.Old\n  p.X\n   p.Y", "p.A\n q.Different\n  q.More\n   p.X\n    p.Y", "q.Different takes the place of p.Old between p.A and p.X", "q.Different 取代 p.Old，位于 p.A 和 p.X 之间"},
		{
			"a function that calls itself once more", "p.A\n p.U\n  p.U\n   p.X", "p.A\n p.U\n  p.U\n   p.U\n    p.X",
			"below p.A, calls of p.U are nested: 2 deep in 50%A, 3 deep in two", "在 p.A 之下，p.U 的调用彼此嵌套：在 50%A 中 2 层，在 two 中 3 层",
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
			"p.W now calls p.H (b, c) [in the source of 50%A, p.W does not make this call]", "p.W 现在调用 p.H（b、c） [在 50%A 的源码中，p.W 不发起这次调用]",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := viewtest.ComparisonOf(test.a, test.b, "v1", "v2")
			finder := diff.NewReasonsOf(viewtest.CodeOf("v1", c.A.Requests[0]), viewtest.CodeOf("v2", c.B.Requests[0]))
			for lang, want := range map[string]string{"en": test.en, "zh": test.zh} {
				if got := sentences(t, c, finder, lang); got != want {
					t.Errorf("%s: got %q, want %q", lang, got, want)
				}
			}
		})
	}
}

// TestSentencesAskTheSource checks that a call that one side did not run is not
// described as removed without a look at the source. Both sources may have it, or it
// may have no span.
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
		{"the caller changed", "p.A\n p.B", "p.A", nil, []string{"p.C p.B"}, "p.A no longer calls p.B [in the source of two, p.A does not make this call]"},
		{"it is in a package that moved", "p.A\n x/old.B", "p.A\n x/new.B\n  x/new.C", []string{"p.D x/old.C"}, nil, "old.B is now new.B; new.B calls new.C only in two [the source of 50%A has it, too, as old.C]"},
		{"both callers have it", "p.A\n p.P\n  p.M\n   p.N\n p.Q", "p.A\n p.P\n p.Q\n  p.M\n   p.N", []string{"p.Q p.M"}, nil, "p.M is called by p.P in 50%A, by p.Q in two"},
		{"both names are there", "p.A\n p.getIt\n  p.X", "p.A\n p.GetIt\n  p.X", nil, []string{"p.C p.getIt"}, "p.GetIt takes the place of p.getIt"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := viewtest.ComparisonOf(test.a, test.b, "v1", "v2")
			b := viewtest.CodeOf("v2", c.B.Requests[0], test.alsoB...)
			if test.name == "it is in a package that is not traced" {
				b = withoutPackage(b, "x.org/p")
			}
			finder := diff.NewReasonsOf(viewtest.CodeOf("v1", c.A.Requests[0], test.alsoA...), b)
			if got := sentences(t, c, finder, "en"); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestSentencesNameTheBranch checks the sentence about a call that both sources have
// and only one side made.
func TestSentencesNameTheBranch(t *testing.T) {
	inA := recordings.Branch{Kind: recordings.BranchIn, Text: "if n > 3", Line: 1}
	for _, test := range []struct {
		name   string
		of     recordings.Branch
		there  []recordings.Branch
		values string
		en, zh string
	}{
		{"the same on both sides", inA, []recordings.Branch{inA}, "", "; in two the call is made only if `n > 3` is true (p/f.go:8)", "; 在 two 中，此调用在 `n > 3` 为真时才到达 (p/f.go:8)"},
		{"none", recordings.Branch{}, []recordings.Branch{inA}, "", "; they do not tell why only two made it", "；为什么只有 two 调用，源码说明不了"},
		{"another on the other side", inA, []recordings.Branch{{Kind: recordings.BranchElse, Text: "if ok", Line: 4}}, "",
			"; in two the call is made only if `n > 3` is true (p/f.go:8); in one the call is made only if `ok` is false", "; 在 two 中，此调用在 `n > 3` 为真时才到达 (p/f.go:8); 在 one 中，此调用在 `ok` 为假时才到达"},
		{"none on the other side", inA, []recordings.Branch{{}}, "", "; in two the call is made only if `n > 3` is true (p/f.go:8); in one the call is in no branch", "; 在 two 中，此调用在 `n > 3` 为真时才到达 (p/f.go:8); 在 one 中，此调用不在任何分支里"},
		{"several on the other side", inA, []recordings.Branch{{}, {Kind: recordings.BranchIn, Text: "if ok"}}, "", "; in two the call is made only if `n > 3` is true (p/f.go:8)", "; 在 two 中，此调用在 `n > 3` 为真时才到达 (p/f.go:8)"},
		{"a limit", recordings.Branch{Kind: recordings.BranchPast, Text: "if took < limit", Threshold: recordings.ThresholdTime}, nil, "",
			"; in two the code leaves before this call if `took < limit` is true, a time limit (p/f.go:7)", "; 在 two 中，如果 `took < limit` 为真，代码在此调用之前离开，这是时间阈值 (p/f.go:7)"},
		{"an assertion", recordings.Branch{Kind: recordings.BranchIn, Text: "if m, ok := h.(M); ok", Line: 1}, []recordings.Branch{{Kind: recordings.BranchElse, Text: "if m, ok := h.(M); ok", Line: 1}}, "",
			"; in two the call is made only if `h` is of type `M` (p/f.go:8); in one the call is made only if `h` is not of type `M`", "; 在 two 中，此调用在 `h` 的类型为 `M` 时才到达 (p/f.go:8); 在 one 中，此调用在 `h` 的类型不是 `M` 时才到达"},
		{"behind ||", recordings.Branch{Kind: recordings.BranchIn, Text: "a ||", Line: 1}, []recordings.Branch{{Kind: recordings.BranchIn, Text: "switch x case 1", Line: 1}}, "",
			"; in two the call is made only if `a` is false (p/f.go:8); in one the call is made only in the branch `switch x case 1`", "; 在 two 中，此调用在 `a` 为假时才到达 (p/f.go:8); 在 one 中，此调用位于分支 `switch x case 1` 中"},
		{"a plugin of a list", recordings.Branch{Kind: recordings.BranchLoop, Text: "range handlers"}, []recordings.Branch{{}}, " apitrace.admission.plugin=x",
			"; in two the call is made for each element of `handlers` (p/f.go:7); in one the call is in no branch; in one, p.A does not call this plugin", "; 在 two 中，对 `handlers` 的每个元素发起此调用 (p/f.go:7); 在 one 中，此调用不在任何分支里; 在 one 中，p.A 不调用这个插件"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.there == nil {
				test.there = []recordings.Branch{test.of}
			}
			a, b := viewtest.IndentedRequest("p.A"), viewtest.IndentedRequest("p.A\n p.B"+test.values)
			b.Calls[1].CallerLine = 9
			code := func(branches ...recordings.Branch) *recordings.Code {
				caller := recordings.Source{Name: "p.A"}
				for _, branch := range branches {
					caller.Calls = append(caller.Calls, recordings.SourceCall{Name: "p.B", Line: 2, Branch: branch})
				}
				program := &recordings.Program{Functions: []recordings.Source{caller, {Name: "p.B"}}}
				return recordings.NewCode("v1", map[string]*recordings.Program{"kube-apiserver": program})
			}
			c := diff.CompareRecordings(&trace.Recording{Scenario: "one", K8sVersion: "v1", Requests: []trace.Request{a}},
				&trace.Recording{Scenario: "two", K8sVersion: "v2", Requests: []trace.Request{b}}, diff.Options{})
			finder := diff.NewReasonsOf(code(test.there...), code(test.of))
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

// TestSentencesNameTheCallMadeInstead checks the sentence about a call after a branch that
// leaves. The branch in which the other side made its last call says more than that branch.
func TestSentencesNameTheCallMadeInstead(t *testing.T) {
	past := recordings.Branch{Kind: recordings.BranchPast, Text: "if bad", Line: 3}
	for text, want := range map[string]string{
		"if ok":        "in one the code calls p.C instead, only if `ok` is true (p/f.go:8)",
		"switch x {1}": "in two the code leaves before this call if `bad` is true (p/f.go:10)",
	} {
		a, b := viewtest.IndentedRequest("p.A\n p.C"), viewtest.IndentedRequest("p.A\n p.B")
		a.Calls[1].CallerLine, b.Calls[1].CallerLine = 9, 11
		program := &recordings.Program{Functions: []recordings.Source{{Name: "p.A", Calls: []recordings.SourceCall{
			{Name: "p.C", Line: 2, Branch: recordings.Branch{Kind: recordings.BranchIn, Text: text, Line: 1}},
			{Name: "p.B", Line: 4, Branch: past},
		}}, {Name: "p.B"}, {Name: "p.C"}}}
		code := recordings.NewCode("v1", map[string]*recordings.Program{"kube-apiserver": program})
		c := diff.CompareRecordings(&trace.Recording{Scenario: "one", K8sVersion: "v1", Requests: []trace.Request{a}},
			&trace.Recording{Scenario: "two", K8sVersion: "v2", Requests: []trace.Request{b}}, diff.Options{})
		if got := strings.ReplaceAll(sentences(t, c, diff.NewReasonsOf(code, code), "en"), "50%A", "one"); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, expected it with %q", text, got, want)
		}
	}
}

// TestSentencesNameTheOtherCallee checks the sentence about a call of an interface method
// that runs one function on each side.
func TestSentencesNameTheOtherCallee(t *testing.T) {
	for _, test := range []struct{ name, a, b, want string }{
		{
			"it runs another function", "p.A\n p.T.Get\n  p.X", "p.A\n p.U.Get\n  p.T.Get\n   p.X",
			"p.U.Get stands between p.A and p.T.Get only in two [both sources have this call, of an interface method or a function value; in one it runs p.T.Get]",
		},
		{
			"it runs other functions in a loop", "p.A\n p.T.Get\n p.V.Get", "p.A\n p.T.Get\n p.V.Get\n p.U.Get",
			"p.A calls p.U.Get only in two [both sources have this call of p.U.Get; they do not tell why only two made it]",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, b := viewtest.IndentedRequest(test.a), viewtest.IndentedRequest(test.b)
			program := &recordings.Program{Functions: []recordings.Source{{Name: "p.A", Calls: []recordings.SourceCall{{
				Name: "p.I.Get", Kind: recordings.CallInterface, Line: 2, Branch: recordings.Branch{Kind: recordings.BranchLoop, Text: "range all", Line: 1},
			}}}, {Name: "p.T.Get"}, {Name: "p.U.Get"}, {Name: "p.V.Get"}, {Name: "p.X"}}}
			code := recordings.NewCode("v1", map[string]*recordings.Program{"kube-apiserver": program})
			for _, r := range []*trace.Request{&a, &b} {
				for i := range r.Calls {
					r.Calls[i].CallerLine = 9
				}
			}
			c := diff.CompareRecordings(&trace.Recording{Scenario: "one", K8sVersion: "v1", Requests: []trace.Request{a}},
				&trace.Recording{Scenario: "two", K8sVersion: "v2", Requests: []trace.Request{b}}, diff.Options{})
			if got := strings.ReplaceAll(sentences(t, c, diff.NewReasonsOf(code, code), "en"), "50%A", "one"); got != test.want {
				t.Errorf("got %q, expected %q", got, test.want)
			}
		})
	}
}

// withoutPackage removes the functions of a package from a source.
func withoutPackage(code *recordings.Code, pkg string) *recordings.Code {
	program := &recordings.Program{}
	for _, f := range code.Functions("kube-apiserver") {
		if !strings.HasPrefix(f.Name, pkg) {
			program.Functions = append(program.Functions, *f)
		}
	}
	return recordings.NewCode("v2", map[string]*recordings.Program{"kube-apiserver": program})
}

// TestSentencesWithoutSource checks that sentences do not mention an unknown source.
func TestSentencesWithoutSource(t *testing.T) {
	c := viewtest.ComparisonOf("p.A\n p.B\n p.L", "p.A\n p.C\n p.L\n p.L", "v1", "v2")
	want := "p.A leads to p.B only in 50%A; p.A leads to p.C only in two; p.A leads to p.L once in 50%A, twice in two"
	if got := sentences(t, c, nil, "en"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSentencesOfScenarios checks that sentences about two scenarios on one release
// describe no change over time.
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
		c := viewtest.ComparisonOf(test.a, test.b, "v1", "v1")
		code := viewtest.CodeOf("v1", c.A.Requests[0], "p.A p.C")
		for lang, want := range map[string]string{"en": test.en, "zh": test.zh} {
			if got := sentences(t, c, diff.NewReasonsOf(code, code), lang); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	}
}

func sentences(t *testing.T, c *diff.Comparison, finder *diff.Reasons, lang string) string {
	t.Helper()
	comparer := newComparer(c, finder, viewtest.EveryStep{}, ComparisonOptions{Options: Options{Lang: lang}, NameA: "50%A", NameB: "two"})
	changed := comparer.Pair(0).Summary().Layers
	if len(changed) != 1 {
		t.Fatalf("layers that changed: %+v", changed)
	}
	return told(comparer, changed[0])
}

// told returns the sentences of a layer, with the evidence of each in brackets.
func told(comparer *Comparer, layer LayerSummary) string {
	var all []string
	for i := range layer.Statements {
		said := comparer.Sentence(&layer.Statements[i])
		if len(said.Evidence) > 0 {
			said.Text += " [" + strings.Join(said.Evidence, "; ") + "]"
		}
		all = append(all, said.Text)
	}
	return strings.Join(all, "; ")
}

// filterSteps is a guide with the layers "filters" and "flow". All functions are key
// steps, except functions with names that begin with Track.
type filterSteps struct{ viewtest.EveryStep }

func (filterSteps) Key(function string) bool  { return !strings.HasPrefix(function, "p.Track") }
func (filterSteps) Title(layer string) string { return layer }
func (filterSteps) Layer(function string) string {
	if strings.HasPrefix(function, "p.Flow") || function == "q.MaxInFlight" {
		return "flow"
	}
	return "filters"
}

// TestKeyStepsBetween adds several filters in one place. The summary must name the
// filters that are key steps, each in its layer. If a filter takes the place of a
// removed filter of the same layer, the summary must say so. A filter around them that
// is not a key step counts as a smaller change.
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
			"filters: p.Audit now stands between p.Imp and p.Authz [the source of v1 has no p.Audit] (1 smaller)\nflow: p.Flow takes the place of q.MaxInFlight between p.Imp and p.Authz (0 smaller)\n",
			"+ p.Audit, p.Flow; - q.MaxInFlight",
		},
		{
			"in both sources", []string{"p.Other p.Flow", "p.Other p.Audit"}, []string{"p.Other q.MaxInFlight"},
			"filters: p.Audit stands between p.Imp and p.Authz only in v2 (1 smaller)\nflow: q.MaxInFlight no longer stands between p.Imp and p.Authz [in the source of v2, p.Imp does not make this call]; p.Flow stands between p.Imp and p.Authz only in v2; p.Flow now calls p.FlowQueue [the source of v1 has no p.FlowQueue] (0 smaller)\n",
			"- q.MaxInFlight; (+) p.Audit, p.Flow",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := viewtest.ComparisonOf(a, b, "v1", "v2")
			finder := diff.NewReasonsOf(viewtest.CodeOf("v1", c.A.Requests[0], test.alsoA...), viewtest.CodeOf("v2", c.B.Requests[0], test.alsoB...))
			comparer := newComparer(c, finder, filterSteps{}, ComparisonOptions{NameA: "v1", NameB: "v2"})
			got := ""
			for _, layer := range comparer.Pair(0).Summary().Layers {
				got += fmt.Sprintf("%s: %s (%d smaller)\n", layer.Title, told(comparer, layer), layer.Smaller)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("sentences, -want +got:\n%s", diff)
			}
			var marks []string
			for _, mark := range comparer.Brief(false).Marks {
				marks = append(marks, mark.Mark+" "+strings.Join(mark.Names, ", "))
			}
			if got := strings.Join(marks, "; "); got != test.brief {
				t.Errorf("history: %q, expected %q", got, test.brief)
			}
		})
	}
}

// TestVaryingCallers compares two releases with a function that the scenario says to vary
// from run to run. A call that only one side made, and both sources have, must not be
// told as a change of the release. A call that only one source has must be.
func TestVaryingCallers(t *testing.T) {
	const caller = "x.io/storage/etcd3.(*store).conditionalDelete"
	const varies = "the calls of etcd3.(*store).conditionalDelete vary from run to run in this scenario: two runs on one side may differ like this"
	for _, test := range []struct {
		name, scenario string
		alsoA          []string
		want           string
	}{
		{"both sources have the call", "delete-pod", []string{caller + " p.C"}, "etcd3.(*store).conditionalDelete calls p.C only in two [" + varies + "]"},
		{"one source has the call", "delete-pod", nil, "etcd3.(*store).conditionalDelete now calls p.C [the source of 50%A has no p.C]"},
		{"of another scenario", "get-node", []string{caller + " p.C"}, "etcd3.(*store).conditionalDelete calls p.C only in two [both sources have this call of p.C; they do not tell why only two made it]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := viewtest.ComparisonOf(caller+"\n p.B", caller+"\n p.B\n p.C", "v1", "v2")
			c.A.Scenario, c.B.Scenario = test.scenario, test.scenario
			finder := diff.NewReasonsOf(viewtest.CodeOf("v1", c.A.Requests[0], test.alsoA...), viewtest.CodeOf("v2", c.B.Requests[0]))
			if got := sentences(t, c, finder, "en"); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			comparer := newComparer(c, finder, viewtest.EveryStep{}, ComparisonOptions{})
			warned := strings.Contains(strings.Join(comparer.warnings(), ""), "the traces of delete-pod differ from run to run: Since v1.21 the removal starts")
			if warned != (test.scenario == "delete-pod") {
				t.Errorf("warnings %q", comparer.warnings())
			}
		})
	}
}

// TestFollowingLayers adds one call, not a key step, with calls of two layers below it.
// The summary must describe this call first. The count of the calls below it, in another
// layer, must stand in the layer of this call, lead to this call, and name both.
func TestFollowingLayers(t *testing.T) {
	const b = "p.A\n p.B\n p.TrackWrite\n  p.Flow\n  q.MaxInFlight"
	c := viewtest.ComparisonOf("p.A\n p.B", b, "v1", "v2")
	finder := diff.NewReasonsOf(viewtest.CodeOf("v1", c.A.Requests[0]), viewtest.CodeOf("v2", c.B.Requests[0]))
	comparer := newComparer(c, finder, flowIsNoStep{}, ComparisonOptions{NameA: "v1", NameB: "v2"})
	got := ""
	for _, layer := range comparer.Pair(0).Summary().Layers {
		got += fmt.Sprintf("%s: %s (%d smaller)\n", layer.Title, told(comparer, layer), layer.Smaller)
		for _, st := range layer.Statements {
			if name := comparer.Pair(0).Differences().Merged.Tree.Call(st.Calls[0]).ShortName(); name != "p.TrackWrite" {
				t.Errorf("a sentence leads to %s, want p.TrackWrite", name)
			}
		}
	}
	want := "filters: p.A now calls p.TrackWrite [the source of v1 has no p.TrackWrite]; below p.TrackWrite: 2 calls of the layer flow only in v2 (0 smaller)\n"
	if got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
}

// flowIsNoStep has the layers of filterSteps. Only p.A is a key step.
type flowIsNoStep struct{ filterSteps }

func (flowIsNoStep) Key(function string) bool { return function == "p.A" }

// TestFilterSelectsSentences checks that a filter leaves out the sentences about other
// calls and counts them. A value of either side is enough to select a call.
func TestFilterSelectsSentences(t *testing.T) {
	const a, b = "p.A\n p.B apitrace.storage.type=x\n p.D", "p.A\n p.B apitrace.storage.type=y\n p.C\n p.D"
	for _, test := range []struct {
		name    string
		filter  Filter
		every   bool
		want    string
		leftOut int
	}{
		{"none", Filter{}, false, "storage type of p.B is x in v1, y in v2; p.A leads to p.C only in v2", 0},
		{"a value of side A", Filter{Grep: regexp.MustCompile("type=x")}, false, "storage type of p.B is x in v1, y in v2", 1},
		{"a function", Filter{Functions: []Matcher{onlyFunction("p.C")}}, false, "p.A leads to p.C only in v2", 1},
		{"errors", Filter{Errors: true}, false, "", 2},
		{"every sentence is asked for", Filter{Errors: true}, true, "storage type of p.B is x in v1, y in v2; p.A leads to p.C only in v2", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := ComparisonOptions{NameA: "v1", NameB: "v2", EverySentence: test.every}
			o.Filter = test.filter
			compared := newComparer(viewtest.ComparisonOf(a, b, "v1", "v2"), nil, viewtest.EveryStep{}, o).All()[0]
			var got []string
			for _, layer := range compared.Layers {
				for _, sentence := range layer.Sentences {
					got = append(got, sentence.Text)
				}
			}
			if said := strings.Join(got, "; "); said != test.want || compared.LeftOut != test.leftOut {
				t.Errorf("sentences %q, %d left out; expected %q, %d", said, compared.LeftOut, test.want, test.leftOut)
			}
		})
	}
}

// TestFilterTellsSmallerChanges checks that a filter tells the changes that are only counted
// without it.
func TestFilterTellsSmallerChanges(t *testing.T) {
	const a, b = "p.A\n p.B\n p.D", "p.A\n p.B\n  p.plumbing\n p.D"
	compare := func(filter Filter) (sentences []string, smaller int) {
		o := ComparisonOptions{NameA: "v1", NameB: "v2"}
		o.Filter = filter
		compared := newComparer(viewtest.ComparisonOf(a, b, "v1", "v2"), nil, viewtest.ByName{}, o).All()[0]
		for _, layer := range compared.Layers {
			smaller += layer.Smaller
			for _, sentence := range layer.Sentences {
				sentences = append(sentences, sentence.Text)
			}
		}
		return sentences, smaller
	}
	if told, smaller := compare(Filter{}); len(told) != 0 || smaller != 1 {
		t.Errorf("without a filter: got the sentences %q and %d smaller changes, expected none and 1", told, smaller)
	}
	if told, smaller := compare(Filter{Functions: []Matcher{onlyFunction("p.plumbing")}}); strings.Join(told, "; ") != "p.B leads to p.plumbing only in v2" || smaller != 0 {
		t.Errorf("with a filter: got the sentences %q and %d smaller changes, expected the sentence on p.plumbing and 0", told, smaller)
	}
}

type onlyFunction string

func (f onlyFunction) Match(function string) bool { return function == string(f) }

// TestAskedGate checks the evidence for a value that differs. It must name a feature gate that
// the function asks for if the gate has another default, and the value is true or false.
func TestAskedGate(t *testing.T) {
	code := func(release, gate string, on bool) *recordings.Code {
		return recordings.NewCode(release, map[string]*recordings.Program{"kube-apiserver": {
			Functions: []recordings.Source{{Name: "p.B", Calls: []recordings.SourceCall{{Kind: recordings.CallAsks, Name: gate}}}},
			Gates:     map[string]bool{gate: on},
		}})
	}
	const asks = " [p.B checks feature gate Fast, on by default since ]" // the releases are not in the index
	for _, test := range []struct {
		name, was, is  string
		before, behind bool
		want           string
	}{
		{"another default", "true", "false", false, true, "storage type of p.B is true in 50%A, false in two" + asks},
		{"the same default", "true", "false", true, true, "storage type of p.B is true in 50%A, false in two"},
		{"another kind of value", "x", "y", false, true, "storage type of p.B is x in 50%A, y in two"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := viewtest.ComparisonOf("p.A\n p.B apitrace.storage.type="+test.was, "p.A\n p.B apitrace.storage.type="+test.is, "v1", "v2")
			finder := diff.NewReasonsOf(code("v1", "Fast", test.before), code("v2", "Fast", test.behind))
			if got := sentences(t, c, finder, "en"); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
